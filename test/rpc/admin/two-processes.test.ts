// A change in one process applies in every other at once: two deployments on one database.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../../src/platform/db/ids.ts';
import { PASSWORD } from '../../support/accounts.ts';
import { ENGINES } from '../../support/databases.ts';
import { deploy, type Deployment } from '../../support/deployment.ts';
import { ROUNDS } from '../../support/rounds.ts';
import { restClient, type RestClient } from '../../support/rest-client.ts';
import { clientsOf, openWorld, type Actor, type Clients, type World } from '../../support/world.ts';
import { outcomeOf } from '../../support/rpc-outcomes.ts';
import { rememberPasswords } from '../../support/argon2.ts';

rememberPasswords();

describe.each(ENGINES)('%s', (engine) => {
  let world: World;
  let second: Deployment;
  let there: Clients;
  let rest: RestClient;

  beforeAll(async () => {
    world = await openWorld({ engine, transport: 'local' });
    const { databaseUrl, clock } = world.deployment;
    second = await deploy({ engine, transport: 'grpc', databaseUrl, clock });
    there = clientsOf(second);
    rest = restClient(second.url);
  });
  afterAll(async () => {
    await second?.close();
    await world?.close();
  });

  const stops = [
    ({ account }: Actor) => world.clients.tenancy.suspendTenant({ tenantId: account.tenantId! }, world.root.as),
    ({ account }: Actor) => world.clients.identity.disableUser({ userId: account.id }, world.root.as),
    ({ account }: Actor) => world.clients.identity.deleteUser({ userId: account.id }, world.root.as),
  ];
  const STOPPED = /^(TOKEN_INVALID|SUBJECT_UNKNOWN)$/;

  it(
    'a disabled user is rejected by the other process at once: token, refresh and login',
    { timeout: 120_000 },
    async () => {
      const stop = async (how: (typeof stops)[number]) => {
        const user = await world.actor({ tenantId: `tenant-${newId()}` });
        const { username } = user.account;
        expect(await outcomeOf(there.identity.getMe({}, user.as))).toBe('OK');
        const traffic = Array.from({ length: 3 }, () => outcomeOf(there.identity.getMe({}, user.as)));
        await how(user);
        const [direct, local, me, refreshed, login] = await Promise.all([
          outcomeOf(there.identity.getMe({}, user.as)),
          outcomeOf(world.clients.identity.getMe({}, user.as)),
          rest.me(user.session.accessToken),
          rest.refresh(user.session.cookie),
          rest.login({ username, password: PASSWORD }),
        ]);
        expect(direct).toMatch(STOPPED);
        expect(local).toMatch(STOPPED);
        expect([me.status, refreshed.status, login.status]).toEqual([401, 401, 401]);
        for (const outcome of await Promise.all(traffic))
          expect(outcome).toMatch(/^(OK|TOKEN_INVALID|SUBJECT_UNKNOWN)$/);
      };
      for (let round = 0; round < ROUNDS; round += 1) await Promise.all(stops.map(stop));
    },
  );

  it('changed passwords and roles end sessions at the other process at once', { timeout: 60_000 }, async () => {
    const changes = [
      (userId: string) => world.clients.identity.setUserRoles({ userId, roles: ['SALES'] }, world.admin.as),
      (userId: string) => world.clients.session.revokeUserSessions({ userId }, world.admin.as),
    ];
    for (let index = 0; index < changes.length * ROUNDS; index += 1) {
      const user = await world.actor();
      await changes[index % changes.length]!(user.account.id);
      expect(await outcomeOf(there.identity.getMe({}, user.as))).toBe('TOKEN_INVALID');
      expect((await rest.refresh(user.session.cookie)).status).toBe(401);
    }
  });
});
