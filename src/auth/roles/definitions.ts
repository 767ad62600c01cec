// The definitions of a tenant: its roles, those for every tenant, and its policy. Each process keeps the definitions of the tenants whose
// accounts it reads. `tenants.definitions_version`, which a lookup of an account reads anyway, says whether they are current.
import type { Permission } from '../../../proto/gen/authservice/access/v1/access.ts';
import { batchLoader } from '../../platform/db/query/batch-loader.ts';
import { isOwnPermission } from '../../platform/formats/names.ts';
import type { Statements } from '../../platform/db/types.ts';
import {
  BUILT_IN_ROLES,
  missingPermissions,
  permissionNamed,
  type RoleDefinition,
  type RoleTable,
} from './built-in-roles.ts';
import { createWeightedCache, type Weighted } from './definitions-cache.ts';
import { selectDefinitions, type DefinitionRow } from './definition-store.ts';
import { resolveRights, type Rights } from './rights.ts';

import { isRoleUsed, selectRoles } from './role-store.ts';

export { lockSharedRoles } from './role-store.ts';

/** The definitions of a tenant at one version. */
export interface Definitions {
  /** `tenants.definitions_version`; 0 if the tenant defines nothing. */
  readonly version: number;
  /** The built-in roles and those that accounts of the tenant can hold. */
  readonly roles: RoleTable;
  /** The names of the roles that are not built in. */
  readonly ownRoles: ReadonlyMap<string, OwnRole>;
  /** The own permissions that these roles name, sorted. */
  readonly declared: readonly string[];
  /** The stored policy, parsed; undefined if there is none. */
  readonly policy: unknown;
  /** Returns the rights of an account of the tenant. */
  rightsOf(roles: readonly string[]): Rights;
  /** Returns these definitions with further roles, or with other definitions of roles. */
  withRoles(roles: Iterable<readonly [name: string, role: OwnRole]>): Definitions;
}

export interface OwnRole extends RoleDefinition {
  /** Whether it is for every tenant. */
  readonly isShared: boolean;
}

/** The tenant of an account and its version, as one statement has read them. */
export interface DefinitionsKey {
  readonly tenantId: string | undefined;
  /** Null for an account without a tenant. */
  readonly version: number | null;
}

export interface DefinitionsReader {
  /** Returns the definitions of this version if the process has them. */
  current(key: DefinitionsKey): Definitions | undefined;
  /**
   * Reads the definitions of this version, or of a later one, in one statement. Concurrent calls share it. In a transaction,
   * returns what the transaction sees and keeps nothing.
   */
  load(key: DefinitionsKey, tx?: Statements): Promise<Definitions>;
  /** Reads the roles for every tenant, without those of any tenant. */
  loadShared(tx?: Statements): Promise<Definitions>;
  /** Whether any tenant has an own role with this name, or it is for every tenant. */
  isUsed(name: string): Promise<boolean>;
  /** Returns the built-in permission with this name, without prefix; undefined if this service has none. */
  permissionNamed(name: string): Permission | undefined;
}

/** A place-holder for the tenant of roles for every tenant. */
const SHARED = '*';

/** References, of about 8 bytes each with what they refer to: at most about 130 MB. */
const MAX_WEIGHT = 16_000_000;

/** What all tenants have. */
interface BuiltIn {
  readonly roles: ReadonlyMap<string, RoleDefinition>;
  /** Permissions that do not exist in this service, but can be in stored roles. */
  readonly missing: ReadonlySet<string>;
}

/** @param builtInRoles The built-in roles of this service. */
export function createDefinitions(
  database: Statements,
  builtInRoles: ReadonlyMap<string, RoleDefinition> = BUILT_IN_ROLES,
): DefinitionsReader {
  const builtIn = { roles: builtInRoles, missing: missingPermissions(builtInRoles) };
  const undefinedTenant = defineTenant({ version: 0, policy: undefined, ownRoles: new Map() }, builtIn, 'tenant');
  const withoutTenant = defineTenant({ version: 0, policy: undefined, ownRoles: new Map() }, builtIn, undefined);
  const known = createWeightedCache<Definitions & Weighted>(MAX_WEIGHT);
  const loading = new Map<string, Promise<Definitions & Weighted>>();
  const read = batchLoader((tenantIds) => readDefinitions(database, tenantIds, builtIn));

  /** Returns the definitions of a statement that begins after this call. */
  function loadNow(tenantId: string): Promise<Definitions & Weighted> {
    const reading = read(tenantId)
      .then((found = undefinedTenant) => {
        if (found !== undefinedTenant) known.set(tenantId, found);
        return found;
      })
      .finally(() => loading.delete(tenantId));
    loading.set(tenantId, reading);
    return reading;
  }

  return {
    current({ tenantId, version }) {
      if (tenantId === undefined) return withoutTenant;
      if (!version) return undefinedTenant;
      const found = known.get(tenantId);
      return found?.version === version ? found : undefined;
    },
    async loadShared(tx = database) {
      const roles = (await selectRoles(tx, undefined)).map((role): [string, OwnRole] => [
        role.name,
        { ...role, isShared: true },
      ]);
      return defineTenant({ version: 0, policy: undefined, ownRoles: new Map(roles) }, builtIn, SHARED);
    },
    isUsed: (name) => isRoleUsed(database, name),
    permissionNamed: (name) => (builtIn.missing.has(name) ? undefined : permissionNamed(name)),
    async load({ tenantId, version }, tx) {
      if (tenantId === undefined) return withoutTenant;
      if (tx) return (await readDefinitions(tx, [tenantId], builtIn)).get(tenantId) ?? undefinedTenant;
      // This statement may have begun before the one that read the version. The next one did not.
      const begun = await loading.get(tenantId);
      if (begun?.version === version) return begun;
      return loading.get(tenantId) ?? loadNow(tenantId);
    },
  };
}

