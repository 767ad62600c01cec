import { UserState, type UserFields } from '../../../proto/gen/authservice/identity/v1/identity_service.ts';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { PASSWORD } from '../../support/accounts.ts';
import { DIAGONAL } from '../../support/deployment.ts';
import { restClient, type RestClient } from '../../support/rest-client.ts';
import { NEW_USER, userUpdate } from './rpcs.ts';
import { openWorld, type Actor, type Clients, type World } from '../../support/world.ts';
import { outcomeOf, refusal, violationsOf } from '../../support/rpc-outcomes.ts';

const MINUTES = 60_000;

describe.each(DIAGONAL)('$engine, $transport', ({ engine, transport }) => {
  let world: World;
  let identity: Clients['identity'];
  let session: Clients['session'];
  let rest: RestClient;
  let admin: Actor;

  beforeAll(async () => {
    world = await openWorld({ engine, transport });
    ({ identity, session } = world.clients);
    rest = restClient(world.deployment.url);
  });
  afterAll(() => world?.close());
  // Tests move the clock, and tokens do not last.
  beforeEach(async () => {
    admin = await world.actor({ roles: ['ADMIN'] });
  });

  const login = async (username: string, password: string) => (await rest.login({ username, password })).status;

  describe('CreateUser', () => {
    it('creates a user, who can log in', async () => {
      const request = {
        ...NEW_USER(),
        email: ' New@Acme.test ',
        roles: ['SALES', 'FLORIST'],
        accountExpiresAt: new Date(world.deployment.clock.now() + 60 * MINUTES),
      };
      const { user } = await identity.createUser(
        { ...request, username: `  ${request.username.toUpperCase()} ` },
        admin.as,
      );
      expect(user).toEqual({
        account: {
          id: expect.any(String),
          username: request.username,
          name: 'New User',
          email: 'New@Acme.test',
          tenantId: 'acme',
          roles: ['ROLE_SALES', 'ROLE_FLORIST'],
          createdAt: new Date(world.deployment.clock.now()),
        },
        heldRoles: ['SALES', 'FLORIST'],
        disabled: false,
        accountExpiresAt: request.accountExpiresAt,
        loginFailedCount: 0,
        emailVerified: false,
        version: 1,
        factors: [],
        state: UserState.USER_STATE_ENABLED,
      });
      expect(await identity.getUser({ userId: user!.account!.id }, admin.as)).toEqual({ user });
      expect(await login(request.username, request.password)).toBe(200);
    });

    it('rejects a username that exists in any tenant', async () => {
      const request = NEW_USER();
      await identity.createUser(request, admin.as);
      expect(await refusal(identity.createUser(request, world.other.as))).toMatchObject({ reason: 'CONFLICT' });
      const racing = NEW_USER();
      const outcomes = await Promise.all(
        Array.from({ length: 5 }, () => outcomeOf(identity.createUser(racing, admin.as))),
      );
      expect(outcomes.toSorted()).toEqual(['CONFLICT', 'CONFLICT', 'CONFLICT', 'CONFLICT', 'OK']);
    });

    it('returns all violations at once', async () => {
      const request = {
        tenantId: 'No Slug',
        username: ' ',
        password: 'short',
        name: 'x'.repeat(201),
        email: 'nobody',
        roles: ['SALES', 'BOSS', 'SALES'],
        accountExpiresAt: new Date(-1),
      };
      expect(await violationsOf(identity.createUser(request, admin.as))).toEqual([
        'tenantId: tenant',
        'username: length',
        'name: length',
        'email: email',
        'roles: uniqueItems',
        'accountExpiresAt: date-time',
        'password: length',
        'roles.1: enum',
      ]);
    });

    it.each([
      ['the username', 'Somebody@Acme.Test'],
      ['the e-mail address', 'SOME@example.test'],
      ['a repeated character', 'aaaaaaaaaaaaaaaa'],
    ])('rejects %s as a password', async (_what, password) => {
      const request = { ...NEW_USER(), username: 'somebody@acme.test', email: 'some@example.test', password };
      expect(await violationsOf(identity.createUser(request, admin.as))).toEqual(['password: password-policy']);
    });

    it('grants SUPER_ADMIN only to accounts without a tenant, and only by a SUPER_ADMIN', async () => {
      const request = { ...NEW_USER(), roles: ['SUPER_ADMIN'] };
      expect(await outcomeOf(identity.createUser(request, admin.as))).toBe('PERMISSION_DENIED');
      expect(await outcomeOf(identity.createUser({ ...request, tenantId: 'acme' }, admin.as))).toBe(
        'PERMISSION_DENIED',
      );
      expect(await violationsOf(identity.createUser({ ...request, tenantId: 'acme' }, world.root.as))).toEqual([
        'roles: role',
      ]);
      expect(await violationsOf(identity.createUser({ ...NEW_USER() }, world.root.as))).toEqual(['roles: role']);
      const { user } = await identity.createUser(request, world.root.as);
      expect(user!.account!.tenantId).toBeUndefined();
      expect(user!.heldRoles).toEqual(['SUPER_ADMIN']);
    });

    it('accepts any existing tenant from a SUPER_ADMIN', async () => {
      const { user } = await identity.createUser({ ...NEW_USER(), tenantId: 'globex' }, world.root.as);
      expect(user!.account!.tenantId).toBe('globex');
      const missing = identity.createUser({ ...NEW_USER(), tenantId: 'missing' }, world.root.as);
      expect(await violationsOf(missing)).toEqual(['tenantId: tenant']);
      expect(await outcomeOf(identity.createUser({ ...NEW_USER(), tenantId: 'acme' }, admin.as))).toBe('OK');
    });
  });

  it('returns NOT_FOUND for a service account', async () => {
    const { id: userId } = await world.seed({ interactive: false });
    for (const call of [identity.getUser, identity.disableUser, identity.deleteUser, session.listUserSessions]) {
      expect(await outcomeOf(call({ userId }, admin.as))).toBe('NOT_FOUND');
    }
    const { users } = await identity.listUsers({ query: userId }, admin.as);
    expect(users).toEqual([]);
  });

  it('UpdateUser changes the given fields and no others', async () => {
    const { id: userId } = await world.seed({ email: 'old@acme.test' });
    const update = async (change: UserFields) =>
      (await identity.updateUser(userUpdate(userId, change), admin.as)).user!;
    const end = new Date(world.deployment.clock.now() + 60 * MINUTES);
    expect((await update({ name: ' Renamed ' })).account).toMatchObject({ name: 'Renamed', email: 'old@acme.test' });
    expect((await update({ email: undefined })).account!.email).toBeUndefined();
    const dated = { accountExpiresAt: end, credentialsExpireAt: end };
    expect(await update(dated)).toMatchObject(dated);
    const cleared = await update({ accountExpiresAt: undefined });
    expect(cleared.accountExpiresAt).toBeUndefined();
    expect(cleared).toMatchObject({ credentialsExpireAt: end, account: { name: 'Renamed' } });
    const unnamed = identity.updateUser({ userId, user: dated }, admin.as);
    expect(await violationsOf(unnamed)).toEqual(['updateMask: fieldMask']);
    const nameless = identity.updateUser(userUpdate(userId, { name: undefined, email: 'nobody' }), admin.as);
    expect(await violationsOf(nameless)).toEqual(['name: required', 'email: email']);
  });

  it('SetUserRoles replaces the roles and ends the sessions', async () => {
    const user = await world.actor({ roles: ['MANAGER'] });
    const { id: userId } = user.account;
    const same = await identity.setUserRoles({ userId, roles: ['MANAGER'] }, admin.as);
    expect(same.user!.heldRoles).toEqual(['MANAGER']);
    expect(await outcomeOf(identity.getMe({}, user.as))).toBe('OK');
    const { user: changed } = await identity.setUserRoles({ userId, roles: ['SALES', 'FLORIST'] }, admin.as);
    expect(changed!.heldRoles).toEqual(['SALES', 'FLORIST']);
    expect(await outcomeOf(identity.getMe({}, user.as))).toBe('TOKEN_INVALID');
    expect((await rest.refresh(user.session.cookie)).status).toBe(401);
    expect(await outcomeOf(identity.setUserRoles({ userId, roles: ['SUPER_ADMIN'] }, admin.as))).toBe(
      'PERMISSION_DENIED',
    );
    expect(await violationsOf(identity.setUserRoles({ userId, roles: [] }, admin.as))).toEqual(['roles: required']);
    expect(await violationsOf(identity.setUserRoles({ userId, roles: ['SUPER_ADMIN'] }, world.root.as))).toEqual([
      'roles: role',
    ]);
    const { id } = world.root.account;
    expect(await violationsOf(identity.setUserRoles({ userId: id, roles: ['ADMIN'] }, world.root.as))).toEqual([
      'roles: role',
    ]);
  });

  it('rejects an administrator that disables, deletes, expires or demotes itself', async () => {
    const { id: userId } = admin.account;
    expect(await outcomeOf(identity.disableUser({ userId }, admin.as))).toBe('CONFLICT');
    expect(await outcomeOf(identity.deleteUser({ userId }, admin.as))).toBe('CONFLICT');
    expect(await outcomeOf(identity.setUserRoles({ userId, roles: ['SALES'] }, admin.as))).toBe('CONFLICT');
    for (const field of ['accountExpiresAt', 'credentialsExpireAt']) {
      const expired = userUpdate(userId, { [field]: new Date(0) });
      expect([field, await outcomeOf(identity.updateUser(expired, admin.as))]).toEqual([field, 'CONFLICT']);
    }
    expect(await outcomeOf(identity.setUserRoles({ userId, roles: ['OWNER'] }, admin.as))).toBe('OK');
  });

  it('DisableUser rejects every credential, and EnableUser lets the user log in again', async () => {
    const user = await world.actor();
    const { id: userId, username } = user.account;
    expect((await identity.disableUser({ userId }, admin.as)).user!.disabled).toBe(true);
    expect(await outcomeOf(identity.getMe({}, user.as))).toBe('TOKEN_INVALID');
    expect((await rest.refresh(user.session.cookie)).status).toBe(401);
    expect(await login(username, PASSWORD)).toBe(401);
    expect((await identity.disableUser({ userId }, admin.as)).user!.disabled).toBe(true);
    expect((await identity.enableUser({ userId }, admin.as)).user!.disabled).toBe(false);
    expect(await login(username, PASSWORD)).toBe(200);
    // What was open before stays ended.
    expect(await outcomeOf(identity.getMe({}, user.as))).toBe('TOKEN_INVALID');
    expect((await rest.refresh(user.session.cookie)).status).toBe(401);
  });

  it('DeleteUser removes the user and ends the sessions', async () => {
    const user = await world.actor();
    const { id: userId, username } = user.account;
    await identity.deleteUser({ userId }, admin.as);
    expect(await outcomeOf(identity.getUser({ userId }, admin.as))).toBe('NOT_FOUND');
    expect(await outcomeOf(identity.deleteUser({ userId }, admin.as))).toBe('NOT_FOUND');
    expect(await outcomeOf(identity.getMe({}, user.as))).toBe('SUBJECT_UNKNOWN');
    expect((await rest.refresh(user.session.cookie)).status).toBe(401);
    expect(await login(username, PASSWORD)).toBe(401);
    expect(await outcomeOf(identity.createUser({ ...NEW_USER(), username }, admin.as))).toBe('OK');
  });
});
