// Permissions: every role with every RPC.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ROLES, type Role } from '../../../src/auth/access/roles/built-in-roles.ts';
import { ON_SQLITE } from '../../support/deployment.ts';
import { PERMISSIONS } from '../../support/permissions.ts';
import { ADMINISTRATION, EVERYBODY, missingRecords, OF_SHOP, OR_PERMISSION_OF, PERMISSION_OF } from './rpcs.ts';
import { mailFolder } from '../../support/mails.ts';
import { openWorld, type Actor, type World } from '../../support/world.ts';
import { outcomeOf, refusal } from '../../support/rpc-outcomes.ts';

/** A change of this list is a decision. */
const OF_EVERYBODY = [
  'audit.listMyAuditRecords',
  'authorization.continueAuthorization',
  'authorization.decideDeviceRequest',
  'authorization.getDeviceRequest',
  'authorization.listMyGrants',
  'authorization.revokeMyGrant',
  'email.requestEmailChange',
  'factor.confirmMyTotp',
  'factor.createMyPasskey',
  'factor.createMyPasskeyOptions',
  'factor.createMyRecoveryCodes',
  'factor.createMyTotp',
  'factor.deleteMyPasskey',
  'factor.deleteMyTotp',
  'factor.getMyFactors',
  'factor.updateMyPasskey',
  'identity.changeOwnPassword',
  'identity.getMe',
  'identity.getMyAccount',
  'identity.verifyAccess',
  'session.confirmSession',
  'session.createConfirmationPasskeyOptions',
  'session.listMySessions',
  'session.revokeMyOtherSessions',
  'session.revokeMySession',
  'session.revokeSession',
];

/** The roles that administer. No other role may call an RPC of administration, whatever permission its proto names. */
const ADMINISTRATORS: readonly Role[] = ['SUPER_ADMIN', 'TENANT_ADMIN', 'ADMIN', 'OWNER'];

/** What the roles that help administrators may call. A change of these lists is a decision. */
const OF_AUDITORS = [
  'audit.exportAuditRecords',
  'audit.getAuditRecord',
  'audit.getAuditHead',
  'audit.getStatistics',
  'audit.listAuditRecords',
  'audit.streamAuditRecords',
  'factor.getUserFactors',
  'identity.getUser',
  'identity.listUserPermissions',
  'identity.listUsers',
  'role.getRole',
  'role.listRoles',
  'session.getSession',
  'session.listSessions',
  'session.listUserSessions',
];
const OF_HELP_DESKS = [
  ...OF_AUDITORS,
  'authorization.listUserGrants',
  'authorization.revokeUserGrant',
  'factor.deleteUserFactor',
  'factor.deleteUserFactors',
  'identity.unlockUser',
  'recovery.sendRecovery',
  'session.revokeTenantSessions',
  'session.revokeUserSessions',
];

/** What is not for administrators of a tenant. */
const OF_ALL_TENANTS = /^(?:tenancy\.(?:\w*Tenants?|setLoginDomains)|key\.\w*SigningKeys?|session\.streamRevocations)$/;

const CALLS = { ...ADMINISTRATION, ...OF_SHOP };
const NAMES = Object.keys(CALLS);

/** The permission that the content of an example needs in addition: only sales confirm an order. */
const ALSO: Readonly<Record<string, string>> = { 'order.setOrderStatus': 'WRITE_ORDERS' };

const isAllowed = (role: Role, rpc: string): boolean => {
  const held = [undefined, ...PERMISSIONS[role].split(' ')];
  const suffices =
    held.includes(PERMISSION_OF.get(rpc)) || (held as unknown[]).includes(OR_PERMISSION_OF.get(rpc) ?? NaN);
  return suffices && held.includes(ALSO[rpc]);
};

it('every account can call exactly these RPCs', () => {
  expect([...EVERYBODY].toSorted()).toEqual(OF_EVERYBODY);
});

it('no administrator of a tenant can call exactly these RPCs', () => {
  const names = NAMES.filter((rpc) => !isAllowed('ADMIN', rpc));
  expect(names).toEqual(NAMES.filter((rpc) => OF_ALL_TENANTS.test(rpc)));
  expect(names).toHaveLength(10);
});

it.each(Object.keys(ADMINISTRATION).filter((rpc) => !OF_EVERYBODY.includes(rpc)))(
  'only administrators can call %s',
  (rpc) => {
    const roles = ROLES.filter((role) => role !== 'AUDITOR' && role !== 'HELP_DESK' && isAllowed(role, rpc));
    expect(roles).toEqual(ADMINISTRATORS.slice(0, OF_ALL_TENANTS.test(rpc) ? 1 : undefined));
  },
);

it.each<[Role, readonly string[]]>([
  ['AUDITOR', OF_AUDITORS],
  ['HELP_DESK', OF_HELP_DESKS],
])('%s can call exactly these RPCs of administration', (role, rpcs) => {
  const names = NAMES.filter((rpc) => !OF_EVERYBODY.includes(rpc) && isAllowed(role, rpc));
  expect(names.toSorted()).toEqual([...rpcs].toSorted());
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
    it.each(NAMES)('%s', async (rpc) => {
      const as = actors.get(role)!.as;
      const outcome = await outcomeOf(CALLS[rpc]!(world.clients, missingRecords(), as));
      if (isAllowed(role, rpc)) expect(outcome).not.toBe('PERMISSION_DENIED');
      else expect(outcome).toBe('PERMISSION_DENIED');
    });
  });

  it.each(NAMES)('%s rejects a missing and an invalid credential', async (rpc) => {
    const call = (authorization: string[]) => CALLS[rpc]!(world.clients, missingRecords(), { authorization });
    expect((await refusal(call([]))).reason).toBe('TOKEN_MISSING');
    expect((await refusal(call(['Bearer x.y.z']))).reason).toBe('TOKEN_INVALID');
  });

  it('an inherited role has its permissions', async () => {
    const admin = await world.actor({ roles: ['SALES', 'ADMIN'] });
    expect(await outcomeOf(world.clients.identity.listUsers({}, admin.as))).toBe('OK');
  });
});
