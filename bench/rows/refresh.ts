import type { Comparison } from '../compare.ts';
import { refreshSide } from '../refresh-side.ts';
import { runOnRequest, startNode, type Stand } from '../stand.ts';

/** Compares refreshes with only their compare-and-set UPDATE, each with its own commit. */
export async function refreshComparisons(stand: Stand): Promise<Comparison[]> {
  const { engine, service, database, databaseUrl, start, connections, sessions } = stand;
  const title = `POST /auth/refresh, ${engine}`;
  const floor = 0.16;
  if (!stand.wants({ title, floor })) return [];
  const script = engine === 'sqlite' ? 'raw-update-sqlite.ts' : 'raw-update.ts';
  const update = await start(startNode(script, [databaseUrl, String(connections)]));
  return [
    {
      title,
      aim: 0.6,
      floor,
      subject: refreshSide('service', service, { database, sessions: sessions.length, connections }),
      limit: { name: 'raw UPDATE', pid: update.pid, load: (seconds) => runOnRequest(`${update.url}/`, seconds) },
    },
  ];
}
