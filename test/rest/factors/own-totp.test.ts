// The TOTP of an account: setup, replacement, deletion, recovery codes, and what they end.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createChallengeStore } from '../../../src/auth/factors/challenge-store.ts';
import { newChallenge } from '../../../src/auth/factors/challenge.ts';
import type { Account } from '../../../src/auth/access/account.ts';
import { idToBytes } from '../../../src/platform/db/ids.ts';
import { UNLIMITED } from '../../../src/platform/clock.ts';
import { seedAccount, type Seed } from '../../support/accounts.ts';
import { callerWith, faults, type Caller } from '../../support/callers.ts';
import { deploy, DIAGONAL, type Deployment } from '../../support/deployment.ts';
import { problem } from '../../support/problems.ts';
import { bearer } from '../../support/rest-client.ts';
import { seedSession } from '../../support/sessions.ts';
import { codeAt, setUpTotp, wrongCode } from '../../support/totp.ts';

const FACTORS = '/account/factors';
const TOTP = `${FACTORS}/totp`;
const CONFIRM = `${TOTP}/confirm`;
const CODES = `${FACTORS}/recovery-codes`;
const CODE = /^[A-Z2-7]{4}(?:-[A-Z2-7]{4}){5}$/;
const STEP_MS = 30_000;
const MINUTE_MS = 60_000;

