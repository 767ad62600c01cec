// Concurrent refreshes of different sessions. On MySQL and MariaDB they share a statement.
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { createConnection } from 'mysql2/promise';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { UNLIMITED, type Deadline } from '../../src/platform/clock.ts';
import { connectDatabase } from '../../src/platform/db/connect.ts';
import { isOutcomeUnknown, rolledBack, unavailable, withUnknownOutcome } from '../../src/platform/db/errors.ts';
import { idToBytes, newId } from '../../src/platform/db/ids.ts';
import type { Database, SqlValue } from '../../src/platform/db/types.ts';
import { DependencyUnavailableError } from '../../src/platform/errors.ts';
import type { SessionFamily } from '../../src/auth/session/session-family.ts';
import { createTestDatabase, ENGINES, SERVER_ENGINE, type TestDatabase } from '../support/databases.ts';
import { createSessionStores } from '../support/sessions.ts';

type Stores = ReturnType<typeof createSessionStores>;

const NOW = 1_800_000_000_000;
const HOUR_MS = 3_600_000;
const SHARED = 'UPDATE (';

const inMs = (ms: number): Deadline => ({ at: Date.now() + ms, signal: new AbortController().signal });

async function insertSession(database: Database, changes: Partial<SessionFamily> = {}): Promise<SessionFamily> {
  const family: SessionFamily = {
    id: newId(),
    tenantId: 'acme',
    accountId: newId(),
    transport: 'COOKIE',
    selector: randomBytes(16),
    generation: 1,
    verifierHash: randomBytes(32),
    rotationBatch: undefined,
    origin: undefined,
    rememberMe: true,
    createdAt: NOW,
    refreshedAt: NOW,
    expiresAt: NOW + HOUR_MS,
    absoluteExpiresAt: undefined,
    accessExpiresAt: NOW + HOUR_MS,
    revokedAt: undefined,
    ...changes,
  };
  await createSessionStores(database).insert(database, family, '127.0.0.1', UNLIMITED);
  const { origin, revokedAt, id } = family;
  await database.execute('UPDATE session_families SET origin = ?, revoked_at = ? WHERE id = ?', [
    origin === undefined ? null : Buffer.from(origin),
    revokedAt ?? null,
    idToBytes(id),
  ]);
  return family;
}

const insertSessions = (database: Database, count: number) =>
  Promise.all(Array.from({ length: count }, () => insertSession(database)));

/** The next generation of a session, with values that no other one has. */
function nextOf(family: SessionFamily, index: number, origin?: string) {
  return {
    next: { selector: family.selector, generation: family.generation + 1, verifierHash: randomBytes(32) },
    rotation: {
      batch: newId(),
      origin,
      now: NOW + index,
      expiresAt: NOW + HOUR_MS + index,
      // Of every second one, the last access token expires earlier than that of the generation before.
      accessExpiresAt: NOW + HOUR_MS + (index % 2 === 0 ? index : -index),
    },
  };
}

type Next = ReturnType<typeof nextOf>;

const afterAdvance = (family: SessionFamily, { next, rotation }: Next): SessionFamily => ({
  ...family,
  generation: next.generation,
  verifierHash: next.verifierHash,
  rotationBatch: rotation.batch,
  origin: family.origin ?? rotation.origin,
  refreshedAt: rotation.now,
  expiresAt: rotation.expiresAt,
  accessExpiresAt: Math.max(family.accessExpiresAt, rotation.accessExpiresAt),
});

const advance = (store: Stores, family: SessionFamily, { next, rotation }: Next, deadline = inMs(4_000)) =>
  store.advance(family, next, rotation, deadline);

/** Advances sessions at once. Returns the outcomes in their order. */
const advanceAll = (store: Stores, families: readonly SessionFamily[], nexts: readonly Next[]) =>
  Promise.allSettled(families.map((family, index) => advance(store, family, nexts[index]!)));

const won = { status: 'fulfilled', value: true };
const lost = { status: 'fulfilled', value: false };

