// Concurrent refreshes of different sessions. On MySQL and MariaDB they share a statement.
import { randomBytes } from 'node:crypto';
import { createConnection } from 'mysql2/promise';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { UNLIMITED } from '../../src/platform/clock.ts';
import { connectDatabase } from '../../src/platform/db/connect.ts';
import { isOutcomeUnknown, rolledBack, unavailable, withUnknownOutcome } from '../../src/platform/db/errors.ts';
import { idToBytes, newId } from '../../src/platform/db/ids.ts';
import type { Database, SqlValue } from '../../src/platform/db/types.ts';
import { DependencyUnavailableError } from '../../src/platform/errors.ts';
import type { Session } from '../../src/auth/session/session.ts';
import { createTestDatabase, ENGINES, SERVER_ENGINE, type TestDatabase } from '../support/databases.ts';
import { inMs } from '../support/deadlines.ts';
import { eventually } from '../support/eventually.ts';
import { ROUNDS } from '../support/rounds.ts';
import { createSessionStores } from '../support/sessions.ts';

type Stores = ReturnType<typeof createSessionStores>;

const NOW = 1_800_000_000_000;
const HOUR_MS = 3_600_000;
const SHARED = 'UPDATE (';

async function insertSession(database: Database, changes: Partial<Session> = {}): Promise<Session> {
  const session: Session = {
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
    authTime: NOW,
    methods: ['pwd'],
    ...changes,
  };
  await createSessionStores(database).insert(database, session, { address: '127.0.0.1' }, UNLIMITED);
  const { origin, revokedAt, id } = session;
  await database.execute('UPDATE session_families SET origin = ?, revoked_at = ? WHERE id = ?', [
    origin === undefined ? null : Buffer.from(origin),
    revokedAt ?? null,
    idToBytes(id),
  ]);
  return session;
}

const insertSessions = (database: Database, count: number) =>
  Promise.all(Array.from({ length: count }, () => insertSession(database)));

