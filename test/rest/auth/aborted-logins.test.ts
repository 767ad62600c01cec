// An evaluated password is counted and audited after its caller has disconnected, and blocks no other attempt.
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { IdentityServiceService } from '../../../proto/gen/authservice/identity/v1/identity_service.ts';
import { idToBytes } from '../../../src/platform/db/ids.ts';
import type { Account } from '../../../src/auth/access/account.ts';
import { newAttemptSlot } from '../../../src/auth/identity/authentication/account-lock.ts';
import { PASSWORD, seedAccount } from '../../support/accounts.ts';
import { holdVerifications, rememberPasswords, type Barrier } from '../../support/argon2.ts';
import { createTestDatabase } from '../../support/databases.ts';
import { deploy, DIAGONAL, type Deployment } from '../../support/deployment.ts';
import { eventually } from '../../support/eventually.ts';
import { problem } from '../../support/problems.ts';
import { restClient, type RestClient } from '../../support/rest-client.ts';
import { seedSession } from '../../support/sessions.ts';

const LOGIN = '/api/v1/auth/login';
const WRONG = problem(401, 'bad-credentials', LOGIN);
const LOCKED = problem(423, 'account-locked', LOGIN);
const NEW_PASSWORD = 'Another long password';
const PATIENCE = { timeout: 10_000 };
const SLOTS = { 'app.security.password.max-concurrent-hashes': '16' };

rememberPasswords();

