import { insertSessions } from '../bulk.ts';
import type { Comparison } from '../compare.ts';
import { startExtraService } from '../extra-service.ts';
import { refreshSide } from '../refresh-side.ts';
import type { Stand } from '../stand.ts';

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
