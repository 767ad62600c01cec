import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Comparison } from '../compare.ts';
import { seedSessions } from '../seed.ts';
import { COOKIE_NAME } from '../service.ts';
import { LOAD_CORE, startNode, type Stand } from '../stand.ts';
import { loadByWrk, type Load } from '../wrk.ts';

/** Compares refreshes with only their compare-and-set UPDATE. */
export async function refreshComparisons(stand: Stand): Promise<Comparison[]> {
  if (stand.engine !== 'mariadb') return [];
  const { engine, service, database, databaseUrl, start, connections, sessions } = stand;
  const inputFile = join(service.directory, 'cookies');
  const refresh = async (seconds: number): Promise<Load> => {
    // New sessions for each block: responses in progress at the end of a block are lost, and with them the cookies.
    const fresh = await seedSessions(database, sessions.length);
    writeFileSync(inputFile, fresh.map(({ credential }) => `${COOKIE_NAME}=${credential}\n`).join(''));
    const url = `${service.url}/api/v1/auth/refresh`;
    return loadByWrk({ core: LOAD_CORE, connections, seconds, url, script: 'refresh.lua', inputFile });
  };
  const update = await start(startNode('raw-update.ts', [databaseUrl, String(connections)]));
  return [
    {
      title: `POST /auth/refresh, ${engine}`,
      aim: 0.6,
      subject: { name: 'service', pid: service.pid, load: refresh },
      limit: {
        name: 'raw UPDATE',
        pid: update.pid,
        load: async (seconds) => {
          const answer = await fetch(`${update.url}/?seconds=${seconds}`);
          if (answer.status !== 200) throw new Error(`raw UPDATE: ${await answer.text()}`);
          return (await answer.json()) as Load;
        },
      },
    },
  ];
}
