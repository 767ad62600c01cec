// The job that finds ends of sessions: each application of an ended session gets one delivery, and no other one does.
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Application } from '../../src/auth/oauth/applications/application.ts';
import type { ClientApplication } from '../../src/auth/oauth/applications/application-loader-store.ts';
import type { LiveSession } from '../../src/auth/oauth/authorize/session-facts.ts';
import { createPropagateLogout } from '../../src/auth/oauth/logout/propagate-logout.ts';
import {
  addSessionApplication,
  CHECK_INTERVAL_MS,
  noticeEnd,
} from '../../src/auth/oauth/logout/session-application-store.ts';
import { createAuditLog } from '../../src/auth/audit/trail/audit-log.ts';
import { createRevocations } from '../../src/auth/token/revocations.ts';
import { UNLIMITED } from '../../src/platform/clock.ts';
import { idToBytes, newId } from '../../src/platform/db/ids.ts';
import type { Database } from '../../src/platform/db/types.ts';
import { testClock, type TestClock } from '../support/clock.ts';
import { createTestDatabase, ENGINES, type TestDatabase } from '../support/databases.ts';
import { webApplication } from '../support/oauth/applications.ts';

const URI = 'https://app.example.com/logout';
/** More than a batch. */
const MANY = 450;

describe.each(ENGINES)('ends of sessions on %s', (engine) => {
  let test: TestDatabase;
  let db: Database;
  let clock: TestClock;
  let applications: Map<string, Application>;
  let live: Set<string>;
  /** The sessions that were looked at. */
  let looked: string[];
  let onLook: (id: string) => Promise<unknown>;
  beforeAll(async () => {
    test = await createTestDatabase(engine);
    db = test.database;
  });
  afterAll(() => test.drop());
  beforeEach(async () => {
    clock = testClock();
    [applications, live, looked, onLook] = [new Map(), new Set(), [], async () => undefined];
    for (const table of [
      'session_applications',
      'webhook_queues',
      'webhook_deliveries',
      'revocations',
      'audit_records',
    ])
      await db.execute(`DELETE FROM ${table}`);
  });

  const account = { tenantId: 'acme', accountId: newId() };

  function application(fields: Partial<Application> = {}): Application {
    const created = webApplication({ backchannelLogoutUri: URI, ...fields });
    applications.set(created.id, created);
    return created;
  }

  async function session(
    its: readonly { readonly id: string }[],
    of: { readonly tenantId: string | undefined; readonly accountId: string } = account,
  ): Promise<string> {
    const sessionId = newId();
    live.add(sessionId);
    await db.transaction(UNLIMITED, async (tx) => {
      for (const { id: applicationId } of its)
        await addSessionApplication(db, tx, { ...of, sessionId, applicationId }, clock.now());
    });
    return sessionId;
  }

  function createJob() {
    const job = createPropagateLogout({
      database: db,
      sessionReader: {
        async ofId({ id }) {
          const isLive = live.has(id);
          looked.push(id);
          await onLook(id);
          return isLive ? ({ session: account } as unknown as LiveSession) : undefined;
        },
      },
      findApplication: async ({ applicationId }) => {
        const found = applications.get(applicationId);
        return found && { application: found as unknown as ClientApplication };
      },
      audit: createAuditLog(db, clock.now, { add: () => undefined, note: () => undefined }),
      clock: clock.now,
      log: pino({ level: 'silent' }),
      onDeliveries: () => undefined,
    } as Parameters<typeof createPropagateLogout>[0]);
    return {
      async run(): Promise<number | undefined> {
        const count = await job.run();
        await job.release();
        return count;
      },
    };
  }

  async function end(sessionId: string): Promise<void> {
    live.delete(sessionId);
    await db.transaction(UNLIMITED, (tx) => noticeEnd(tx, { tenantId: 'acme', id: sessionId }));
  }

  async function delivered(): Promise<readonly string[]> {
    const rows = await db.query<{ payload: string }>('SELECT payload FROM webhook_deliveries');
    return rows.map(({ payload }) => (JSON.parse(payload) as { sid: string }).sid);
  }
  const count = async (table: string) => (await db.query<{ n: number }>(`SELECT COUNT(*) AS n FROM ${table}`))[0]!.n;

  it('reach all applications, also of several batches, once each', async () => {
    const all = Array.from({ length: MANY }, () => application());
    const id = await session(all);
    const other = await session(all.slice(0, 2));
    const job = createJob();
    expect(await job.run()).toBe(0);
    await end(id);
    expect(await job.run()).toBe(MANY);
    expect(await job.run()).toBe(0);
    expect(await delivered()).toEqual(Array<string>(MANY).fill(id));
    expect([await count('webhook_queues'), await count('session_applications')]).toEqual([MANY, 2]);
    const records = await db.query<{ details: string }>(
      "SELECT details FROM audit_records WHERE event = 'logout.propagated'",
    );
    const told = records.map(({ details }) => JSON.parse(details) as { sessionId: string; applications: string });
    expect(told.reduce((sum, { applications: number }) => sum + Number(number), 0)).toBe(MANY);
    expect(looked).not.toContain(other);
  });

  it('are found by several processes at once, and told once', async () => {
    const its = [application(), application()];
    const ids: string[] = [];
    while (ids.length < 5) ids.push(await session(its));
    for (const id of ids) await end(id);
    await Promise.all([createJob().run(), createJob().run(), createJob().run()]);
    await createJob().run();
    expect((await delivered()).toSorted()).toEqual(ids.flatMap((id) => [id, id]).toSorted());
  });

  it('reach nobody by an application that was deleted, or has no URI', async () => {
    const its = [application({ backchannelLogoutUri: undefined }), { id: newId() }];
    await end(await session(its));
    expect(await createJob().run()).toBe(2);
    expect([await delivered(), await count('session_applications'), await count('webhook_queues')]).toEqual([[], 0, 0]);
  });

  it('reach applications for all tenants, and those of accounts without a tenant', async () => {
    const shared = application({ tenantId: undefined });
    const ofRoot = await session([shared], { tenantId: undefined, accountId: account.accountId });
    live.clear();
    clock.advance(CHECK_INTERVAL_MS);
    expect(await createJob().run()).toBe(1);
    expect(await delivered()).toEqual([ofRoot]);
  });

  it('are found within five minutes if nothing notices them', async () => {
    const id = await session([application()]);
    const other = await session([application()]);
    const job = createJob();
    for (let minute = 0; minute < 20; minute += 1) {
      clock.advance(60_000);
      await job.run();
    }
    // Each session is looked at as rarely as that allows.
    expect(looked.filter((one) => one === other)).toHaveLength(5);
    live.delete(id);
    clock.advance(CHECK_INTERVAL_MS);
    expect([await job.run(), await delivered()]).toEqual([1, [id]]);
  });

  it('are not missed if they come while the session is looked at', async () => {
    const id = await session([application()]);
    clock.advance(CHECK_INTERVAL_MS);
    onLook = async () => {
      onLook = async () => undefined;
      await end(id);
    };
    await createJob().run();
    expect(await delivered()).toEqual([id]);
  });

  const revocations = () => createRevocations({ database: db, clock: clock.now, tokenLifetimeMs: 900_000 });

  it.each([
    [
      'an account',
      () => db.transaction(UNLIMITED, (tx) => revocations().setStopped(tx, 'account', account.accountId, true)),
    ],
    [
      'all sessions of an account',
      () =>
        db.transaction(UNLIMITED, (tx) =>
          revocations().revokeSessions(tx, { tenantId: 'acme', id: account.accountId }, newId()),
        ),
    ],
    ['a tenant', () => db.transaction(UNLIMITED, (tx) => revocations().setStopped(tx, 'tenant', 'acme', true))],
  ])('are found by the revocation of %s, and other sessions are not looked at', async (_, revoke) => {
    const its = [application(), application()];
    const ids: string[] = [];
    while (ids.length < 120) ids.push(await session(its));
    const other = await session(its, { tenantId: 'globex', accountId: newId() });
    const job = createJob();
    expect(await job.run()).toBe(0);
    const [kept, ...ended] = ids as [string, ...string[]];
    for (const id of ended) live.delete(id);
    await revoke();
    expect(await job.run()).toBe(2 * ended.length);
    expect(new Set(await delivered())).toEqual(new Set(ended));
    // One that lives is looked at once for each revocation.
    expect([await job.run(), looked.filter((id) => id === kept).length]).toEqual([0, 1]);
    expect(looked).not.toContain(other);
  });

  it('are found by a process that starts after the revocation', async () => {
    const id = await session([application()]);
    live.delete(id);
    await db.transaction(UNLIMITED, (tx) => revocations().setStopped(tx, 'account', account.accountId, true));
    expect([await createJob().run(), await delivered()]).toEqual([1, [id]]);
  });

  it('change nothing of a session that lives: it keeps its applications', async () => {
    const id = await session([application()]);
    await db.execute('UPDATE session_applications SET check_at = 1 WHERE session_id = ?', [idToBytes(id)]);
    expect(await createJob().run()).toBe(0);
    expect([await count('session_applications'), await delivered()]).toEqual([1, []]);
  });
});
