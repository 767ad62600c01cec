// Permissions: every role with every RPC.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Credential } from '../../../proto/gen/authservice/access/v1/access.ts';
import { ROLES, type Role } from '../../../src/auth/roles/built-in-roles.ts';
import { readAccessRules } from '../../../src/platform/rpc/pipeline/access-rules.ts';
import { ADMINISTRATION, EVERYBODY, missingRecords } from './rpcs.ts';
import { ON_SQLITE } from '../../support/deployment.ts';
import { mailFolder } from '../../support/mails.ts';
import { openWorld, SERVICES, type Actor, type World } from '../../support/world.ts';
import { outcomeOf, refusal } from '../../support/rpc-outcomes.ts';

const ADMINISTRATORS: readonly Role[] = ['TENANT_ADMIN', 'ADMIN', 'OWNER'];

/** What is not for administrators of a tenant. */
const OF_ALL_TENANTS = /^(?:tenancy\.(?:\w*Tenants?|setLoginDomains)|session\.(?:\w*SigningKeys?|streamRevocations))$/;

const isAllowed = (role: Role, rpc: string): boolean => {
  if (EVERYBODY.has(rpc) || role === 'SUPER_ADMIN') return true;
  return ADMINISTRATORS.includes(role) && !OF_ALL_TENANTS.test(rpc);
};

it('every RPC of these services that requires a credential is listed', () => {
  const rules = readAccessRules();
  const asking = Object.entries(SERVICES).flatMap(([service, definition]) =>
    Object.entries(definition)
      .filter(([, { path }]) => rules.get(path)!.credential === Credential.CREDENTIAL_REQUIRED)
      .map(([name]) => `${service}.${name}`),
  );
  expect(Object.keys(ADMINISTRATION).toSorted()).toEqual(asking.toSorted());
});

describe.each(ON_SQLITE)('$engine over $transport', ({ engine, transport }) => {
  let world: World;
  const actors = new Map<Role, Actor>();

  beforeAll(async () => {
    world = await openWorld({ engine, transport, settings: mailFolder().settings });
    for (const role of ROLES) {
      const tenantId = role === 'SUPER_ADMIN' ? undefined : 'acme';
      actors.set(role, await world.actor({ tenantId, roles: [role] }));
    }
  });
  afterAll(() => world?.close());

  describe.each(ROLES)('%s', (role) => {
    it.each(Object.keys(ADMINISTRATION))('%s', async (rpc) => {
      const as = actors.get(role)!.as;
      const outcome = await outcomeOf(ADMINISTRATION[rpc]!(world.clients, missingRecords(), as));
      if (isAllowed(role, rpc)) expect(outcome).not.toBe('PERMISSION_DENIED');
      else expect(outcome).toBe('PERMISSION_DENIED');
    });
  });

  it.each(Object.keys(ADMINISTRATION))('%s rejects a missing and an invalid credential', async (rpc) => {
    const call = (authorization: string[]) => ADMINISTRATION[rpc]!(world.clients, missingRecords(), { authorization });
    expect((await refusal(call([]))).reason).toBe('TOKEN_MISSING');
    expect((await refusal(call(['Bearer x.y.z']))).reason).toBe('TOKEN_INVALID');
  });

  it('an inherited role has its permissions', async () => {
    const admin = await world.actor({ roles: ['SALES', 'ADMIN'] });
    expect(await outcomeOf(world.clients.identity.listUsers({}, admin.as))).toBe('OK');
  });
});