async function readDefinitions(
  statements: Statements,
  tenantIds: readonly string[],
  builtIn: BuiltIn,
): Promise<ReadonlyMap<string, Definitions & Weighted>> {
  const rows = await selectDefinitions(statements, tenantIds);
  return new Map(
    [...Map.groupBy(rows, ({ tenant }) => tenant)].map(([tenantId, ofTenant]) => {
      const { version, policy } = ofTenant.find(({ name }) => name === null)!;
      const ownRoles = new Map(ofTenant.filter(({ name }) => name !== null).map(toOwnRole));
      const stored = { version, policy: policy === null ? undefined : (JSON.parse(policy) as unknown), ownRoles };
      return [tenantId, defineTenant(stored, builtIn, tenantId)];
    }),
  );
}

/** Lists of roles whose rights are kept. */
const MAX_LISTS = 1_000;

function toOwnRole({ name, permissions, inherits, is_shared }: DefinitionRow): [string, OwnRole] {
  const isShared = is_shared === 1;
  return [intern(name!), { permissions: parseNames(permissions), inherits: parseNames(inherits), isShared }];
}

function defineTenant(
  stored: { readonly version: number; readonly policy: unknown; readonly ownRoles: ReadonlyMap<string, OwnRole> },
  builtIn: BuiltIn,
  tenantId: string | undefined,
): Definitions & Weighted {
  const { version, policy } = stored;
  const ownRoles = withoutPermissions(stored.ownRoles, builtIn.missing);
  const roles: RoleTable = {
    get: (name) => builtIn.roles.get(name) ?? ownRoles.get(name),
    has: (name) => builtIn.roles.has(name) || ownRoles.has(name),
  };
  const named = [...ownRoles.values()].flatMap(({ permissions }) => permissions);
  const declared = [...new Set(named.filter(isOwnPermission))].toSorted();
  const rights = new Map<string, Rights>();
  let weightOfRights = 0;
  let reportChange = (_difference: number): void => {};
  return {
    version,
    policy,
    roles,
    ownRoles,
    declared,
    rightsOf(held) {
      const key = held.join();
      const found = rights.get(key);
      if (found) return found;
      if (rights.size === MAX_LISTS) {
        rights.clear();
        reportChange(-weightOfRights);
        weightOfRights = 0;
      }
      const resolved = resolveRights({ roles: held, tenantId }, roles, declared);
      const weight = weighRights(resolved);
      rights.set(key, resolved);
      weightOfRights += weight;
      reportChange(weight);
      return resolved;
    },
    withRoles: (further) =>
      defineTenant({ ...stored, ownRoles: new Map([...ownRoles, ...further]) }, builtIn, tenantId),
    weigh(onChange) {
      reportChange = onChange;
      return weighRoles(ownRoles) + weighPolicy(policy) + declared.length + weightOfRights;
    },
  };
}

function withoutPermissions(
  roles: ReadonlyMap<string, OwnRole>,
  missing: ReadonlySet<string>,
): ReadonlyMap<string, OwnRole> {
  if (missing.size === 0) return roles;
  return new Map(
    [...roles].map(([name, role]) => [
      name,
      { ...role, permissions: role.permissions.filter((permission) => !missing.has(permission)) },
    ]),
  );
}

// The units of weight are references. Each object costs about as much as the added number.
const weighRoles = (roles: ReadonlyMap<string, OwnRole>): number =>
  [...roles.values()].reduce((sum, { permissions, inherits }) => sum + permissions.length + inherits.length + 30, 150);
/** Kept as it is stored and as it is in force: two bytes for each character. */
const weighPolicy = (policy: unknown): number =>
  policy === undefined ? 0 : Math.ceil(JSON.stringify(policy).length / 4);
const weighRights = ({ roles, permissions: { builtIn, own } }: Rights): number =>
  6 * roles.length + builtIn.length + own.length + 50;

/** Names that occur again and again, also in other tenants. */
const interned = new Map<string, string>();
const MAX_INTERNED = 100_000;

function intern(name: string): string {
  const known = interned.get(name);
  if (known !== undefined) return known;
  if (interned.size === MAX_INTERNED) interned.clear();
  interned.set(name, name);
  return name;
}

function parseNames(json: string): readonly string[] {
  return (JSON.parse(json) as string[]).map(intern);
}