describe.each(DIAGONAL)('$engine, $transport', ({ engine, transport }) => {
  let deployment: Deployment;
  let rest: RestClient;
  let barrier: Barrier | undefined;

  beforeAll(async () => {
    deployment = await deploy({ engine, transport, settings: SLOTS, isPatient: true });
    rest = restClient(deployment.url);
  });
  afterAll(() => deployment?.close());
  afterEach(() => barrier?.lift());

  const identity = () => deployment.client(IdentityServiceService);
  const wrong = (username: string) => rest.login({ username, password: 'wrong' });
  const right = (username: string) => rest.login({ username, password: PASSWORD });

  async function stateOf({ id }: Account) {
    const [row] = await deployment.database.query<{ count: number; locked: number | null; slots: string }>(
      'SELECT login_failed_count AS count, locked_until AS locked, attempt_slots AS slots FROM accounts WHERE id = ?',
      [idToBytes(id)],
    );
    const { count, locked, slots } = row!;
    return { count, isLocked: locked !== null, slots };
  }

  /** Leaves as many slots behind as a process that dies now. */
  async function setSlots({ id }: Account, count: number) {
    const slots = Array.from({ length: count }, () => newAttemptSlot(deployment.clock.now())).join('');
    await deployment.database.execute('UPDATE accounts SET attempt_slots = ? WHERE id = ?', [slots, idToBytes(id)]);
  }

  async function eventsOf({ id }: Account) {
    const rows = await deployment.database.query<{ event: string; details: string }>(
      'SELECT event, details FROM audit_records WHERE account_id = ? ORDER BY id',
      [idToBytes(id)],
    );
    return rows.map(({ event, details }) =>
      `${event} ${(JSON.parse(details) as { reason?: string }).reason ?? ''}`.trim(),
    );
  }

  /** Returns the number of calls whose callers were gone, as the core has learnt. */
  async function cancelledCalls(): Promise<number> {
    const counts = (await deployment.metrics()).matchAll(
      /^rpc_duration_seconds_count\{.*reason="CANCELLED".*\} (\d+)$/gm,
    );
    return [...counts].reduce((sum, [, count]) => sum + Number(count), 0);
  }

  const queuedHashes = () =>
    deployment.core.metrics.find(({ name }) => name === 'password_hashes_queued')!.read()[0]!.value;

  /** Begins calls, cuts them off while their passwords are being evaluated, and lets the evaluation end. */
  async function cutOff(calls: readonly ((signal: AbortSignal) => Promise<unknown>)[]) {
    barrier = holdVerifications();
    const caller = new AbortController();
    const ended = calls.map((call) =>
      call(caller.signal).then(
        () => 'answered',
        () => 'cut off',
      ),
    );
    await barrier.reached(calls.length);
    const cancelled = await cancelledCalls();
    caller.abort();
    expect(await Promise.all(ended)).toEqual(calls.map(() => 'cut off'));
    await eventually(async () => expect(await cancelledCalls()).toBe(cancelled + calls.length));
    barrier.lift();
  }

  const loginCall =
    (username: string, password: string, url = deployment.url) =>
    (signal: AbortSignal) =>
      fetch(`${url}${LOGIN}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ username, password }),
        signal,
      });

  it('counts and audits wrong passwords of disconnected callers, and locks', async () => {
    const account = await seedAccount(deployment.database);
    await cutOff(Array.from({ length: 5 }, () => loginCall(account.username, 'wrong')));
    await expect.poll(() => stateOf(account), PATIENCE).toEqual({ count: 5, isLocked: true, slots: '' });
    expect((await eventsOf(account)).toSorted()).toEqual([
      'account.locked',
      ...Array<string>(5).fill('login.failed BAD_CREDENTIALS'),
    ]);
    expect(await right(account.username)).toEqual(LOCKED);
  });

  it('frees the slots of disconnected callers below the limit', async () => {
    const account = await seedAccount(deployment.database);
    await cutOff(Array.from({ length: 4 }, () => loginCall(account.username, 'wrong')));
    await expect.poll(() => stateOf(account), PATIENCE).toEqual({ count: 4, isLocked: false, slots: '' });
    expect((await right(account.username)).status).toBe(200);
  });

  it('opens no session for a correct password of a disconnected caller, but resets the count and audits it', async () => {
    const account = await seedAccount(deployment.database, { loginFailedCount: 3 });
    await cutOff([loginCall(account.username, PASSWORD), loginCall(account.username, PASSWORD)]);
    await expect.poll(() => stateOf(account), PATIENCE).toEqual({ count: 0, isLocked: false, slots: '' });
    expect(await eventsOf(account)).toEqual(Array<string>(2).fill('login.aborted CANCELLED'));
    const sessions = await deployment.database.query('SELECT id FROM session_families WHERE account_id = ?', [
      idToBytes(account.id),
    ]);
    expect(sessions).toEqual([]);
  });

  it('evaluates at most 5 wrong passwords, however many callers disconnect', async () => {
    const account = await seedAccount(deployment.database);
    barrier = holdVerifications();
    const caller = new AbortController();
    const ended = Array.from({ length: 30 }, () =>
      loginCall(account.username, 'wrong')(caller.signal).catch(() => undefined),
    );
    await barrier.reached(5);
    caller.abort();
    await Promise.all(ended);
    const next = wrong(account.username);
    const ofAnother = wrong((await seedAccount(deployment.database)).username);
    await barrier.reached(6);
    expect(barrier.count()).toBe(6);
    barrier.lift();
    expect(await ofAnother).toEqual(WRONG);
    expect(await next).toEqual(LOCKED);
    await expect.poll(() => stateOf(account), PATIENCE).toEqual({ count: 5, isLocked: true, slots: '' });
    const evaluated = (await eventsOf(account)).filter((event) => event === 'login.failed BAD_CREDENTIALS');
    expect(evaluated).toHaveLength(5);
  });

  it('counts wrong current passwords of disconnected callers in a password change', async () => {
    const account = await seedAccount(deployment.database);
    const { accessToken } = await seedSession(deployment, account);
    const change = (currentPassword: string) => (signal: AbortSignal) =>
      identity().changeOwnPassword(
        { currentPassword, newPassword: NEW_PASSWORD },
        { authorization: [`Bearer ${accessToken}`], signal },
      );
    await cutOff([change('wrong'), change('wrong')]);
    await expect.poll(() => stateOf(account), PATIENCE).toEqual({ count: 2, isLocked: false, slots: '' });
    await cutOff([change(PASSWORD)]);
    await expect.poll(() => stateOf(account), PATIENCE).toEqual({ count: 0, isLocked: false, slots: '' });
    expect(await eventsOf(account)).toEqual([
      ...Array<string>(2).fill('login.failed BAD_CREDENTIALS'),
      'login.aborted CANCELLED',
    ]);
    expect((await right(account.username)).status).toBe(200);
  });

  it('drops an attempt if its caller disconnects before the password is evaluated', async () => {
    const account = await seedAccount(deployment.database);
    const others = await Promise.all(Array.from({ length: 8 }, () => seedAccount(deployment.database)));
    barrier = holdVerifications();
    const busy = others.map(({ username }) => wrong(username));
    await barrier.reached(8);
    const caller = new AbortController();
    const waiting = loginCall(account.username, 'wrong')(caller.signal).catch(() => 'cut off');
    await eventually(() => expect(queuedHashes()).toBe(1));
    caller.abort();
    expect(await waiting).toBe('cut off');
    await eventually(() => expect(queuedHashes()).toBe(0));
    barrier.lift();
    for (const response of await Promise.all(busy)) expect(response).toEqual(WRONG);
    expect(await stateOf(account)).toEqual({ count: 0, isLocked: false, slots: '' });
    expect(barrier.count()).toBe(8);
  });

  it('expires the slots of a killed process one by one, however often others log in', async () => {
    const account = await seedAccount(deployment.database);
    await setSlots(account, 4);
    for (let i = 0; i < 3; i += 1) {
      deployment.clock.advance(10_000);
      expect((await right(account.username)).status).toBe(200);
    }
    barrier = holdVerifications();
    const attempts = Array.from({ length: 5 }, () => right(account.username));
    await barrier.reached(5);
    barrier.lift();
    for (const { status } of await Promise.all(attempts)) expect(status).toBe(200);
    expect(await stateOf(account)).toEqual({ count: 0, isLocked: false, slots: '' });
  });

  it('frees the slots of a killed process when the account is unlocked', async () => {
    const account = await seedAccount(deployment.database);
    const root = await seedAccount(deployment.database, { tenantId: undefined, roles: ['SUPER_ADMIN'] });
    const { accessToken } = await seedSession(deployment, root);
    await setSlots(account, 5);
    const { user } = await identity().unlockUser({ userId: account.id }, { authorization: [`Bearer ${accessToken}`] });
    expect(user).toMatchObject({ loginFailedCount: 0 });
    expect(await stateOf(account)).toEqual({ count: 0, isLocked: false, slots: '' });
    expect((await right(account.username)).status).toBe(200);
    expect(await eventsOf(account)).toEqual(['account.unlocked', 'login.succeeded']);
  });

  it('records evaluated passwords before an orderly end', async () => {
    const { url, database, drop } = await createTestDatabase(engine);
    const stopping = await deploy({ engine, transport, settings: SLOTS, databaseUrl: url, isPatient: true });
    try {
      const account = await seedAccount(database);
      barrier = holdVerifications();
      const caller = new AbortController();
      const login = loginCall(account.username, 'wrong', stopping.url)(caller.signal).catch(() => 'cut off');
      await barrier.reached(1);
      caller.abort();
      expect(await login).toBe('cut off');
      let isClosed = false;
      const closed = stopping.close().then(() => (isClosed = true));
      await eventually(() => expect(fetch(stopping.url)).rejects.toThrow('fetch failed'));
      expect(isClosed).toBe(false);
      barrier.lift();
      await closed;
      const rows = await database.query('SELECT login_failed_count, attempt_slots FROM accounts WHERE id = ?', [
        idToBytes(account.id),
      ]);
      expect(rows).toEqual([{ login_failed_count: 1, attempt_slots: '' }]);
    } finally {
      await drop();
    }
  });
});
