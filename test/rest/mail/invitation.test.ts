// Invitations: POST /users with `invite`, POST /users/{userId}/invite and /auth/invitation/confirm.
import { describe, expect, it } from 'vitest';
import { idToBytes, newId } from '../../../src/platform/db/ids.ts';
import { PASSWORD } from '../../support/accounts.ts';
import { caller, comparable, faults, type Caller } from '../../support/callers.ts';
import { rememberPasswords } from '../../support/argon2.ts';
import { deploy, DIAGONAL } from '../../support/deployment.ts';
import { eventually } from '../../support/eventually.ts';
import { mailFolder, PUBLIC_URL } from '../../support/mails.ts';
import { restClient, type RestResponse } from '../../support/rest-client.ts';
import { ROUNDS } from '../../support/rounds.ts';
import { openAdministration, TIME } from '../admin/administration.ts';

rememberPasswords();

const CONFIRM = '/api/v1/auth/invitation/confirm';
const NEW_PASSWORD = 'a new and long password';
const DAY_MS = 24 * 3600_000;
const newAddress = () => `${newId()}@mail.test`;

describe.each(DIAGONAL)('$engine over $transport', (kind) => {
  const mails = mailFolder();
  const acme = openAdministration({ ...kind, settings: mails.settings });
  const rest = () => restClient(acme.world.deployment.url);
  const confirm = (token: string, password = NEW_PASSWORD) => rest().postJson(CONFIRM, { token, password });
  const login = (username: string, password = NEW_PASSWORD) => rest().login({ username, password });
  const invalid = { status: 400, body: { errorCode: 'mail-token-invalid' } };
  /** The clock of the tests moves, so a session is fresh only at first. */
  const admin = () => caller(acme.world.deployment, { roles: ['ADMIN'] });
  const draft = (more: object = {}) => ({
    username: `${newId()}@acme.test`,
    name: 'Invited',
    roles: ['SALES'],
    email: newAddress(),
    invite: true,
    ...more,
  });

  /** Invites a new user. */
  async function invite(administrator?: Caller) {
    const by = administrator ?? (await admin());
    const body = draft();
    let id = '';
    const token = await mails.tokenTo(body.email, async () => {
      const created = await by.post('/users', body);
      expect(created.status).toBe(201);
      id = created.body.id;
    });
    const user = async () => (await by.get(`/users/${id}`)).body;
    const again = () => by.post(`/users/${id}/invite`);
    return { ...body, id, token, user, again };
  }

  const events = async (accountId: string) =>
    ((await acme.admin.get(`/audit-records?accountId=${accountId}`)).body as { event: string }[])
      .map(({ event }) => event)
      .toReversed();

  it('lets a new user choose the password, and log in only then', async () => {
    const { id, username, email, token, user } = await invite();
    expect(mails.to(email)).toMatchObject([{ subject: 'Invitation to acme' }]);
    expect(mails.to(email)[0]!.text).toContain(`${PUBLIC_URL}/invite#token=${token}\n`);
    const { invitationExpiresAt } = await user();
    expect(Date.parse(invitationExpiresAt) - acme.world.deployment.clock.now()).toBeGreaterThan(7 * DAY_MS - 60_000);
    for (const password of ['', PASSWORD, NEW_PASSWORD]) expect((await login(username, password)).status).not.toBe(200);
    const response = await confirm(token);
    expect([response.status, response.text, response.headers.get('cache-control')]).toEqual([204, '', 'no-store']);
    expect((await login(username)).status).toBe(200);
    const accepted = await user();
    expect([accepted.emailVerified, accepted.invitationExpiresAt]).toEqual([true, undefined]);
    expect(await confirm(token)).toMatchObject(invalid);
    expect(await events(id)).toEqual(
      expect.arrayContaining(['account.created', 'account.invited', 'account.invitation-accepted']),
    );
    // The mail with the link only.
    expect(mails.to(email)).toHaveLength(1);
  });

  it('returns the time until when the invitation can be accepted', async () => {
    const { status, body } = await (await admin()).post('/users', draft());
    expect([status, body.invitationExpiresAt, body.emailVerified]).toEqual([201, TIME, false]);
  });

  it('keeps the token if the password does not meet the policy', async () => {
    const { username, token } = await invite();
    for (const password of ['short', username, 'a'.repeat(20)])
      expect(await confirm(token, password)).toMatchObject({ status: 400, body: { errorCode: 'validation-error' } });
    expect((await confirm(token)).status).toBe(204);
  });

  it('accepts a token for 7 days, once, also in parallel', async () => {
    const { token, id, email, again } = await invite();
    acme.world.deployment.clock.advance(7 * DAY_MS);
    expect(await confirm(token)).toMatchObject(invalid);
    const by = await admin();
    const { body } = await by.get(`/users/${id}`);
    expect(Date.parse(body.invitationExpiresAt)).toBeLessThanOrEqual(acme.world.deployment.clock.now());
    expect((await again()).status).toBe(401);
    const newToken = await mails.tokenTo(email, () => by.post(`/users/${id}/invite`));
    acme.world.deployment.clock.advance(7 * DAY_MS - 1);
    const responses = await Promise.all(Array.from({ length: 5 }, () => confirm(newToken)));
    expect(responses.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([204, 400, 400, 400, 400]);
  });

  it('ends an earlier invitation with a new one', async () => {
    const by = await admin();
    const { token, email, again } = await invite(by);
    const newest = await mails.tokenTo(email, async () => {
      const { status, text } = await again();
      expect([status, text]).toEqual([202, '']);
    });
    expect(await confirm(token)).toMatchObject(invalid);
    expect((await confirm(newest)).status).toBe(204);
    expect(await again()).toMatchObject({ status: 409, body: { errorCode: 'conflict' } });
  });

  it.each<[change: string, act: (by: Caller, id: string) => Promise<unknown>]>([
    ['a password', (by, id) => by.put(`/users/${id}/password`, { password: 'another long password' })],
    ['another address', (by, id) => by.patch(`/users/${id}`, { email: newAddress() })],
    [
      'a disabled user, enabled later',
      async (by, id) => [await by.post(`/users/${id}/disable`), await by.post(`/users/${id}/enable`)],
    ],
    ['a deleted user', (by, id) => by.delete(`/users/${id}`)],
  ])('ends the invitation after %s', async (change, act) => {
    const by = await admin();
    const { id, token, user } = await invite(by);
    await act(by, id);
    expect(await confirm(token)).toMatchObject(invalid);
    const { invitationExpiresAt } = await user();
    if (change.startsWith('a password') || change.startsWith('a deleted')) expect(invitationExpiresAt).toBeUndefined();
    else expect(Date.parse(invitationExpiresAt)).toBeLessThanOrEqual(acme.world.deployment.clock.now());
  });

  it('can be cancelled, again and for users without an invitation, and sent anew', async () => {
    const by = await admin();
    const { id, email, token, user } = await invite(by);
    for (const _ of [1, 2]) expect(await by.delete(`/users/${id}/invite`)).toMatchObject({ status: 204, text: '' });
    expect(await confirm(token)).toMatchObject(invalid);
    expect(Date.parse((await user()).invitationExpiresAt)).toBeLessThanOrEqual(acme.world.deployment.clock.now());
    const { body: records } = await by.get(`/audit-records?accountId=${id}&events=account.invitation-cancelled`);
    expect(records).toHaveLength(1);
    const newest = await mails.tokenTo(email, () => by.post(`/users/${id}/invite`));
    expect((await confirm(newest)).status).toBe(204);
    expect(await by.delete(`/users/${id}/invite`)).toMatchObject({ status: 409, body: { errorCode: 'conflict' } });
    const { id: imported } = await acme.world.seed({ hasPassword: false });
    expect((await by.delete(`/users/${imported}/invite`)).status).toBe(204);
  });

  it('is accepted or cancelled, never both', async () => {
    const by = await admin();
    for (let round = 0; round < ROUNDS; round += 1) {
      const { id, username, token } = await invite(by);
      const [accepted, cancelled] = await Promise.all([confirm(token), by.delete(`/users/${id}/invite`)]);
      expect([
        [204, 409],
        [400, 204],
      ]).toContainEqual([accepted.status, cancelled.status]);
      expect((await login(username)).status === 200).toBe(accepted.status === 204);
    }
  });

  it('stays if a change names the address that the user has', async () => {
    const by = await admin();
    const { id, email, token, user } = await invite(by);
    const { invitationExpiresAt } = await user();
    expect((await by.patch(`/users/${id}`, { name: 'Renamed', email })).status).toBe(200);
    expect(await user()).toMatchObject({ name: 'Renamed', invitationExpiresAt });
    expect((await confirm(token)).status).toBe(204);
  });

  it('refuses the invitations of a suspended tenant, and voids none', async () => {
    const tenantId = `t-${newId()}`;
    const owner = await caller(acme.world.deployment, { tenantId, roles: ['TENANT_ADMIN'] });
    const root = await caller(acme.world.deployment, { tenantId: undefined, roles: ['SUPER_ADMIN'] });
    const { token, id } = await invite(owner);
    await root.post(`/tenants/${tenantId}/suspend`);
    expect(await confirm(token)).toMatchObject(invalid);
    expect(await root.post(`/users/${id}/invite`)).toMatchObject({ status: 409, body: { errorCode: 'conflict' } });
    await root.post(`/tenants/${tenantId}/activate`);
    const { body } = await root.get(`/users/${id}`);
    expect(Date.parse(body.invitationExpiresAt)).toBeGreaterThan(acme.world.deployment.clock.now());
    expect((await confirm(token)).status).toBe(204);
  });

  it('gives no recovery to a user without a password', async () => {
    const { username, email } = await invite();
    expect((await rest().postJson('/api/v1/auth/recovery', { username })).status).toBe(202);
    const rows = () => acme.world.deployment.database.query('SELECT id FROM mails');
    await eventually(async () => expect(await rows()).toEqual([]));
    expect(mails.to(email)).toHaveLength(1);
  });

  it('invites a user that was imported without a password', async () => {
    const by = await admin();
    const email = newAddress();
    const { id } = await acme.world.seed({ email, username: `${newId()}@acme.test` });
    await acme.world.deployment.database.execute('UPDATE accounts SET password_hash = NULL WHERE id = ?', [
      idToBytes(id),
    ]);
    const token = await mails.tokenTo(email, () => by.post(`/users/${id}/invite`));
    expect((await confirm(token)).status).toBe(204);
  });

  it.each<[user: string, seed: object]>([
    ['with a password', {}],
    ['without an address', { email: undefined }],
    ['that is disabled', { disabled: true }],
  ])('does not invite a user %s', async (_, seed) => {
    const by = await admin();
    const { id } = await acme.world.seed({ email: newAddress(), username: `${newId()}@acme.test`, ...seed });
    expect(await by.post(`/users/${id}/invite`)).toMatchObject({ status: 409, body: { errorCode: 'conflict' } });
  });

  it('explains why an invited user cannot log in', async () => {
    const by = await admin();
    const { username, id } = await invite(by);
    const explain = async () => (await by.post('/credentials/explain', { username })).body;
    const check = async () => (await explain()).checks.find(({ kind: name }: { kind: string }) => name === 'ACCOUNT');
    expect(await explain()).toMatchObject({ accepted: false });
    expect(await check()).toEqual({
      kind: 'ACCOUNT',
      passed: false,
      code: 'INVITATION_OPEN',
      params: {},
      detail: 'the user was invited and has not chosen a password',
      at: TIME,
    });
    await by.post(`/users/${id}/disable`);
    await by.post(`/users/${id}/enable`);
    expect(await check()).toMatchObject({
      passed: false,
      code: 'INVITATION_ENDED',
      detail: 'the invitation has ended, and no password was chosen',
    });
  });

  it('sends a user at most 5 invitations an hour. Further ones end no token', async () => {
    const by = await admin();
    const { email, again } = await invite(by);
    let token = '';
    for (let count = 0; count < 5; count += 1) token = await mails.tokenTo(email, again);
    const refused = await again();
    expect(refused).toMatchObject({ status: 429, body: { errorCode: 'too-many-requests' } });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(3000);
    expect((await confirm(token)).status).toBe(204);
  });

  it('is not available to other administrators', async () => {
    const { id } = await invite();
    const other = await caller(acme.world.deployment, { tenantId: 'globex', roles: ['ADMIN'] });
    expect((await other.post(`/users/${id}/invite`)).status).toBe(404);
    const clerk = await caller(acme.world.deployment, { roles: ['SALES'] });
    expect((await clerk.post(`/users/${id}/invite`)).status).toBe(403);
  });

  it('cannot be sent or cancelled by an administrator who lacks a permission of the user', async () => {
    const by = await admin();
    expect((await by.post('/roles', { name: 'USER_CLERK', permissions: ['MANAGE_USERS'] })).status).toBe(201);
    const clerk = await caller(acme.world.deployment, { roles: ['USER_CLERK'] });
    const body = draft({ roles: ['ADMIN'] });
    let id = '';
    const token = await mails.tokenTo(body.email, async () => {
      id = (await by.post('/users', body)).body.id;
    });
    const denied = { status: 403, body: { errorCode: 'permission-denied' } };
    expect(await clerk.post(`/users/${id}/invite`)).toMatchObject(denied);
    expect(await clerk.delete(`/users/${id}/invite`)).toMatchObject(denied);
    expect((await confirm(token)).status).toBe(204);
  });

  it.each<[problem: string, body: object, fields: readonly string[]]>([
    ['a password too', { password: NEW_PASSWORD }, ['password']],
    ['no address', { email: undefined }, ['email']],
    ['an invitation that is not a boolean', { invite: 'yes' }, ['invite']],
    ['neither password nor invitation', { invite: false }, ['password']],
    ['an address with a line break', { email: 'a@b\r\nBcc: c@d' }, ['email']],
  ])('refuses %s', async (_, body, fields) => {
    const by = await admin();
    const response = await by.post('/users', draft(body));
    expect([response.status, response.body.errorCode, faults(response)]).toEqual([400, 'validation-error', fields]);
  });

  it('is not sent to a new user that cannot accept it', async () => {
    const tenantId = `t-${newId()}`;
    await acme.world.seed({ tenantId });
    const root = await caller(acme.world.deployment, { tenantId: undefined, roles: ['SUPER_ADMIN'] });
    expect((await root.post(`/tenants/${tenantId}/suspend`)).status).toBe(200);
    const cases = [
      [root, draft({ tenantId }), 'the tenant is suspended'],
      [await admin(), draft({ accountExpiresAt: '2020-01-01T00:00:00Z' }), 'the account has expired'],
    ] as const;
    for (const [by, body, problem] of cases) {
      const response = await by.post('/users', body);
      expect([response.status, response.body.errorCode]).toEqual([409, 'conflict']);
      expect(response.text).toContain(`The user cannot log in: ${problem}`);
      const { body: found } = await root.get(`/users?query=${encodeURIComponent(body.username)}`);
      expect([found, mails.to(body.email)]).toEqual([[], []]);
    }
  });

  it('refuses a SUPER_ADMIN', async () => {
    const root = await caller(acme.world.deployment, { tenantId: undefined, roles: ['SUPER_ADMIN'] });
    const response = await root.post('/users', draft({ roles: ['SUPER_ADMIN'] }));
    expect([response.status, faults(response)]).toEqual([400, ['invite']]);
  });

  it('sends no mail for a user that could not be created', async () => {
    const { username } = await invite();
    const email = newAddress();
    const by = await admin();
    expect((await by.post('/users', draft({ username, email }))).status).toBe(409);
    expect(await acme.world.deployment.database.query('SELECT id FROM mails')).toEqual([]);
    expect(mails.to(email)).toEqual([]);
  });
});

describe.each(DIAGONAL)('under Profile B, $engine over $transport', (kind) => {
  const mails = mailFolder();
  const acme = openAdministration({ ...kind, settings: { ...mails.settings, 'app.security.auth-profile': 'B' } });

  it('responds in the format of the profile', async () => {
    const email = newAddress();
    const body = { username: `${newId()}@acme.test`, name: 'Invited', roles: ['SALES'], email, invite: true };
    const token = await mails.tokenTo(email, () => acme.admin.post('/users', body));
    const rest = restClient(acme.world.deployment.url);
    const confirm = (password: string) => rest.postJson(CONFIRM, { token, password });
    expect(await confirm('short')).toMatchObject({ status: 400, body: { error: 'AUTH_VALIDATION_ERROR' } });
    expect((await confirm(NEW_PASSWORD)).status).toBe(204);
    expect(await confirm(NEW_PASSWORD)).toMatchObject({ status: 400, body: { error: 'AUTH_MAIL_TOKEN_INVALID' } });
    expect((await rest.login({ username: body.username, password: NEW_PASSWORD })).status).toBe(200);
  });
});

it('tells nothing about accounts under minimal disclosure', async () => {
  const settings = { ...mailFolder().settings, 'app.api.error-disclosure.mode': 'minimal' };
  const deployment = await deploy({ ...DIAGONAL[0]!, settings });
  try {
    const rest = restClient(deployment.url);
    const admin = await caller(deployment, { roles: ['ADMIN'] });
    const user = { name: 'Invited', roles: ['SALES'], email: newAddress(), invite: true };
    const username = `${newId()}@acme.test`;
    expect((await admin.post('/users', { ...user, username })).status).toBe(201);
    const refusal = async (response: Promise<RestResponse>) => comparable(await response);
    const login = (name: string) => refusal(rest.login({ username: name, password: NEW_PASSWORD }));
    expect(await login(username)).toEqual(await login('nobody'));
    for (const path of [CONFIRM, '/api/v1/auth/email/confirm']) {
      const confirm = (token: string) => refusal(rest.postJson(path, { token, password: NEW_PASSWORD }));
      expect(await confirm('x')).toEqual(await confirm('A'.repeat(43)));
      expect(JSON.stringify(await confirm('x'))).not.toMatch(/diagnostics|exception/i);
    }
  } finally {
    await deployment.close();
  }
});

describe('without mail', () => {
  const acme = openAdministration(DIAGONAL[0]!);

  it('refuses invitations', async () => {
    const body = { username: newId(), name: 'Invited', roles: ['SALES'], email: newAddress(), invite: true };
    const response = await acme.admin.post('/users', body);
    expect([response.status, response.body.errorCode, faults(response)]).toEqual([400, 'validation-error', ['invite']]);
    expect((await acme.admin.post(`/users/${newId()}/invite`)).status).toBe(404);
    expect((await restClient(acme.world.deployment.url).postJson(CONFIRM, { token: 'x' })).status).toBe(404);
  });
});
