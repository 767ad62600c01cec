// The one function of the rotation: what it decides about a presented token, and what it changes.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Deadline } from '../../src/platform/clock.ts';
import { DependencyUnavailableError, ServiceError } from '../../src/platform/errors.ts';
import { createSessionRotation, type SessionRotation } from '../../src/auth/session/rotation/rotate.ts';
import type { RotationMode } from '../../src/auth/session/transport/transport-policy.ts';
import type { Session } from '../../src/auth/session/session.ts';
import { seedAccount } from '../support/accounts.ts';
import { testClock, type TestClock } from '../support/clock.ts';
import { createTestDatabase, ENGINES, type TestDatabase } from '../support/databases.ts';
import { inMs } from '../support/deadlines.ts';
import { eventually } from '../support/eventually.ts';
import { createSessionStores, seedSession } from '../support/sessions.ts';

describe.each(ENGINES)('a presented refresh token on %s', (engine) => {
  let test: TestDatabase;
  let stores: ReturnType<typeof createSessionStores>;
  let clock: TestClock;
  const opened: SessionRotation[] = [];
  beforeAll(async () => {
    test = await createTestDatabase(engine);
    stores = createSessionStores(test.database);
    clock = testClock();
  });
  afterAll(async () => {
    await Promise.all(opened.map((rotation) => rotation.close()));
    await test.drop();
  });

  /** One process of the service. What it runs in the background begins when the gate opens. */
  function createProcess(
    gate = Promise.resolve(),
    sessions: Pick<typeof stores, 'findBySelector'> = stores,
  ): SessionRotation {
    const rotation = createSessionRotation({
      database: test.database,
      sessions,
      retries: { run: (work) => gate.then(work).then(() => true) },
      clock: clock.now,
      tracer: undefined,
    });
    opened.push(rotation);
    return rotation;
  }

  /** Logs in, and presents tokens of generations. The verifier of a generation is its number. */
  async function logIn() {
    const account = await seedAccount(test.database);
    const { cookie } = await seedSession({ database: test.database, clock }, account);
    const selector = Buffer.from(cookie.split('=')[1]!.split('.')[0]!, 'base64url');
    const read = async () => (await stores.findBySelector(selector))!;
    const first = (await read()).verifierHash;
    const token = (generation: number) => ({
      selector,
      generation,
      verifierHash: generation === 1 ? first : Buffer.alloc(32, generation),
    });
    const renewalOf = (session: Session) => ({
      origin: undefined,
      now: clock.now(),
      expiresAt: session.expiresAt + 1,
      accessExpiresAt: session.accessExpiresAt + 1,
    });
    return {
      account,
      read,
      async present(
        { rotate }: SessionRotation,
        generation: number,
        options: {
          readonly mode?: RotationMode;
          readonly session?: Session;
          readonly deadline?: Deadline;
          readonly isEligible?: boolean;
        } = {},
      ) {
        const { mode = 'strict', session = await read(), deadline = inMs(60_000), isEligible = true } = options;
        let renewals = 0;
        const renew = async () => {
          renewals += 1;
          if (!isEligible) return undefined;
          return { next: token(session.generation + 1), renewal: renewalOf(session) };
        };
        const outcome = await rotate({ session, token: token(generation), mode, renew }, deadline);
        return { outcome, renewals };
      },
    };
  }

  it('renews the session if it is the current one', async () => {
    const { present, read } = await logIn();
    const { outcome } = await present(createProcess(), 1);
    expect(outcome).toMatchObject({ kind: 'won', isTokenKept: false, renewed: { next: { generation: 2 } } });
    expect(await read()).toMatchObject({ generation: 2, verifierHash: Buffer.alloc(32, 2) });
  });

  it('is lost if another request has changed the session since it was read', async () => {
    const { present, read } = await logIn();
    const [one, other] = [createProcess(), createProcess()];
    const session = await read();
    await present(one, 1);
    expect(await present(other, 1, { session })).toEqual({ outcome: { kind: 'lost', waited: false }, renewals: 1 });
    expect((await read()).generation).toBe(2);
  });

  it('is refused and changes nothing if the account is refused', async () => {
    const { present, read } = await logIn();
    const before = await read();
    const { outcome } = await present(createProcess(), 1, { isEligible: false });
    expect(outcome).toEqual({ kind: 'refused', cause: 'not eligible' });
    expect(await read()).toEqual(before);
  });

  it('has one winner in one process: the others wait and read again', async () => {
    const { present, read } = await logIn();
    const process = createProcess();
    const session = await read();
    const outcomes = await Promise.all([1, 1, 1].map((generation) => present(process, generation, { session })));
    expect(outcomes.map(({ outcome }) => outcome.kind).toSorted()).toEqual(['lost', 'lost', 'won']);
  });

  it('is refused as a replay with its age if it is an earlier one, and changes nothing', async () => {
    const { present, read } = await logIn();
    const process = createProcess();
    for (const generation of [1, 2, 3]) await present(process, generation);
    const before = await read();
    const replayed = (age: number) => ({ outcome: { kind: 'refused', cause: 'replayed', age }, renewals: 0 });
    expect(await present(process, 3)).toEqual(replayed(1));
    expect(await present(process, 2)).toEqual(replayed(2));
    expect(await present(process, 1)).toEqual(replayed(3));
    expect(await read()).toEqual(before);
  });

  it('stays valid in reusable mode if it is an earlier one, and restarts the idle window', async () => {
    const { present, read } = await logIn();
    const process = createProcess();
    await present(process, 1);
    const before = await read();
    const { outcome } = await present(process, 1, { mode: 'reusable' });
    expect(outcome).toMatchObject({ kind: 'won', isTokenKept: true });
    expect(await read()).toMatchObject({ generation: 2, expiresAt: before.expiresAt + 1 });
    const revoked = { ...before, tenantId: 'other' };
    expect(await present(process, 1, { mode: 'reusable', session: revoked })).toMatchObject({
      outcome: { kind: 'lost' },
    });
  });

  it('is refused if the session is revoked or has expired, or if it was never issued', async () => {
    const { present, read } = await logIn();
    const process = createProcess();
    const session = await read();
    const causeOf = async (generation: number, changes: Partial<Session> = {}) =>
      (await present(process, generation, { session: { ...session, ...changes } })).outcome;
    expect(await causeOf(1, { revokedAt: 1 })).toEqual({ kind: 'refused', cause: 'revoked' });
    expect(await causeOf(1, { expiresAt: clock.now() })).toEqual({ kind: 'refused', cause: 'expired' });
    expect(await causeOf(2)).toEqual({ kind: 'refused', cause: 'unknown' });
    expect(await causeOf(1, { verifierHash: Buffer.alloc(32, 9) })).toEqual({ kind: 'refused', cause: 'unknown' });
    expect(await causeOf(1, { generation: 0 })).toEqual({ kind: 'refused', cause: 'unknown' });
  });

  it('changes nothing if the account is refused', async () => {
    const { read, present } = await logIn();
    const { rotate } = createProcess();
    const session = await read();
    const renew = async () => Promise.reject(new ServiceError('REFRESH_SESSION_INVALID'));
    await expect(rotate({ session, token: session, mode: 'strict', renew }, inMs(60_000))).rejects.toThrow(
      ServiceError,
    );
    expect(await read()).toEqual(session);
    expect((await present(createProcess(), 1)).outcome.kind).toBe('won');
  });

  it('is undecided while the renewal may still be set back, in each process', async () => {
    const { present, read } = await logIn();
    const gate = Promise.withResolvers<void>();
    let reads = 0;
    const findBySelector: typeof stores.findBySelector = (selector) => {
      reads += 1;
      return stores.findBySelector(selector);
    };
    const [own, other] = [createProcess(gate.promise), createProcess(undefined, { findBySelector })];
    const gone = { ...inMs(60_000), isAborted: () => true };
    await expect(present(own, 1, { deadline: gone })).rejects.toThrow(DependencyUnavailableError);
    const session = await read();
    expect(session.generation).toBe(2);
    expect([await own.isUndecided(session), await other.isUndecided(session)]).toEqual([true, true]);
    const replayed = present(other, 1, { session });
    const waiting = present(own, 1, { session });
    let isAnswered = false;
    void Promise.race([replayed, waiting]).finally(() => (isAnswered = true));
    // The other process waits: it reads the session again and again.
    await eventually(() => expect(reads).toBeGreaterThan(2));
    expect(isAnswered).toBe(false);
    gate.resolve();
    expect((await replayed).outcome).toEqual({ kind: 'lost', waited: false });
    expect((await waiting).outcome).toEqual({ kind: 'lost', waited: true });
    expect((await read()).generation).toBe(1);
    expect((await present(own, 1)).outcome.kind).toBe('won');
  });

  it('is a replay at once if it is two generations old, also while the newest one may be set back', async () => {
    const { present } = await logIn();
    const gate = Promise.withResolvers<void>();
    const [own, other] = [createProcess(gate.promise), createProcess()];
    await present(other, 1);
    await expect(present(own, 2, { deadline: { ...inMs(60_000), isAborted: () => true } })).rejects.toThrow('in time');
    const isAborted = () => true;
    const { outcome } = await present(other, 1, { deadline: { ...inMs(60_000), isAborted } });
    expect(outcome).toEqual({ kind: 'refused', cause: 'replayed', age: 2 });
    gate.resolve();
  });
});