describe.each(DIAGONAL)('own TOTP ($engine, $transport)', (kind) => {
  let deployment: Deployment;
  beforeAll(async () => {
    deployment = await deploy(kind);
  });
  afterAll(() => deployment?.close());

  const { now, advance } = { now: () => deployment.clock.now(), advance: (ms: number) => deployment.clock.advance(ms) };
  const sessionOf = async (account: Account): Promise<Caller> =>
    callerWith(deployment.url, account, bearer((await seedSession(deployment, account)).accessToken));
  const user = async (seed: Seed = {}) => sessionOf(await seedAccount(deployment.database, seed));
  const create = async (by: Caller): Promise<string> => (await by.post(TOTP)).body.secret;
  const confirm = (by: Caller, totp: string) => by.post(CONFIRM, { totp });
  const refusedBy = (code: string, path: string, status: number) => problem(status, code, `/api/v1${path}`);

  async function eventsOf({ account }: Caller) {
    const events = await deployment.database.query<{ event: string; details: string }>(
      "SELECT event, details FROM audit_records WHERE account_id = ? AND event LIKE 'factor.%' ORDER BY id",
      [idToBytes(account.id)],
    );
    return events.map(({ event, details }) => [event, JSON.parse(details) as object]);
  }

  it('POST returns 201 with a secret and its URI, and changes nothing until the confirmation', async () => {
    const by = await user({ username: 'ann+1@acme.test' });
    const created = await by.post(TOTP);
    expect([created.status, created.headers.get('cache-control')]).toEqual([201, 'no-store']);
    expect(created.body).toEqual({ secret: expect.stringMatching(/^[A-Z2-7]{32}$/), uri: expect.any(String) });
    const uri = new URL(created.body.uri);
    expect([uri.protocol, uri.pathname]).toEqual(['otpauth:', '/my-shop:ann%2B1%40acme.test']);
    expect(Object.fromEntries(uri.searchParams)).toEqual({
      secret: created.body.secret,
      issuer: 'my-shop',
      algorithm: 'SHA1',
      digits: '6',
      period: '30',
    });
    expect((await by.get(FACTORS)).body).toEqual({ required: false });
    expect(await eventsOf(by)).toEqual([]);
  });

  it('POST confirm returns recovery codes with the first factor, and ends all other sessions and open challenges', async () => {
    const by = await user();
    const other = await sessionOf(by.account);
    const challenge = await openChallenge(by.account);
    const secret = await create(by);
    const confirmed = await confirm(by, codeAt(secret, now()));
    expect([confirmed.status, confirmed.headers.get('cache-control')]).toEqual([200, 'no-store']);
    expect(confirmed.body.recoveryCodes).toHaveLength(10);
    for (const code of confirmed.body.recoveryCodes) expect(code).toMatch(CODE);
    expect(new Set(confirmed.body.recoveryCodes).size).toBe(10);
    expect((await other.get('/account/sessions')).status).toBe(401);
    expect(await isOpen(challenge)).toBe(false);
    const at = new Date(now()).toISOString();
    expect((await by.get(FACTORS)).body).toEqual({
      totp: { createdAt: at, lastUsedAt: at },
      recoveryCodes: { remaining: 10, createdAt: at },
      required: false,
    });
    expect(await eventsOf(by)).toEqual([['factor.created', { method: 'totp', sessionsEnded: 1 }]]);
  });

  it('POST confirm adds the factor to the authentication of the session, and makes it fresh', async () => {
    const by = await user();
    const stored = () =>
      deployment.database.query<{ amr: string; auth_time: number | null }>(
        'SELECT amr, auth_time FROM session_families WHERE account_id = ?',
        [idToBytes(by.account.id)],
      );
    expect(await stored()).toEqual([{ amr: 'pwd', auth_time: expect.any(Number) }]);
    advance(5_000);
    await setUpTotp(by, { now });
    expect(await stored()).toEqual([{ amr: 'pwd otp mfa', auth_time: now() }]);
  });

  it('POST confirm returns 401 for a wrong code, 400 for a malformed one, and 409 without a secret or after ten minutes', async () => {
    const by = await user();
    expect(await confirm(by, '123456')).toEqual(refusedBy('conflict', CONFIRM, 409));
    const secret = await create(by);
    expect(await confirm(by, wrongCode(secret, now()))).toEqual(refusedBy('second-factor-invalid', CONFIRM, 401));
    for (const body of [{}, { totp: '' }, { totp: '12345' }, { totp: '1234567' }, { totp: '12345a' }, { totp: 123456 }])
      expect([body, faults(await by.post(CONFIRM, body))]).toEqual([body, ['totp']]);
    advance(10 * MINUTE_MS);
    const late = await sessionOf(by.account);
    expect(await confirm(late, codeAt(secret, now()))).toEqual(refusedBy('conflict', CONFIRM, 409));
    expect((await late.get(FACTORS)).body.totp).toBeUndefined();
  });

  it('POST confirm reads digits of every script, and blanks as people paste them', async () => {
    const arabicIndic = (code: string) =>
      code.replaceAll(/\d/g, (digit) => String.fromCodePoint(0x660 + Number(digit)));
    for (const spell of [arabicIndic, (code: string) => ` ${code.slice(0, 3)}\u00a0${code.slice(3)}\n`]) {
      const by = await user();
      expect((await confirm(by, spell(codeAt(await create(by), now())))).status).toBe(200);
    }
  });

  it('accepts the code of one step before and after, and no other', async () => {
    const by = await user();
    const outcomes = [];
    for (const difference of [-2, 2, -1]) {
      const secret = await create(by);
      outcomes.push((await confirm(by, codeAt(secret, now() + difference * STEP_MS))).status);
    }
    expect(outcomes).toEqual([401, 401, 200]);
  });

  it('a second setup replaces the TOTP only when it is confirmed, and no step is used twice', async () => {
    const by = await user();
    const { secret: first } = await setUpTotp(by, { now });
    const second = await create(by);
    expect(await storedStep(by)).toBe(Math.floor(now() / STEP_MS));
    expect(await confirm(by, codeAt(first, now() + STEP_MS))).toEqual(refusedBy('second-factor-invalid', CONFIRM, 401));
    expect(await confirm(by, codeAt(second, now()))).toEqual(refusedBy('second-factor-invalid', CONFIRM, 401));
    const confirmed = await confirm(by, codeAt(second, now() + STEP_MS));
    expect([confirmed.status, confirmed.body]).toEqual([200, { recoveryCodes: [] }]);
    expect(await confirm(by, codeAt(second, now() + STEP_MS))).toEqual(refusedBy('conflict', CONFIRM, 409));
    expect((await by.get(FACTORS)).body.recoveryCodes.remaining).toBe(10);
  });

  it('one of 20 simultaneous confirmations with the same code succeeds', async () => {
    const by = await user();
    const code = codeAt(await create(by), now());
    const statuses = await Promise.all(Array.from({ length: 20 }, async () => (await confirm(by, code)).status));
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
    expect(new Set(statuses)).toEqual(new Set([200, 409]));
    expect((await by.get(FACTORS)).body.recoveryCodes.remaining).toBe(10);
    expect(await eventsOf(by)).toHaveLength(1);
  });

  it('DELETE returns 204, ends all other sessions, and removes the recovery codes of the last factor; then 404', async () => {
    const by = await user();
    expect(await by.delete(TOTP)).toEqual(refusedBy('not-found', TOTP, 404));
    await setUpTotp(by, { now });
    const other = await sessionOf(by.account);
    const challenge = await openChallenge(by.account);
    const deleted = await by.delete(TOTP);
    expect([deleted.status, deleted.text]).toEqual([204, '']);
    expect((await other.get('/account/sessions')).status).toBe(401);
    expect(await isOpen(challenge)).toBe(false);
    expect((await by.get(FACTORS)).body).toEqual({ required: false });
    expect(await by.delete(TOTP)).toEqual(refusedBy('not-found', TOTP, 404));
    expect((await eventsOf(by)).at(-1)).toEqual(['factor.removed', { method: 'totp', sessionsEnded: 1 }]);
  });

  it('POST recovery-codes replaces all codes and ends open challenges, but no session', async () => {
    const by = await user();
    expect(await by.post(CODES)).toEqual(refusedBy('conflict', CODES, 409));
    const { recoveryCodes } = await setUpTotp(by, { now });
    const other = await sessionOf(by.account);
    const challenge = await openChallenge(by.account);
    advance(1_000);
    const replaced = await by.post(CODES);
    expect([replaced.status, replaced.headers.get('cache-control')]).toEqual([200, 'no-store']);
    expect(replaced.body.recoveryCodes).toHaveLength(10);
    for (const code of replaced.body.recoveryCodes) expect(recoveryCodes).not.toContain(code);
    expect(await isOpen(challenge)).toBe(false);
    expect((await other.get(FACTORS)).body.recoveryCodes).toEqual({
      remaining: 10,
      createdAt: new Date(now()).toISOString(),
    });
    expect((await eventsOf(by)).at(-1)).toEqual(['factor.created', { method: 'recovery-code' }]);
  });

  it('stores neither the secret nor a recovery code in plain text', async () => {
    const by = await user();
    const { secret, recoveryCodes } = await setUpTotp(by, { now });
    const rows = [
      ...(await deployment.database.query('SELECT * FROM account_factors')),
      ...(await deployment.database.query('SELECT * FROM recovery_codes')),
      ...(await deployment.database.query('SELECT * FROM audit_records')),
    ];
    const text = rows
      .flatMap((row) => Object.values(row))
      .map((value) => (value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : String(value)))
      .join('\n');
    for (const plain of [secret, ...recoveryCodes, ...recoveryCodes.map((code) => code.replaceAll('-', ''))])
      expect(text).not.toContain(plain);
  });

  it('DELETE of the last factor returns 409 if the tenant requires one', async () => {
    const tenantId = 'strict';
    const by = await user({ tenantId });
    const admin = await user({ tenantId, roles: ['ADMIN'] });
    const require = (secondFactor: string) => admin.patch(`/tenants/${tenantId}/policy`, { secondFactor });
    await setUpTotp(by, { now });
    await setUpTotp(admin, { now });
    expect((await require('REQUIRED_FOR_ADMINISTRATORS')).status).toBe(200);
    expect((await by.get(FACTORS)).body.required).toBe(false);
    expect((await admin.get(FACTORS)).body.required).toBe(true);
    expect(await admin.delete(TOTP)).toEqual(refusedBy('conflict', TOTP, 409));
    expect((await require('REQUIRED')).status).toBe(200);
    expect(await by.delete(TOTP)).toEqual(refusedBy('conflict', TOTP, 409));
    expect((await by.get(FACTORS)).body).toMatchObject({ totp: {}, recoveryCodes: { remaining: 10 }, required: true });
    expect((await by.get('/account/sessions')).status).toBe(200);
  });

  it('returns 403 to service accounts', async () => {
    const machine = await user({ interactive: false });
    const calls = {
      [FACTORS]: machine.get(FACTORS),
      [TOTP]: machine.post(TOTP),
      [CONFIRM]: machine.post(CONFIRM, {}),
      [CODES]: machine.post(CODES),
    };
    for (const [path, response] of Object.entries(calls))
      expect(await response).toEqual(refusedBy('permission-denied', path, 403));
    expect(await machine.delete(TOTP)).toEqual(refusedBy('permission-denied', TOTP, 403));
  });

  it('works for a SUPER_ADMIN', async () => {
    const by = await user({ tenantId: undefined, roles: ['SUPER_ADMIN'] });
    await setUpTotp(by, { now });
    expect((await by.get(FACTORS)).body.totp).toBeDefined();
    expect((await by.delete(TOTP)).status).toBe(204);
  });

  async function storedStep({ account }: Caller): Promise<number | undefined> {
    const [row] = await deployment.database.query<{ totp_last_step: number }>(
      'SELECT totp_last_step FROM account_factors WHERE account_id = ?',
      [idToBytes(account.id)],
    );
    return row?.totp_last_step;
  }

  const isOpen = async (id: string) => (await createChallengeStore(deployment.database).find(id)) !== undefined;

  async function openChallenge({ id: accountId, tenantId }: Account): Promise<string> {
    const { text: _text, ...created } = newChallenge(now());
    const challenge = {
      ...created,
      tenantId,
      accountId,
      kind: 'factor',
      transport: 'COOKIE',
      rememberMe: false,
    } as const;
    const rest = { origin: undefined, factorsVersion: 0, tries: 0, usedAt: undefined, totpSecret: undefined };
    await createChallengeStore(deployment.database).insert(deployment.database, { ...challenge, ...rest }, UNLIMITED);
    return created.id;
  }
});
