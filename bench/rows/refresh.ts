import type { Comparison } from '../compare.ts';
import { refreshSide } from '../refresh-side.ts';
import { runOnRequest, startNode, type Stand } from '../stand.ts';
import { insertSessions } from '../bulk.ts';
import { startExtraService } from '../extra-service.ts';

/** Compares refreshes with only their compare-and-set UPDATE, each with its own commit. */
export async function refreshComparisons(stand: Stand): Promise<Comparison[]> {
  const { engine, service, database, databaseUrl, start, connections, sessions } = stand;
  const title = `POST /auth/refresh, ${engine}`;
  const floor = 0.06;
  if (!stand.wants({ title, floor })) return [];
  const script = engine === 'sqlite' ? 'raw-update-sqlite.ts' : 'raw-update.ts';
  const update = await start(startNode(script, [databaseUrl, String(connections)]));
  return [
    {
      title,
      aim: stand.engine === 'mariadb' ? 0.65 : 1,
      floor,
      subject: refreshSide('service', service, { database, sessions: sessions.length, connections }),
      limit: { name: 'raw UPDATE', pid: update.pid, load: (seconds) => runOnRequest(`${update.url}/`, seconds) },
    },
  ];
}

const FEW = 10_000;
const MANY = 2_000_000;

/** Compares refreshes in a database with many sessions with those in a database with few. */
export async function growthComparisons(stand: Stand): Promise<Comparison[]> {
  const { engine, connections, scale } = stand;
  const many = Math.round(MANY * scale);
  const title = `POST /auth/refresh, ${many.toLocaleString('en')} sessions, ${engine}`;
  if (!stand.wants({ title })) return [];
  const sideOf = async (count: number) => {
    const { service, database, databaseUrl, sessions } = await startExtraService(stand);
    await insertSessions(engine, databaseUrl, count);
    const name = `${count.toLocaleString('en')} sessions`;
    return refreshSide(name, service, { database, sessions: sessions.length, connections });
  };
  return [{ title, aim: 0.95, subject: await sideOf(many), limit: await sideOf(FEW) }];
}