describe.each(ENGINES)('refreshes at the same moment on %s', (engine) => {
  let test: TestDatabase;
  let store: Stores;
  beforeAll(async () => {
    test = await createTestDatabase(engine);
    store = createSessionStores(test.database);
  });
  afterAll(() => test.drop());

  const storedOf = (families: readonly SessionFamily[]) =>
    Promise.all(families.map(({ selector }) => store.findBySelector(selector)));

  it('advance each session with its own values, also sessions without a tenant or with the longest id of one', async () => {
    const families = [
      ...(await insertSessions(test.database, 99)),
      await insertSession(test.database, { tenantId: undefined }),
      await insertSession(test.database, { tenantId: 'a'.repeat(63) }),
    ];
    const nexts = families.map((family, index) => nextOf(family, index));
    expect(await advanceAll(store, families, nexts)).toEqual(families.map(() => won));
    expect(await storedOf(families)).toEqual(families.map((family, index) => afterAdvance(family, nexts[index]!)));
  });

  it('do not advance sessions that have changed, are revoked, have expired or belong to others', async () => {
    const { database } = test;
    const valid = await insertSessions(database, 3);
    const stored = [
      await insertSession(database),
      await insertSession(database),
      await insertSession(database, { revokedAt: NOW - 1 }),
      await insertSession(database, { expiresAt: NOW }),
      await insertSession(database),
      await insertSession(database, { origin: 'https://a.test' }),
    ];
    const [changed, replaced, revoked, expired, foreign, bound] = stored as [
      SessionFamily,
      SessionFamily,
      SessionFamily,
      SessionFamily,
      SessionFamily,
      SessionFamily,
    ];
    const families = [
      valid[0]!,
      { ...changed, generation: 2 },
      { ...replaced, verifierHash: randomBytes(32) },
      valid[1]!,
      revoked,
      expired,
      { ...foreign, tenantId: 'other' },
      bound,
      valid[2]!,
    ];
    const nexts = families.map((family, index) =>
      nextOf(family, index, family === bound ? 'https://b.test' : undefined),
    );
    expect(await advanceAll(store, families, nexts)).toEqual(
      families.map((family) => (valid.includes(family) ? won : lost)),
    );
    expect(await storedOf(stored)).toEqual(stored);
    expect(await storedOf(valid)).toEqual([0, 3, 8].map((index) => afterAdvance(families[index]!, nexts[index]!)));
  });

  it('assign a session without an origin to that of its request', async () => {
    const families = [
      ...(await insertSessions(test.database, 2)),
      await insertSession(test.database, { origin: 'https://a.test' }),
    ];
    const nexts = families.map((family, index) => nextOf(family, index, 'https://a.test'));
    expect(await advanceAll(store, families, nexts)).toEqual(families.map(() => won));
    expect(await storedOf(families)).toEqual(families.map((family, index) => afterAdvance(family, nexts[index]!)));
  });

  it('have one winner for each session', async () => {
    const families = await insertSessions(test.database, 3);
    const attempts = [0, 1, 2, 3].flatMap(() => families);
    const nexts = attempts.map((family, index) => nextOf(family, index));
    const outcomes = await advanceAll(store, attempts, nexts);
    for (const [index, family] of families.entries()) {
      const wins = outcomes.flatMap((outcome, at) =>
        attempts[at] === family && outcome.status === 'fulfilled' && outcome.value ? [nexts[at]!] : [],
      );
      expect(wins).toHaveLength(1);
      expect((await storedOf([family]))[0]).toEqual(afterAdvance(family, wins[0]!));
      expect(outcomes[index]!.status).toBe('fulfilled');
    }
  });

  it('have one winner for each session among two processes', async () => {
    const other = connectDatabase({ url: test.url, poolSize: 10, log: pino({ level: 'silent' }) });
    try {
      const stores = [store, createSessionStores(other)];
      let families = await insertSessions(test.database, 40);
      for (let round = 0; round < 10; round += 1) {
        const attempts = await Promise.all(
          stores.map(async (one) => {
            const nexts = families.map((family, index) => nextOf(family, index));
            return { nexts, outcomes: await advanceAll(one, families, nexts) };
          }),
        );
        const after = families.map((family, index) => {
          const wins = attempts.flatMap(({ nexts, outcomes }) => {
            const outcome = outcomes[index]!;
            return outcome.status === 'fulfilled' && outcome.value ? [nexts[index]!] : [];
          });
          expect(wins).toHaveLength(1);
          return afterAdvance(family, wins[0]!);
        });
        expect(await storedOf(families)).toEqual(after);
        families = after;
      }
    } finally {
      await other.close();
    }
  });

  it('win again if the same generation and verifier are written again, and lose after another one', async () => {
    const families = await insertSessions(test.database, 4);
    const nexts = families.map((family, index) => nextOf(family, index));
    await advanceAll(store, families, nexts);
    const others = families.map((family, index) => nextOf(family, index));
    expect(await advanceAll(store, families, others)).toEqual(families.map(() => lost));
    expect(await storedOf(families)).toEqual(families.map((family, index) => afterAdvance(family, nexts[index]!)));
  });

  it('do nothing after their own deadline only', async () => {
    const families = await insertSessions(test.database, 4);
    const nexts = families.map((family, index) => nextOf(family, index));
    const deadlines = [inMs(4_000), inMs(-1_000), inMs(60_000), inMs(-1_000)];
    const outcomes = families.map((family, index) => advance(store, family, nexts[index]!, deadlines[index]));
    expect(await Promise.all(outcomes)).toEqual([true, false, true, false]);
    expect((await storedOf(families)).map((family) => family!.generation)).toEqual([2, 1, 2, 1]);
  });
});

