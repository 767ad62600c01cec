// The rights of roles, by example: what is held, in which order, and who may give or take over what.
import { describe, expect, it } from 'vitest';
import { Permission } from '../../proto/gen/authservice/access/v1/access.ts';
import { BUILT_IN_ROLES, type RoleDefinition } from '../../src/auth/access/roles/built-in-roles.ts';
import {
  builtInRights,
  canGive,
  canTakeOver,
  flattenRoles,
  permissionNames,
  resolveRights,
} from '../../src/auth/access/roles/rights.ts';

const OWN: Readonly<Record<string, RoleDefinition>> = {
  READER: { permissions: ['invoices:read', 'READ_AUDIT'], inherits: [] },
  WRITER: { permissions: ['invoices:write', 'MANAGE_USERS'], inherits: ['READER'] },
  OPERATOR: { permissions: ['platform:restart'], inherits: [] },
};
const TABLE = new Map([...BUILT_IN_ROLES, ...Object.entries(OWN)]);
const DECLARED = ['invoices:read', 'invoices:write', 'platform:restart'];

const rightsOf = (roles: readonly string[], tenantId: string | undefined = 'acme') =>
  resolveRights({ roles, tenantId }, TABLE, DECLARED);
const heldBy = (...roles: readonly string[]) => rightsOf(roles).permissions;
const ROOT = resolveRights({ roles: ['SUPER_ADMIN'], tenantId: undefined }, TABLE, DECLARED).permissions;

describe('roles', () => {
  it('are followed by those that they inherit, with a prefix for tokens', () => {
    const { roles, prefixedRoles } = rightsOf(['WRITER', 'SALES', 'READER']);
    expect(roles).toEqual(['WRITER', 'READER', 'SALES']);
    expect(prefixedRoles).toEqual(['ROLE_WRITER', 'ROLE_READER', 'ROLE_SALES']);
  });

  it('end at a circle, and at a role that nobody has defined', () => {
    const circle = new Map<string, RoleDefinition>([
      ['A', { permissions: [], inherits: ['B'] }],
      ['B', { permissions: [], inherits: ['A', 'GONE'] }],
    ]);
    expect(flattenRoles(['A'], circle)).toEqual(['A', 'B', 'GONE']);
    expect(permissionNames(resolveRights({ roles: ['GONE'], tenantId: 'acme' }, TABLE, []).permissions)).toEqual([]);
  });
});

describe('permissions', () => {
  it('are those of all roles, each once: the built-in ones first, as declared, then the own ones, sorted', () => {
    const held = heldBy('WRITER', 'READER');
    expect(held.builtIn).toEqual(
      [Permission.PERMISSION_MANAGE_USERS, Permission.PERMISSION_READ_AUDIT, Permission.PERMISSION_READ_USERS].toSorted(
        (a, b) => a - b,
      ),
    );
    expect(held.own).toEqual(['invoices:read', 'invoices:write']);
    expect(permissionNames(held).toSorted()).toEqual([
      'MANAGE_USERS',
      'READ_AUDIT',
      'READ_USERS',
      'invoices:read',
      'invoices:write',
    ]);
    expect(permissionNames(held).slice(3)).toEqual(['invoices:read', 'invoices:write']);
    expect(held.has(Permission.PERMISSION_READ_AUDIT)).toBe(true);
    expect(held.has(Permission.PERMISSION_MANAGE_ROLES)).toBe(false);
    expect(held.has('invoices:read')).toBe(true);
    expect(held.has('invoices:delete')).toBe(false);
  });

  it('of an administrator are all own ones of the tenant, also those that no role names, but none of the platform', () => {
    const held = heldBy('READER', 'TENANT_ADMIN');
    expect(held.own).toEqual(['invoices:read', 'invoices:write']);
    expect(held.has('other:thing')).toBe(true);
    expect(held.has('platform:restart')).toBe(false);
    expect(held.has('NOT_A_PERMISSION')).toBe(false);
    expect(held.everyOwn).toBe('of-tenant');
    expect(heldBy('READER').everyOwn).toBeUndefined();
  });

  it('of a SUPER_ADMIN are those of the platform', () => {
    expect(ROOT.own).toEqual(['platform:restart']);
    expect(ROOT.has('platform:else')).toBe(true);
    expect(ROOT.has('invoices:read')).toBe(false);
    expect(ROOT.everyOwn).toBe('of-platform');
  });

  it('without a tenant come from SUPER_ADMIN alone', () => {
    expect(
      permissionNames(resolveRights({ roles: ['WRITER'], tenantId: undefined }, TABLE, DECLARED).permissions),
    ).toEqual([]);
    expect(permissionNames(builtInRights({ roles: ['TENANT_ADMIN'], tenantId: undefined }).permissions)).toEqual([]);
    expect(builtInRights({ roles: ['SUPER_ADMIN'], tenantId: undefined }).permissions.own).toEqual([]);
    expect(builtInRights({ roles: ['TENANT_ADMIN'], tenantId: 'acme' }).permissions.own).toEqual([]);
  });
});

describe.each([
  ['canGive', canGive],
  ['canTakeOver', canTakeOver],
] as const)('%s', (_, decide) => {
  it('needs every permission of the other side', () => {
    expect(decide(heldBy('WRITER'), heldBy('READER'))).toBe(true);
    expect(decide(heldBy('WRITER'), heldBy('WRITER'))).toBe(true);
    expect(decide(heldBy('READER'), heldBy('WRITER'))).toBe(false);
  });

  it('needs a built-in permission, and an own one', () => {
    const [audit, own] = [{ AUDIT: 'READ_AUDIT' }, { OWN: 'invoices:read' }].map(
      (roles) =>
        resolveRights(
          { roles: Object.keys(roles), tenantId: 'acme' },
          new Map(
            Object.entries(roles).map(([name, permission]) => [name, { permissions: [permission], inherits: [] }]),
          ),
          [],
        ).permissions,
    );
    expect(decide(audit!, own!)).toBe(false);
    expect(decide(own!, audit!)).toBe(false);
  });

  it('is possible for an administrator within the tenant, and never towards the platform', () => {
    expect(decide(heldBy('TENANT_ADMIN'), heldBy('WRITER', 'TENANT_ADMIN'))).toBe(true);
    expect(decide(heldBy('TENANT_ADMIN'), heldBy('OPERATOR'))).toBe(false);
    expect(decide(heldBy('TENANT_ADMIN'), ROOT)).toBe(false);
    expect(decide(heldBy('WRITER'), heldBy('TENANT_ADMIN'))).toBe(false);
  });

  it('needs the right to future permissions, also where none is declared', () => {
    const administrator = builtInRights({ roles: ['TENANT_ADMIN'], tenantId: 'acme' }).permissions;
    const equal = { permissions: permissionNames(administrator), inherits: [] };
    const { permissions } = resolveRights({ roles: ['EQUAL'], tenantId: 'acme' }, new Map([['EQUAL', equal]]), []);
    expect(decide(permissions, administrator)).toBe(false);
    expect(decide(administrator, permissions)).toBe(true);
  });

  it('is always possible for a SUPER_ADMIN', () => {
    for (const role of ['READER', 'OPERATOR', 'TENANT_ADMIN']) expect(decide(ROOT, heldBy(role))).toBe(true);
  });
});
