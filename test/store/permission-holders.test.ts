// The users who hold permissions, by built-in roles and roles of their tenant.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Permission } from '../../proto/gen/authservice/access/v1/access.ts';
import { createDefinitions } from '../../src/auth/access/roles/definitions.ts';
import { selectHolders } from '../../src/auth/identity/users/account-list-store.ts';
import { ENGINES } from '../support/databases.ts';
import { openWorld, type World } from '../support/world.ts';

const PERMISSIONS = [Permission.PERMISSION_MANAGE_WEBHOOKS, Permission.PERMISSION_READ_AUDIT];

describe.each(ENGINES)('holders of permissions on %s', (engine) => {
  let world: World;
  beforeAll(async () => {
    world = await openWorld({ engine, transport: 'local' });
  });
  afterAll(() => world?.close());

  it('are enabled users of the tenant with an e-mail address who hold all of them', async () => {
    const { database, clock } = world.deployment;
    const definitions = createDefinitions(database);
    const holders = async (tenantId: string | undefined, limit = 100) =>
      (await selectHolders(database, definitions, { tenantId, permissions: PERMISSIONS, limit, now: clock.now() })).map(
        ({ id }) => id,
      );
    const email = 'ann@mail.test';
    const [one, other] = [await world.seed({ roles: ['ADMIN'], email }), await world.seed({ roles: ['OWNER'], email })];
    await world.seed({ roles: ['AUDITOR'], email });
    await world.seed({ roles: ['ADMIN'], email, disabled: true });
    await world.seed({ roles: ['ADMIN'], email, disableAt: clock.now() });
    await world.seed({ roles: ['ADMIN'], email: undefined });
    const foreign = await world.seed({ roles: ['TENANT_ADMIN'], email, tenantId: 'globex' });
    const root = await world.seed({ roles: ['SUPER_ADMIN'], email, tenantId: undefined });
    expect(await holders('acme')).toEqual(expect.arrayContaining([one.id, other.id]));
    expect(await holders('globex')).toEqual([foreign.id]);
    expect(await holders(undefined)).toEqual([root.id]);
    expect(await holders('acme', 1)).toHaveLength(1);
    expect(await holders('missing')).toEqual([]);
  });
});