describe(`a statement of several refreshes on ${SERVER_ENGINE}`, () => {
  let test: TestDatabase;
  beforeAll(async () => {
    test = await createTestDatabase(SERVER_ENGINE);
  });
  afterAll(() => test.drop());

  type Execute = Database['execute'];

  /** A store whose statements are observed. Refreshes that begin in one turn of the event loop share a statement. */
  function createObserved(shared: (run: () => Promise<number>) => Promise<number> = (run) => run()) {
    const statements: string[] = [];
    const execute: Execute = async (sql, values) => {
      statements.push(sql.slice(0, SHARED.length));
      const run = () => test.database.execute(sql, values);
      return sql.startsWith(SHARED) ? shared(run) : run();
    };
    const query = async <R>(sql: string, values?: readonly SqlValue[]) => {
      if (failing.reads) throw failing.reads;
      return test.database.query<R>(sql, values);
    };
    const failing: { reads?: Error } = {};
    return { store: createSessionStores({ ...test.database, execute, query }), statements, failing };
  }

  const generationsOf = async (families: readonly SessionFamily[]) => {
    const store = createSessionStores(test.database);
    return Promise.all(families.map(async ({ selector }) => (await store.findBySelector(selector))!.generation));
  };
  const nextsOf = (families: readonly SessionFamily[]) => families.map((family, index) => nextOf(family, index));

  it('takes the place of their own statements', async () => {
    const { store, statements } = createObserved();
    const families = await insertSessions(test.database, 64);
    statements.length = 0;
    await advanceAll(store, families, nextsOf(families));
    expect(statements).toEqual([SHARED]);
  });

  it('is not used for a single refresh', async () => {
    const { store, statements } = createObserved();
    const [family] = await insertSessions(test.database, 1);
    statements.length = 0;
    expect(await advance(store, family!, nextOf(family!, 0))).toBe(true);
    expect(statements).toHaveLength(1);
    expect(statements).not.toContain(SHARED);
  });

  it('is replaced by single ones if the server refuses it', async () => {
    const { store, statements } = createObserved(async () => {
      throw withUnknownOutcome(rolledBack('refused'));
    });
    const families = await insertSessions(test.database, 3);
    families.push({ ...(await insertSession(test.database)), generation: 7 });
    expect(await advanceAll(store, families, nextsOf(families))).toEqual([won, won, won, lost]);
    expect(statements.filter((sql) => sql === SHARED)).toHaveLength(1);
  });

  it('leaves all outcomes unknown if its response or the rows cannot be read', async () => {
    const withoutResponse = createObserved(async (run) => {
      await run();
      throw withUnknownOutcome(unavailable('connection lost'));
    });
    const withoutRows = createObserved();
    withoutRows.failing.reads = rolledBack('deadlock');
    for (const [{ store }, generations] of [
      [withoutResponse, [2, 2, 1]],
      [withoutRows, [2, 2, 1]],
    ] as const) {
      const families = await insertSessions(test.database, 2);
      families.push({ ...(await insertSession(test.database)), generation: 7 });
      const outcomes = await advanceAll(store, families, nextsOf(families));
      for (const outcome of outcomes) {
        expect(outcome).toMatchObject({ status: 'rejected', reason: expect.any(DependencyUnavailableError) });
        expect(isOutcomeUnknown((outcome as PromiseRejectedResult).reason)).toBe(true);
      }
      expect(await generationsOf(families)).toEqual(generations);
    }
  });

  it('finds its winners if a session is revoked or deleted before the rows are read', async () => {
    const families = await insertSessions(test.database, 3);
    const [revoked, deleted] = families as [SessionFamily, SessionFamily];
    const { store } = createObserved(async (run) => {
      const changed = await run();
      await test.database.execute('UPDATE session_families SET revoked_at = 1 WHERE id = ?', [idToBytes(revoked.id)]);
      await test.database.execute('DELETE FROM session_families WHERE id = ?', [idToBytes(deleted.id)]);
      return changed;
    });
    families[2] = { ...families[2]!, generation: 7 };
    expect(await advanceAll(store, families, nextsOf(families))).toEqual([won, lost, lost]);
  });

  /** Locks sessions during some work, each by another transaction. */
  async function whileLocked(families: readonly SessionFamily[], work: () => Promise<void>): Promise<void> {
    const others = await Promise.all(families.map(() => createConnection({ uri: test.url })));
    try {
      for (const [index, other] of others.entries()) {
        await other.query('START TRANSACTION');
        const id = idToBytes(families[index]!.id);
        await other.execute('UPDATE session_families SET remember_me = remember_me WHERE id = ?', [id]);
      }
      await work();
      for (const other of others) await other.query('ROLLBACK');
    } finally {
      for (const other of others) await other.end();
    }
  }

  it('leaves out locked rows: they wait alone, until their own deadlines', async () => {
    const { store, statements } = createObserved();
    const families = await insertSessions(test.database, 8);
    const [patient, late, ...free] = families as [SessionFamily, SessionFamily, ...SessionFamily[]];
    let waiting: Promise<unknown> | undefined;
    await whileLocked([patient, late], async () => {
      const short = inMs(300);
      waiting = Promise.all([
        advance(store, patient, nextOf(patient, 0)),
        advance(store, late, nextOf(late, 1), short),
      ]);
      expect(await advanceAll(store, free, nextsOf(free))).toEqual(free.map(() => won));
      expect(statements.filter((sql) => sql === SHARED)).toHaveLength(1);
      await sleep(short.at - Date.now() + 100);
    });
    expect(await waiting).toEqual([true, false]);
    expect(await generationsOf([patient, late])).toEqual([2, 1]);
  });

  it('locks no row while it waits for another one', async () => {
    const { store } = createObserved();
    const families = await insertSessions(test.database, 5);
    const [first, second, third] = families as [SessionFamily, SessionFamily, SessionFamily];
    let outcomes: Promise<unknown> | undefined;
    await whileLocked([second, third], async () => {
      outcomes = advanceAll(store, families, nextsOf(families));
      await vi.waitFor(async () => expect(await generationsOf([first])).toEqual([2]));
      const other = await createConnection({ uri: test.url });
      await other.query('SET SESSION innodb_lock_wait_timeout = 1');
      await other.execute('UPDATE session_families SET revoked_at = 1 WHERE id = ?', [idToBytes(first.id)]);
      await other.end();
    });
    expect(await outcomes).toEqual(families.map(() => won));
  });
});