/** The next generation of a session, with values that no other one has. */
function nextOf(session: Session, index: number, origin?: string) {
  return {
    next: { selector: session.selector, generation: session.generation + 1, verifierHash: randomBytes(32) },
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

const afterAdvance = (session: Session, { next, rotation }: Next): Session => ({
  ...session,
  generation: next.generation,
  verifierHash: next.verifierHash,
  rotationBatch: rotation.batch,
  origin: session.origin ?? rotation.origin,
  refreshedAt: rotation.now,
  expiresAt: rotation.expiresAt,
  accessExpiresAt: Math.max(session.accessExpiresAt, rotation.accessExpiresAt),
});

const advance = (store: Stores, session: Session, { next, rotation }: Next, deadline = inMs(60_000)) =>
  store.advance(session, next, rotation, deadline);

/** Advances sessions at once. Returns the outcomes in their order. */
const advanceAll = (store: Stores, sessions: readonly Session[], nexts: readonly Next[]) =>
  Promise.allSettled(sessions.map((session, index) => advance(store, session, nexts[index]!)));

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

  const storedOf = (sessions: readonly Session[]) =>
    Promise.all(sessions.map(({ selector }) => store.findBySelector(selector)));

  it('advance each session with its own values, also sessions without a tenant or with the longest id of one', async () => {
    const sessions = [
      ...(await insertSessions(test.database, 99)),
      await insertSession(test.database, { tenantId: undefined }),
      await insertSession(test.database, { tenantId: 'a'.repeat(63) }),
    ];
    const nexts = sessions.map((session, index) => nextOf(session, index));
    expect(await advanceAll(store, sessions, nexts)).toEqual(sessions.map(() => won));
    expect(await storedOf(sessions)).toEqual(sessions.map((session, index) => afterAdvance(session, nexts[index]!)));
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
      Session,
      Session,
      Session,
      Session,
      Session,
      Session,
    ];
    const sessions = [
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
    const nexts = sessions.map((session, index) =>
      nextOf(session, index, session === bound ? 'https://b.test' : undefined),
    );
    expect(await advanceAll(store, sessions, nexts)).toEqual(
      sessions.map((session) => (valid.includes(session) ? won : lost)),
    );
    expect(await storedOf(stored)).toEqual(stored);
    expect(await storedOf(valid)).toEqual([0, 3, 8].map((index) => afterAdvance(sessions[index]!, nexts[index]!)));
  });

  it('assign a session without an origin to that of its request', async () => {
    const sessions = [
      ...(await insertSessions(test.database, 2)),
      await insertSession(test.database, { origin: 'https://a.test' }),
    ];
    const nexts = sessions.map((session, index) => nextOf(session, index, 'https://a.test'));
    expect(await advanceAll(store, sessions, nexts)).toEqual(sessions.map(() => won));
    expect(await storedOf(sessions)).toEqual(sessions.map((session, index) => afterAdvance(session, nexts[index]!)));
  });

  it('have one winner for each session', async () => {
    const sessions = await insertSessions(test.database, 3);
    const attempts = [0, 1, 2, 3].flatMap(() => sessions);
    const nexts = attempts.map((session, index) => nextOf(session, index));
    const outcomes = await advanceAll(store, attempts, nexts);
    for (const [index, session] of sessions.entries()) {
      const wins = outcomes.flatMap((outcome, at) =>
        attempts[at] === session && outcome.status === 'fulfilled' && outcome.value ? [nexts[at]!] : [],
      );
      expect(wins).toHaveLength(1);
      expect((await storedOf([session]))[0]).toEqual(afterAdvance(session, wins[0]!));
      expect(outcomes[index]!.status).toBe('fulfilled');
    }
  });

  it('have one winner for each session among two processes', async () => {
    const other = connectDatabase({ url: test.url, poolSize: 10, log: pino({ level: 'silent' }) });
    try {
      const stores = [store, createSessionStores(other)];
      let sessions = await insertSessions(test.database, 40);
      for (let round = 0; round < ROUNDS; round += 1) {
        const attempts = await Promise.all(
          stores.map(async (one) => {
            const nexts = sessions.map((session, index) => nextOf(session, index));
            return { nexts, outcomes: await advanceAll(one, sessions, nexts) };
          }),
        );
        const after = sessions.map((session, index) => {
          const wins = attempts.flatMap(({ nexts, outcomes }) => {
            const outcome = outcomes[index]!;
            return outcome.status === 'fulfilled' && outcome.value ? [nexts[index]!] : [];
          });
          expect(wins).toHaveLength(1);
          return afterAdvance(session, wins[0]!);
        });
        expect(await storedOf(sessions)).toEqual(after);
        sessions = after;
      }
    } finally {
      await other.close();
    }
  });

  it('win again if the same generation and verifier are written again, and lose after another one', async () => {
    const sessions = await insertSessions(test.database, 4);
    const nexts = sessions.map((session, index) => nextOf(session, index));
    await advanceAll(store, sessions, nexts);
    const others = sessions.map((session, index) => nextOf(session, index));
    expect(await advanceAll(store, sessions, others)).toEqual(sessions.map(() => lost));
    expect(await storedOf(sessions)).toEqual(sessions.map((session, index) => afterAdvance(session, nexts[index]!)));
  });

  it('do nothing after their own deadline only', async () => {
    const sessions = await insertSessions(test.database, 4);
    const nexts = sessions.map((session, index) => nextOf(session, index));
    const deadlines = [inMs(60_000), inMs(-1_000), inMs(60_000), inMs(-1_000)];
    const outcomes = sessions.map((session, index) => advance(store, session, nexts[index]!, deadlines[index]));
    expect(await Promise.all(outcomes)).toEqual([true, false, true, false]);
    expect((await storedOf(sessions)).map((session) => session!.generation)).toEqual([2, 1, 2, 1]);
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

  const generationsOf = async (sessions: readonly Session[]) => {
    const store = createSessionStores(test.database);
    return Promise.all(sessions.map(async ({ selector }) => (await store.findBySelector(selector))!.generation));
  };
  const nextsOf = (sessions: readonly Session[]) => sessions.map((session, index) => nextOf(session, index));

  it('takes the place of their own statements', async () => {
    const { store, statements } = createObserved();
    const sessions = await insertSessions(test.database, 64);
    statements.length = 0;
    await advanceAll(store, sessions, nextsOf(sessions));
    expect(statements).toEqual([SHARED]);
  });

  it('is not used for a single refresh', async () => {
    const { store, statements } = createObserved();
    const [session] = await insertSessions(test.database, 1);
    statements.length = 0;
    expect(await advance(store, session!, nextOf(session!, 0))).toBe(true);
    expect(statements).toHaveLength(1);
    expect(statements).not.toContain(SHARED);
  });

  it('is replaced by single ones if the server refuses it', async () => {
    const { store, statements } = createObserved(async () => {
      throw withUnknownOutcome(rolledBack('refused'));
    });
    const sessions = await insertSessions(test.database, 3);
    sessions.push({ ...(await insertSession(test.database)), generation: 7 });
    expect(await advanceAll(store, sessions, nextsOf(sessions))).toEqual([won, won, won, lost]);
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
      const sessions = await insertSessions(test.database, 2);
      sessions.push({ ...(await insertSession(test.database)), generation: 7 });
      const outcomes = await advanceAll(store, sessions, nextsOf(sessions));
      for (const outcome of outcomes) {
        expect(outcome).toMatchObject({ status: 'rejected', reason: expect.any(DependencyUnavailableError) });
        expect(isOutcomeUnknown((outcome as PromiseRejectedResult).reason)).toBe(true);
      }
      expect(await generationsOf(sessions)).toEqual(generations);
    }
  });

  it('finds its winners if a session is revoked or deleted before the rows are read', async () => {
    const sessions = await insertSessions(test.database, 3);
    const [revoked, deleted] = sessions as [Session, Session];
    const { store } = createObserved(async (run) => {
      const changed = await run();
      await test.database.execute('UPDATE session_families SET revoked_at = 1 WHERE id = ?', [idToBytes(revoked.id)]);
      await test.database.execute('DELETE FROM session_families WHERE id = ?', [idToBytes(deleted.id)]);
      return changed;
    });
    sessions[2] = { ...sessions[2]!, generation: 7 };
    expect(await advanceAll(store, sessions, nextsOf(sessions))).toEqual([won, lost, lost]);
  });

  /** Locks sessions during some work, each by another transaction. */
  async function whileLocked(sessions: readonly Session[], work: () => Promise<void>): Promise<void> {
    const others = await Promise.all(sessions.map(() => createConnection({ uri: test.url })));
    try {
      for (const [index, other] of others.entries()) {
        await other.query('START TRANSACTION');
        const id = idToBytes(sessions[index]!.id);
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
    const sessions = await insertSessions(test.database, 8);
    const [patient, late, ...free] = sessions as [Session, Session, ...Session[]];
    let waiting: Promise<unknown> | undefined;
    await whileLocked([patient, late], async () => {
      const short = inMs(300);
      waiting = Promise.all([
        advance(store, patient, nextOf(patient, 0)),
        advance(store, late, nextOf(late, 1), short),
      ]);
      expect(await advanceAll(store, free, nextsOf(free))).toEqual(free.map(() => won));
      expect(statements.filter((sql) => sql === SHARED)).toHaveLength(1);
      const { beforeDeadline, deadlineValue, query } = test.database;
      await eventually(async () =>
        expect(await query(`SELECT 1 AS one FROM dual WHERE ${beforeDeadline}`, [deadlineValue(short)])).toEqual([]),
      );
    });
    expect(await waiting).toEqual([true, false]);
    expect(await generationsOf([patient, late])).toEqual([2, 1]);
  });

  it('locks no row while it waits for another one', async () => {
    const { store } = createObserved();
    const sessions = await insertSessions(test.database, 5);
    const [first, second, third] = sessions as [Session, Session, Session];
    let outcomes: Promise<unknown> | undefined;
    await whileLocked([second, third], async () => {
      outcomes = advanceAll(store, sessions, nextsOf(sessions));
      await eventually(async () => expect(await generationsOf([first])).toEqual([2]));
      const other = await createConnection({ uri: test.url });
      await other.query('SET SESSION innodb_lock_wait_timeout = 1');
      await other.execute('UPDATE session_families SET revoked_at = 1 WHERE id = ?', [idToBytes(first.id)]);
      await other.end();
    });
    expect(await outcomes).toEqual(sessions.map(() => won));
  });
});
