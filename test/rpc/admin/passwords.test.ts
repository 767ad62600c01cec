// Passwords that administrators set and users change, and the account lock.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { newId } from '../../../src/platform/db/ids.ts';
import { PASSWORD } from '../../support/accounts.ts';
import { rememberPasswords } from '../../support/argon2.ts';
import { DIAGONAL } from '../../support/deployment.ts';
import { restClient, type RestClient } from '../../support/rest-client.ts';
import { seedSession } from '../../support/sessions.ts';
import { actorOf, openWorld, type Actor, type Clients, type World } from '../../support/world.ts';
import { outcomeOf, violationsOf } from '../../support/rpc-outcomes.ts';

rememberPasswords();

const MINUTES = 60_000;
const NEW_PASSWORD = 'Another long password';

describe.each(DIAGONAL)('$engine, $transport', ({ engine, transport }) => {
  let world: World;
  let identity: Clients['identity'];
  let rest: RestClient;
  let admin: Actor;

  beforeAll(async () => {
    world = await openWorld({ engine, transport });
    ({ identity } = world.clients);
    rest = restClient(world.deployment.url);
  });
  afterAll(() => world?.close());
  // Tests move the clock, and tokens do not last.
  beforeEach(async () => {
    admin = await world.actor({ roles: ['ADMIN'] });
  });

  const login = async (username: string, password: string) => (await rest.login({ username, password })).status;

  describe('the account lock', () => {
    const lockedUser = async () => {
      const user = await world.seed();
      for (let attempt = 0; attempt < 5; attempt += 1) await login(user.username, 'wrong');
      return user;
    };
    const shown = async (userId: string) => (await identity.getUser({ userId }, admin.as)).user!;

    it('is returned until it ends', async () => {
      const { id } = await lockedUser();
      expect(await shown(id)).toMatchObject({
        loginFailedCount: 5,
        lockedUntil: new Date(world.deployment.clock.now() + 15 * MINUTES),
      });
      world.deployment.clock.advance(15 * MINUTES);
      admin = await world.actor({ roles: ['ADMIN'] });
      const after = await shown(id);
      expect(after.loginFailedCount).toBe(0);
      expect(after.lockedUntil).toBeUndefined();
    });

    it('is removed by UnlockUser', async () => {
      const { id: userId, username } = await lockedUser();
      expect(await login(username, PASSWORD)).toBe(423);
      const unlocked = (await identity.unlockUser({ userId }, admin.as)).user!;
      expect(unlocked.loginFailedCount).toBe(0);
      expect(unlocked.lockedUntil).toBeUndefined();
      expect(await login(username, PASSWORD)).toBe(200);
    });

    it('is removed by SetUserPassword', async () => {
      const { id: userId, username } = await lockedUser();
      const { user } = await identity.setUserPassword({ userId, password: NEW_PASSWORD }, admin.as);
      expect(user!.loginFailedCount).toBe(0);
      expect(user!.lockedUntil).toBeUndefined();
      expect(await login(username, PASSWORD)).toBe(401);
      expect(await login(username, NEW_PASSWORD)).toBe(200);
    });
  });

  describe('SetUserPassword', () => {
    rememberPasswords();

    it('ends the sessions, and clears the expiry of the password', async () => {
      const user = await world.actor({ credentialsExpireAt: world.deployment.clock.now() });
      const { id: userId, username } = user.account;
      const response = await identity.setUserPassword({ userId, password: NEW_PASSWORD }, admin.as);
      expect(response.user!.credentialsExpireAt).toBeUndefined();
      expect(await outcomeOf(identity.getMe({}, user.as))).toBe('TOKEN_INVALID');
      expect((await rest.refresh(user.session.cookie)).status).toBe(401);
      expect(await login(username, NEW_PASSWORD)).toBe(200);
    });

    it('rejects a password by the policy', async () => {
      const { id: userId, username } = await world.seed({ username: `longer-${newId()}@acme.test` });
      const set = (password: string) => identity.setUserPassword({ userId, password }, admin.as);
      expect(await violationsOf(set('eleven char'))).toEqual(['password: length']);
      expect(await violationsOf(set('x'.repeat(1025)))).toEqual(['password: length']);
      expect(await violationsOf(set(` ${username.toUpperCase()}`))).toEqual(['password: password-policy']);
    });
  });

  describe('ChangeOwnPassword', () => {
    const change = (currentPassword: string, newPassword: string) => ({ currentPassword, newPassword });

    it("replaces the password and ends all sessions, also the caller's", async () => {
      const user = await world.actor();
      const second = actorOf(user.account, await seedSession(world.deployment, user.account));
      await identity.changeOwnPassword(change(PASSWORD, NEW_PASSWORD), user.as);
      for (const { as, session: ended } of [user, second]) {
        expect(await outcomeOf(identity.getMe({}, as))).toBe('TOKEN_INVALID');
        expect((await rest.refresh(ended.cookie)).status).toBe(401);
      }
      expect(await login(user.account.username, PASSWORD)).toBe(401);
      expect(await login(user.account.username, NEW_PASSWORD)).toBe(200);
    });

    it('counts wrong passwords like a login, and locks', async () => {
      const user = await world.actor();
      const outcomes = await Promise.all(
        Array.from({ length: 12 }, () => outcomeOf(identity.changeOwnPassword(change('wrong', NEW_PASSWORD), user.as))),
      );
      expect(outcomes.filter((outcome) => outcome === 'BAD_CREDENTIALS')).toHaveLength(5);
      expect(outcomes.filter((outcome) => outcome === 'ACCOUNT_LOCKED')).toHaveLength(7);
      expect(await outcomeOf(identity.changeOwnPassword(change(PASSWORD, NEW_PASSWORD), user.as))).toBe(
        'ACCOUNT_LOCKED',
      );
      expect(await login(user.account.username, PASSWORD)).toBe(423);
      world.deployment.clock.advance(15 * MINUTES);
      expect(await login(user.account.username, PASSWORD)).toBe(200);
    });

    it('rejects a password by the policy, without counting a failure', async () => {
      const user = await world.actor();
      const rejected = identity.changeOwnPassword(change('', 'short'), user.as);
      expect(await violationsOf(rejected)).toEqual(['currentPassword: length', 'newPassword: length']);
      const same = identity.changeOwnPassword(change(PASSWORD, PASSWORD), user.as);
      expect(await violationsOf(same)).toEqual(['newPassword: password-policy']);
      const { user: shown } = await identity.getUser({ userId: user.account.id }, admin.as);
      expect(shown!.loginFailedCount).toBe(0);
    });

    it('rejects service accounts', async () => {
      const client = await world.actor({ interactive: false });
      const outcome = await outcomeOf(identity.changeOwnPassword(change(PASSWORD, NEW_PASSWORD), client.as));
      expect(outcome).toBe('PRINCIPAL_NOT_ELIGIBLE');
    });

    it('works for a SUPER_ADMIN', async () => {
      const root = await world.actor({ tenantId: undefined, roles: ['SUPER_ADMIN'] });
      expect(await outcomeOf(identity.changeOwnPassword(change(PASSWORD, NEW_PASSWORD), root.as))).toBe('OK');
      expect(await login(root.account.username, NEW_PASSWORD)).toBe(200);
    });
  });
});
