// A SQLite file that another process has locked, for long or briefly.
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  RefreshTokenTransport,
  RequestOrigin,
  SessionServiceService,
} from '../../proto/gen/authservice/session/v1/session_service.ts';
import { idToBytes } from '../../src/platform/db/ids.ts';
import type { Account } from '../../src/auth/access/account.ts';
import { PASSWORD, seedAccount } from '../support/accounts.ts';
import { deploy, type Deployment } from '../support/deployment.ts';
import { endFileLocks, lockFile } from '../support/file-locks.ts';
import { expectOutage, generationOf, timed } from '../support/outages.ts';
import { restClient, sessionOf, type RestResponse, type RestClient } from '../support/rest-client.ts';
import { seedSession, type SeededSession } from '../support/sessions.ts';

const CLIENTS = 20;
// Shorter than anybody waits for the file.
const SHORT_LOCK_MS = 300;
const LIVE_LIMIT_MS = 200;
// Where the machine has other things to do a look may take longer, but not as long as who waits with the event loop blocked.
const SELDOM = 0.05;
const SELDOM_LIMIT_MS = 1_000;
const PATIENCE_MS = 2_000;

afterEach(endFileLocks);

describe.each([
  { transport: 'local', begin: 'BEGIN EXCLUSIVE' },
  { transport: 'grpc', begin: 'BEGIN IMMEDIATE' },
] as const)('a SQLite file that another process has locked by $begin, over $transport', ({ transport, begin }) => {
  let deployment: Deployment;
  let rest: RestClient;
  let account: Account;

  beforeAll(async () => {
    deployment = await deploy({ engine: 'sqlite', transport });
    rest = restClient(deployment.url);
    account = await seedAccount(deployment.database);
    // What runs for the first time takes longer than what is measured here.
    const session = sessionOf(await rest.refresh((await seedSession(deployment, account)).cookie));
    await Promise.all([rest.me(session.accessToken), health('live'), health('ready')]);
    await rest.logout(session);
  });
  afterAll(() => deployment?.close());

  const health = (kind: 'live' | 'ready'): Promise<RestResponse> => rest.send('GET', `/health/${kind}`);
  const login = (): Promise<RestResponse> => rest.login({ username: account.username, password: PASSWORD });
  const seedSessions = (count: number): Promise<SeededSession[]> =>
    Promise.all(Array.from({ length: count }, () => seedSession(deployment, account)));

  /** Everything that writes, all at once. */
  const writeAll = (renewed: readonly SeededSession[], ended: readonly SeededSession[]) =>
    Promise.all([
      ...renewed.map(async ({ cookie }) => ({ ...(await timed(() => rest.refresh(cookie))), endpoint: 'refresh' })),
      ...ended.map(async (session) => ({ ...(await timed(() => rest.logout(session))), endpoint: 'logout' })),
      ...[1, 2].map(async () => ({ ...(await timed(login)), endpoint: 'login' })),
    ]);

  /** Looks at what needs no lock until it is told to stop. */
  async function watch({ accessToken }: SeededSession, over: AbortSignal) {
    const [statuses, readiness] = [new Set<number>(), new Set<number>()];
    const liveMs: number[] = [];
    while (!over.aborted) {
      const [live, ready, me] = await Promise.all([timed(() => health('live')), health('ready'), rest.me(accessToken)]);
      for (const { status } of [live.response, me]) statuses.add(status);
      readiness.add(ready.status);
      liveMs.push(live.ms);
      await sleep(20);
    }
    return { statuses: [...statuses], readiness: [...readiness], liveMs };
  }

  /** Nothing of what was refused has happened, and everything goes on as if nobody had asked. */
  async function expectUntouched(sessions: readonly SeededSession[]): Promise<void> {
    for (const { id, accessToken, cookie } of sessions) {
      const sessions = await deployment.database.query(
        'SELECT generation, revoked_at FROM session_families WHERE id = ?',
        [idToBytes(id)],
      );
      expect(sessions).toEqual([{ generation: 1, revoked_at: null }]);
      expect((await rest.me(accessToken)).status).toBe(200);
      expect((await rest.refresh(cookie)).status).toBe(200);
    }
    expect(
      await deployment.database.query('SELECT login_failed_count FROM accounts WHERE id = ?', [idToBytes(account.id)]),
    ).toEqual([{ login_failed_count: 0 }]);
  }

  it('returns an outage to writing calls in time, while reading calls succeed', async () => {
    const sessions = await seedSessions(2 * CLIENTS + 2);
    const [renewed, ended] = [sessions.slice(2, 2 + CLIENTS), sessions.slice(2 + CLIENTS)];
    const lock = await lockFile(deployment.databaseUrl, begin);
    const over = new AbortController();
    const watched = watch(sessions[0]!, over.signal);
    const first = writeAll(renewed, ended);
    // One that comes when the others have waited for a while.
    await sleep(PATIENCE_MS / 2);
    const late = writeAll([sessions[1]!], []);
    const responses = [...(await first), ...(await late)];
    over.abort();
    const { statuses, readiness, liveMs } = await watched;
    for (const { endpoint, ...response } of responses) expectOutage(response, endpoint);
    expect(statuses).toEqual([200]);
    // No login can be stored.
    expect(readiness).toContain(503);
    expect(Math.max(...liveMs)).toBeLessThan(SELDOM_LIMIT_MS);
    expect(liveMs.filter((ms) => ms >= LIVE_LIMIT_MS).length).toBeLessThanOrEqual(liveMs.length * SELDOM);
    await lock.release();
    await expectUntouched(sessions);
    expect((await login()).status).toBe(200);
    await expect.poll(async () => (await health('ready')).status).toBe(200);
  });

  it.each(['release', 'kill'] as const)('only takes longer if a short lock ends by %s', async (end) => {
    const sessions = await seedSessions(2 * CLIENTS);
    const [renewed, ended] = [sessions.slice(0, CLIENTS), sessions.slice(CLIENTS)];
    const lock = await lockFile(deployment.databaseUrl, begin);
    const responses = writeAll(renewed, ended);
    await sleep(SHORT_LOCK_MS);
    await lock[end]();
    for (const { response } of await responses) expect(response.status).toBe(200);
    for (const { response, endpoint } of await responses) {
      if (endpoint !== 'refresh') continue;
      const { cookie } = sessionOf(response);
      expect(generationOf(cookie)).toBe(2);
      expect((await rest.refresh(cookie)).status).toBe(200);
    }
    for (const { accessToken } of ended) expect((await rest.me(accessToken)).status).toBe(401);
  });

  it('does not execute later a call that waited for the file until its deadline', async () => {
    const sessions = await seedSessions(2);
    const [renewed, ended] = sessions.map(({ credential }) => ({ refreshTokens: [credential] }));
    const lock = await lockFile(deployment.databaseUrl, begin);
    const client = deployment.client(SessionServiceService);
    const refreshTokenTransport = RefreshTokenTransport.REFRESH_TOKEN_TRANSPORT_COOKIE;
    const options = { timeoutMs: 500 };
    const calls = [
      client.refresh({ ...renewed!, origin: RequestOrigin.REQUEST_ORIGIN_OWN, refreshTokenTransport }, options),
      client.logout({ ...ended!, refreshTokenTransport }, options),
    ];
    for (const outcome of await Promise.allSettled(calls)) {
      expect(outcome).toMatchObject({
        status: 'rejected',
        reason: { status: { reason: expect.stringMatching(/SERVICE_UNAVAILABLE$|^DEADLINE_EXCEEDED$/) } },
      });
    }
    // While they would still be waiting, but for their deadline.
    await lock.release();
    await sleep(SHORT_LOCK_MS);
    await expectUntouched(sessions);
  });
});
