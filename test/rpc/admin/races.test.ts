// Changes of an account in parallel with its owner's calls.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { idToBytes } from '../../../src/platform/db/ids.ts';
import { PASSWORD } from '../../support/accounts.ts';
import { holdVerifications, rememberPasswords } from '../../support/argon2.ts';
import { ENGINES } from '../../support/databases.ts';
import { ROUNDS } from '../../support/rounds.ts';
import { restClient, sessionOf, type RestClient, type RestResponse } from '../../support/rest-client.ts';
import { seedSession } from '../../support/sessions.ts';
import { waitTurns } from '../../support/turns.ts';
import { actorOf, openWorld, type Actor, type World } from '../../support/world.ts';
import { userUpdate } from './rpcs.ts';
import { outcomeOf } from '../../support/rpc-outcomes.ts';

// The tenant of accounts that have none.
const NONE = Buffer.alloc(0);
const NEW_PASSWORD = 'Another long password';

rememberPasswords();

/** Turns of the event loop that a request takes at most, about. */
const REQUEST_TURNS = 150;

describe.each(ENGINES)('%s', (engine) => {
  let world: World;
  let rest: RestClient;

  beforeAll(async () => {
    world = await openWorld({ engine, transport: 'local', isPatient: true });
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
    const race = async (change: (userId: string) => Promise<unknown>) => {
      const { account, session } = await world.actor();
      const [response] = await Promise.all([
        waitTurns(REQUEST_TURNS).then(() => rest.refresh(session.cookie)),
        waitTurns(REQUEST_TURNS).then(() => change(account.id)),
      ]);
      await expectDead(session.accessToken, session.cookie);
      if (response.status !== 200) return;
      const next = sessionOf(response);
      await expectDead(next.accessToken, next.cookie);
    };
    for (let round = 0; round < ROUNDS; round += 1) for (const change of changes) await race(change);
  });

  it('a parallel login does not get the previous roles', { timeout: 120_000 }, async () => {
    const expectCurrent = async (index: number, response: RestResponse) => {
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
    for (let round = 0; round < ROUNDS; round += 1) {
      const accounts = await Promise.all(changes.map(() => world.seed({ roles: ['MANAGER'] })));
      const responses = await Promise.all(
        accounts.map(async ({ id, username }, index) => {
          const login = rest.login({ username, password: PASSWORD });
          await waitTurns(REQUEST_TURNS);
          await changes[index]!(id);
          return login;
        }),
      );
      for (const [index, response] of responses.entries()) await expectCurrent(index, response);
      // The change is complete while the password is verified.
      for (const [index, change] of changes.entries()) {
        const { id, username } = await world.seed({ roles: ['MANAGER'] });
        const barrier = holdVerifications();
        const login = rest.login({ username, password: PASSWORD });
        await barrier.reached(1);
        await change(id);
        barrier.lift();
        await expectCurrent(index, await login);
      }
    }
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
      for (let round = 0; round < 2 * ROUNDS; round += 1) {
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
