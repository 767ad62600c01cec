import { setTimeout as sleep } from 'node:timers/promises';
import { insertExpiredRevocations } from '../bulk.ts';
import type { Figure } from '../compare.ts';
import { startExtraService, type ExtraService } from '../extra-service.ts';
import { refreshSide } from '../refresh-side.ts';
import { COOKIE_NAME } from '../service.ts';
import { seedSessions } from '../seed.ts';
import type { Stand } from '../stand.ts';
import { besideAlone, measureLatency, type Latency } from './latency.ts';

const ROWS = 1_000_000;
const LOAD_SHARE = 0.3;
const SECONDS = 6;
/** Many, so that a slow refresh does not hold up the next one. */
const SESSIONS = 1_024;
/** The service starts its cleanup a minute after its start. */
const LONGEST_WAIT_MS = 90_000;

/** Measures the p99 of refreshes while expired rows are deleted, beside that without. */
export function cleanupFigures(stand: Stand): readonly Figure[] {
  const { engine, connections, scale } = stand;
  const rows = Math.max(200_000, Math.round(ROWS * scale));
  return [
    {
      title: `p99 of POST /auth/refresh beside the cleanup of ${rows.toLocaleString('en')} rows, ${engine}`,
      unit: 'x',
      aim: 1.3,
      async measure() {
        const extra = await startExtraService(stand);
        const { service, database, databaseUrl, sessions } = extra;
        const { requests, seconds } = await refreshSide('service', service, {
          database,
          sessions: sessions.length,
          connections,
        }).load(2);
        const perSecond = (LOAD_SHARE * requests) / seconds;
        // Created before, because the seed would wait for SQLite's lock during the cleanup.
        const cookies = await seedCookies(extra);
        const alone = await refreshAt(extra, perSecond, await seedCookies(extra));
        await insertExpiredRevocations(engine, databaseUrl, rows);
        await untilCleanupRuns(extra);
        const during = await refreshAt(extra, perSecond, cookies);
        if ((await countExpired(extra)) === 0) throw new Error('the cleanup ended before the measurement');
        return {
          value: during.p99 / alone.p99,
          detail: `${perSecond.toFixed(0)} /s; ${besideAlone(during, alone)}`,
        };
      },
    },
  ];
}

async function seedCookies({ database }: ExtraService): Promise<string[]> {
  const sessions = await seedSessions(database, SESSIONS);
  return sessions.map(({ credential }) => `${COOKIE_NAME}=${credential}`);
}

function refreshAt({ service }: ExtraService, perSecond: number, values: readonly string[]): Promise<Latency> {
  return measureLatency(service, {
    path: '/api/v1/auth/refresh',
    header: 'Cookie',
    values,
    perSecond,
    seconds: SECONDS,
  });
}

async function countExpired({ database }: ExtraService): Promise<number> {
  const [row] = await database.query<{ count: number }>('SELECT COUNT(*) AS count FROM token_blacklist');
  return row!.count;
}

async function untilCleanupRuns(extra: ExtraService): Promise<void> {
  const before = await countExpired(extra);
  const endsAt = performance.now() + LONGEST_WAIT_MS;
  while ((await countExpired(extra)) >= before) {
    if (performance.now() > endsAt) throw new Error('the cleanup does not run');
    await sleep(500);
  }
}
