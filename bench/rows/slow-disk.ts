import type { Comparison } from '../compare.ts';
import { startExtraService } from '../extra-service.ts';
import { seedClients } from '../seed.ts';
import { slowDiskEnvironment } from '../slow-disk-library.ts';
import { startNode, wrkSide, type Stand } from '../stand.ts';

/** Compares grants with the hand-written endpoint when each fsync takes 1 ms longer. Needs a C compiler. SQLite only. */
export async function slowDiskComparisons(stand: Stand): Promise<Comparison[]> {
  const { engine, connections, start, service } = stand;
  const title = `POST /auth/token, fsync 1 ms slower, ${engine}`;
  if (engine !== 'sqlite' || !stand.wants({ title })) return [];
  const env = slowDiskEnvironment(service.directory, 1);
  const slow = await startExtraService(stand, { env });
  const byHand = await start(startNode('by-hand/server.ts', [slow.databaseUrl, slow.service.url], env));
  const [client] = await seedClients(slow.database, 1);
  const lines = [`grant_type=client_credentials&client_id=${client!.id}&client_secret=${client!.secret}`];
  const requests = { path: '/api/v1/auth/token', format: 'form', lines, connections } as const;
  return [
    {
      title,
      aim: 8,
      subject: wrkSide('service', slow.service, requests),
      limit: wrkSide('by hand', byHand, requests),
    },
  ];
}
