import { setTimeout as sleep } from 'node:timers/promises';
import { measureLatency, type Latency } from '../figures/latency.ts';
import { seedSessions } from '../seed.ts';
import { COOKIE_NAME } from '../service.ts';
import { insertGrants } from './fill.ts';
import type { Stage } from './stage.ts';

const PER_SECOND = 300;
const SECONDS = 6;
const SESSIONS = 1_024;
/** A service begins a cleanup each minute. */
const LONGEST_WAIT_MS = 120_000;
const POLL_MS = 250;
const DAY_MS = 24 * 3_600_000;

/** Measures the cleanup of expired grants, and refreshes of sessions beside it. */
export async function measureCleanup(many: Stage, few: Stage, expired: number): Promise<string> {
  const rows: string[] = [];
  for (const stage of [many, few]) rows.push(await cleanUp(stage, expired));
  return [
    '',
    `| Cleanup of ${expired} expired grants | Rows/s | CPU of MariaDB, µs per row | Refreshes beside it, p50 / p99 / max, ms | Alone |`,
    '| --- | ---: | ---: | ---: | ---: |',
    ...rows,
  ].join('\n');
}

async function cleanUp(stage: Stage, expired: number): Promise<string> {
  const { database, accounts, grants, databaseCpu } = stage;
  const alone = await refreshes(stage);
  const now = Date.now();
  const left = async () => {
    const [row] = await database.query<{ count: number }>(
      'SELECT COUNT(*) AS count FROM grants WHERE idle_expires_at <= ?',
      [now],
    );
    return row!.count;
  };
  const cookies = await cookiesOf(stage);
  await insertGrants(database, expired, accounts, now - DAY_MS);
  await until(async () => (await left()) < expired);
  const beside = await refreshes(stage, cookies);
  // The rest of the cleanup runs alone.
  const [before, began, cpu] = [await left(), performance.now(), databaseCpu()];
  if (before === 0) throw new Error('the cleanup ended before the measurement; take a larger --expired');
  await until(async () => (await left()) === 0);
  const seconds = (performance.now() - began) / 1000;
  const cells = [
    `${grants} other grants`,
    (before / seconds).toFixed(0),
    ((1e6 * (databaseCpu() - cpu)) / before).toFixed(0),
    textOf(beside),
    textOf(alone),
  ];
  return `| ${cells.join(' | ')} |`;
}

async function cookiesOf({ database }: Stage): Promise<string[]> {
  const sessions = await seedSessions(database, SESSIONS);
  return sessions.map(({ credential }) => `${COOKIE_NAME}=${credential}`);
}

async function refreshes(stage: Stage, cookies?: readonly string[]): Promise<Latency> {
  const values = cookies ?? (await cookiesOf(stage));
  const load = {
    path: '/api/v1/auth/refresh',
    header: 'Cookie',
    values,
    perSecond: PER_SECOND,
    seconds: SECONDS,
  } as const;
  return measureLatency(stage.service, load);
}

async function until(isTrue: () => Promise<boolean>): Promise<void> {
  const endsAt = performance.now() + LONGEST_WAIT_MS;
  while (!(await isTrue())) {
    if (performance.now() > endsAt) throw new Error('the cleanup does not run');
    await sleep(POLL_MS);
  }
}

function textOf({ p50, p99, max }: Latency): string {
  return [p50, p99, max].map((value) => value.toFixed(1)).join(' / ');
}
