// The factors of users, as administrators read and reset them.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NO_FAILURES } from '../../../src/auth/factors/code-lock.ts';
import { findFactors, updateFactors } from '../../../src/auth/factors/factor-store.ts';
import type { Account } from '../../../src/auth/access/account.ts';
import { idToBytes } from '../../../src/platform/db/ids.ts';
import type { Seed } from '../../support/accounts.ts';
import { caller, callerWith, comparable, type Caller } from '../../support/callers.ts';
import { deploy, DIAGONAL, type Deployment } from '../../support/deployment.ts';
import { seedPasskey } from '../../support/passkeys.ts';
import { problem } from '../../support/problems.ts';
import { bearer } from '../../support/rest-client.ts';
import { seedSession } from '../../support/sessions.ts';
import { codeAt, setUpTotp } from '../../support/totp.ts';

const pathOf = ({ id }: Pick<Account, 'id'>) => `/users/${id}/factors`;

describe.each(DIAGONAL)('factors of users ($engine, $transport)', (kind) => {
  let deployment: Deployment;
  let admin: Caller;
  beforeAll(async () => {
    deployment = await deploy(kind);
    admin = await caller(deployment, { roles: ['ADMIN'] });
  });
  afterAll(() => deployment?.close());

  const now = () => deployment.clock.now();
  const sessionOf = async (account: Account): Promise<Caller> =>
    callerWith(deployment.url, account, bearer((await seedSession(deployment, account)).accessToken));

  /** A user with all kinds of factors. */
  async function userWithFactors(seed: Seed = {}) {
    const by = await caller(deployment, seed);
    const { secret, recoveryCodes } = await setUpTotp(by, { now });
    const passkey = await seedPasskey(deployment.database, by.account);
    return { by, user: by.account, secret, recoveryCodes, passkey };
  }

  it('GET returns the same as the user sees, without secrets', async () => {
    const { by, user, secret, recoveryCodes, passkey } = await userWithFactors();
    const read = await admin.get(pathOf(user));
    expect(read.status).toBe(200);
    const at = new Date(now()).toISOString();
    expect(read.body).toEqual({
      totp: { createdAt: at, lastUsedAt: at },
      passkeys: [{ id: passkey.id, label: 'Seeded', createdAt: new Date(1).toISOString(), backedUp: false }],
      recoveryCodes: { remaining: 10, createdAt: at },
      required: false,
    });
    expect((await by.get('/account/factors')).body).toEqual(read.body);
    for (const plain of [secret, ...recoveryCodes]) expect(read.text).not.toContain(plain);
    expect((await admin.get(pathOf(await seedUser()))).body).toEqual({ required: false });
  });

  it('DELETE returns 204, removes all factors and the lock, and ends all sessions', async () => {
    const { by, user } = await userWithFactors();
    const pending = (await by.post('/account/factors/totp')).body.secret as string;
    const locked = { failedTimes: [now()], lockedUntil: now() + 60_000 };
    await updateFactors(deployment.database, user, locked);
    const deleted = await admin.delete(pathOf(user));
    expect([deleted.status, deleted.text]).toEqual([204, '']);
    expect((await by.get('/account/factors')).status).toBe(401);
    expect((await admin.get(pathOf(user))).body).toEqual({ required: false });
    expect(await findFactors(deployment.database, user)).toMatchObject({
      ...NO_FAILURES,
      pendingTotpSecret: undefined,
    });
    const again = await sessionOf(user);
    const confirmed = await again.post('/account/factors/totp/confirm', { totp: codeAt(pending, now()) });
    expect(confirmed.status).toBe(409);
    const [record] = await deployment.database.query<{ details: string; actor_id: Uint8Array }>(
      "SELECT details, actor_id FROM audit_records WHERE account_id = ? AND event = 'factor.reset'",
      [idToBytes(user.id)],
    );
    expect(JSON.parse(record!.details)).toEqual({ methods: 'totp,recovery-code', sessionsEnded: 1 });
    expect(Buffer.from(record!.actor_id)).toEqual(idToBytes(admin.account.id));
  });

  it('DELETE returns 409 for the caller itself', async () => {
    await setUpTotp(admin, { now });
    expect(await admin.delete(pathOf(admin.account))).toEqual(
      problem(409, 'conflict', `/api/v1${pathOf(admin.account)}`),
    );
    expect((await admin.get('/account/factors')).body.totp).toBeDefined();
    expect((await admin.delete('/account/factors/totp')).status).toBe(204);
  });

  it('DELETE returns 403 if the user holds a permission that the caller lacks', async () => {
    const { user } = await userWithFactors({ roles: ['ADMIN'] });
    const role = { name: 'HELPDESK', permissions: ['MANAGE_USERS'], inherits: [] };
    expect((await admin.post('/roles', role)).status).toBe(201);
    const helpdesk = await caller(deployment, { roles: ['HELPDESK'] });
    expect(await helpdesk.delete(pathOf(user))).toEqual(problem(403, 'permission-denied', `/api/v1${pathOf(user)}`));
    expect((await helpdesk.get(pathOf(user))).body.totp).toBeDefined();
    const other = await userWithFactors({ roles: ['HELPDESK'] });
    expect((await helpdesk.delete(pathOf(other.user))).status).toBe(204);
  });

  it('are for the administrators of the tenant and for SUPER_ADMIN', async () => {
    const { by, user } = await userWithFactors();
    const foreign = await caller(deployment, { tenantId: 'globex', roles: ['ADMIN'] });
    const root = await caller(deployment, { tenantId: undefined, roles: ['SUPER_ADMIN'] });
    const missing = { id: '00000000-0000-7000-8000-000000000000' };
    for (const method of ['get', 'delete'] as const) {
      expect((await by[method](pathOf(user))).status).toBe(403);
      expect(comparable(await foreign[method](pathOf(user)))).toEqual(comparable(await admin[method](pathOf(missing))));
      expect((await foreign[method](pathOf(user))).status).toBe(404);
    }
    expect((await admin.get(pathOf(user))).body.totp).toBeDefined();
    expect((await root.get(pathOf(user))).body.totp).toBeDefined();
    expect((await root.delete(pathOf(user))).status).toBe(204);
    const otherRoot = await userWithFactors({ tenantId: undefined, roles: ['SUPER_ADMIN'] });
    expect((await admin.delete(pathOf(otherRoot.user))).status).toBe(404);
    expect((await root.delete(pathOf(otherRoot.user))).status).toBe(204);
  });

  it('return 404 for a service account', async () => {
    const machine = await caller(deployment, { interactive: false });
    expect((await admin.get(pathOf(machine.account))).status).toBe(404);
    expect((await admin.delete(pathOf(machine.account))).status).toBe(404);
  });

  const seedUser = async () => (await caller(deployment)).account;
});
