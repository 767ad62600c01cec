import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Database } from '../src/platform/db/types.ts';
import type { Side } from './compare.ts';
import { LOAD_CORE, type Program } from './program.ts';
import { seedSessions } from './seed.ts';
import { COOKIE_NAME } from './service.ts';
import { loadByWrk } from './wrk.ts';

/** Creates a side that refreshes sessions: the cookie of each response is in a later request. */
export function refreshSide(
  name: string,
  service: Program,
  { database, sessions, connections }: { database: Database; sessions: number; connections: number },
): Side {
  const inputFile = join(service.directory, 'cookies');
  return {
    name,
    pid: service.pid,
    async load(seconds) {
      // New sessions for each block: responses in progress at the end of a block are lost, and with them the cookies.
      const fresh = await seedSessions(database, sessions);
      writeFileSync(inputFile, fresh.map(({ credential }) => `${COOKIE_NAME}=${credential}\n`).join(''));
      const url = `${service.url}/api/v1/auth/refresh`;
      return loadByWrk({ core: LOAD_CORE, connections, seconds, url, format: 'refresh', inputFile });
    },
  };
}
