// Changes of an account in parallel with its owner's calls.
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { idToBytes } from '../../../src/platform/db/ids.ts';
import { PASSWORD } from '../../support/accounts.ts';
import { REMEMBERED_MS, rememberPasswords } from '../../support/argon2.ts';
import { ENGINES } from '../../support/databases.ts';
import { restClient, sessionOf, type RestClient } from '../../support/rest-client.ts';
import { seedSession } from '../../support/sessions.ts';
import { actorOf, openWorld, type Actor, type World } from '../../support/world.ts';
import { userUpdate } from './rpcs.ts';
import { outcomeOf } from '../../support/rpc-outcomes.ts';

const ROUNDS = 40;
// The tenant of accounts that have none.
const NONE = Buffer.alloc(0);
const NEW_PASSWORD = 'Another long password';

rememberPasswords();

describe.each(ENGINES)('%s', (engine) => {
  let world: World;
  let rest: RestClient;

  beforeAll(async () => {
    world = await openWorld({ engine, transport: 'local' });
    rest = restClient(world.deployment.url);
  });
  afterAll(() => world?.close());

  const changes = [
    (userId: string) => world.clients.identity.setUserRoles({ userId, roles: ['FLORIST'] }, world.admin.as),
    async (userId: string) => {
      await world.clients.identity.disableUser({ userId }, world.admin.as);
      await world.clients.identity.enableUser({ userId }, world.admin.as);
    },
    (userId: string) => world.clients.identity.setUserPassword({ userId, password: NEW_PASSWORD }, world.admin.as),
    (userId: string) => world.clients.identity.deleteUser({ userId }, world.admin.as),
  ];

  const expectDead = async (accessToken: string, cookie: string) => {
    const as = { authorization: [`Bearer ${accessToken}`] };
    expect(await outcomeOf(world.clients.identity.getMe({}, as))).toMatch(/^(TOKEN_INVALID|SUBJECT_UNKNOWN)$/);
    expect((await rest.refresh(cookie)).status).toBe(401);
  };

  it('a parallel refresh does not keep a session alive', { timeout: 60_000 }, async () => {
    let renewed = 0;
    let round = 0;
    // On a fast machine the refresh can win each of the first rounds: then nothing has raced yet.
    for (; round < ROUNDS || (renewed === round && round < 10 * ROUNDS); round += 1) {
      const { account, session } = await world.actor();
      const hashing = round % changes.length === 2 ? REMEMBERED_MS * Math.random() * 1.2 : 0;
      const [response] = await Promise.all([
        // Some come later, because the change takes longer on a busy machine.
        delay(hashing + Math.random() * (round % 8 < 4 ? 6 : 60)).then(() => rest.refresh(session.cookie)),
        changes[round % changes.length]!(account.id),
      ]);
      await expectDead(session.accessToken, session.cookie);
      if (response.status !== 200) continue;
      renewed += 1;
      const next = sessionOf(response);
      await expectDead(next.accessToken, next.cookie);
    }
    // Otherwise nothing has raced.
    expect(renewed).toBeGreaterThan(0);
    expect(renewed).toBeLessThan(round);
  });

  it('a parallel login does not get the previous roles', { timeout: 120_000 }, async () => {
    const statuses = new Map<number, number>();
    const round = async (index: number) => {
      const account = await world.seed({ roles: ['MANAGER'] });
      const [response] = await Promise.all([
        rest.login({ username: account.username, password: PASSWORD }),
        delay(Math.random() * REMEMBERED_MS * 2).then(() => changes[index % changes.length]!(account.id)),
      ]);
      statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1);
      if (response.status !== 200) {
        expect([401, 503]).toContain(response.status);
        return;
      }
      const opened = sessionOf(response);
      const { roles } = JSON.parse(Buffer.from(opened.accessToken.split('.')[1]!, 'base64url').toString());
      const afterwards = index % changes.length === 0 ? roles.includes('ROLE_FLORIST') && roles.length === 1 : false;
      const reenabled = index % changes.length === 1;
      if (afterwards) expect((await rest.me(opened.accessToken)).status).toBe(200);
      else if (!reenabled || (await rest.me(opened.accessToken)).status !== 200) {
        await expectDead(opened.accessToken, opened.cookie);
      }
    };
    for (let index = 0; index < ROUNDS; index += 4) await Promise.all([0, 1, 2, 3].map((step) => round(index + step)));
    expect(statuses.get(200)).toBeGreaterThan(0);
  });

  it('exactly one of parallel changes of a password succeeds', async () => {
    const user = await world.actor();
    const outcomes = await Promise.all(
      [0, 1, 2].map((index) =>
        outcomeOf(
          world.clients.identity.changeOwnPassword(
            { currentPassword: PASSWORD, newPassword: `${NEW_PASSWORD} ${index}` },
            user.as,
          ),
        ),
      ),
    );
    expect(outcomes.filter((outcome) => outcome === 'OK')).toHaveLength(1);
    const logins = await Promise.all(
      [0, 1, 2].map((index) => rest.login({ username: user.account.username, password: `${NEW_PASSWORD} ${index}` })),
    );
    expect(logins.map(({ status }) => status === 200)).toEqual(outcomes.map((outcome) => outcome === 'OK'));
  });

  describe('the last active SUPER_ADMIN', () => {
    const restore = async (account: Actor['account']): Promise<Actor> => {
      const { database } = world.deployment;
      await database.execute('UPDATE accounts SET disabled = 0 WHERE id = ?', [idToBytes(account.id)]);
      return actorOf(account, await seedSession(world.deployment, account));
    };
    const active = async () =>
      (await world.deployment.database.query('SELECT id FROM accounts WHERE tenant_id = ? AND disabled = 0', [NONE]))
        .length;

    it('remains if two disable or delete each other', { timeout: 60_000 }, async () => {
      const { database } = world.deployment;
      await database.execute('UPDATE accounts SET disabled = 1 WHERE id = ?', [idToBytes(world.root.account.id)]);
      for (let round = 0; round < 20; round += 1) {
        const pair = [
          await world.actor({ tenantId: undefined, roles: ['SUPER_ADMIN'] }),
          await world.actor({ tenantId: undefined, roles: ['SUPER_ADMIN'] }),
        ] as const;
        const { identity } = world.clients;
        const remove = round % 2 === 0 ? identity.disableUser : identity.deleteUser;
        const outcomes = await Promise.all([
          outcomeOf(remove({ userId: pair[0].account.id }, pair[1].as)),
          outcomeOf(remove({ userId: pair[1].account.id }, pair[0].as)),
        ]);
        expect(outcomes.filter((outcome) => outcome === 'OK')).toHaveLength(1);
        expect(outcomes).toContainEqual(expect.stringMatching(/^(CONFLICT|TOKEN_INVALID|SUBJECT_UNKNOWN|NOT_FOUND)$/));
        expect(await active()).toBe(1);
        await database.execute('UPDATE accounts SET disabled = 1 WHERE tenant_id = ?', [NONE]);
      }
      await restore(world.root.account);
    });

    it('cannot get an expiry date either', async () => {
      const root = await restore(world.root.account);
      const late = await world.actor({ tenantId: undefined, roles: ['SUPER_ADMIN'] });
      await Promise.all(
        [
          [root, late],
          [late, root],
        ].map(async ([actor, target]) => {
          const request = userUpdate(target!.account.id, { accountExpiresAt: new Date(0) });
          return outcomeOf(world.clients.identity.updateUser(request, actor!.as));
        }),
      );
      const outcomes = await Promise.all([root, late].map(({ as }) => outcomeOf(world.clients.identity.getMe({}, as))));
      expect(outcomes.toSorted()).toEqual(['OK', 'TOKEN_INVALID']);
    });
  });
});
