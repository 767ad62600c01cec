// The definitions of a tenant: its roles, those for every tenant, and its policy. Each process keeps the definitions of the tenants whose
// accounts it reads. `tenants.definitions_version`, which a lookup of an account reads anyway, says whether they are current. All
// tenants share one copy of the roles for every tenant.
import type { Permission } from '../../../../proto/gen/authservice/access/v1/access.ts';
import { batchLoader } from '../../../platform/db/query/batch-loader.ts';
import type { Statements } from '../../../platform/db/types.ts';
import {
  BUILT_IN_ROLES,
  missingPermissions,
  permissionNamed,
  type RoleDefinition,
  type RoleTable,
} from './built-in-roles.ts';
import { createWeightedCache, type Weighted } from './definitions-cache.ts';
import { selectDefinitions } from './definition-store.ts';
import {
  declaredIn,
  NO_SHARED,
  toOwnRole,
  toSharedRoles,
  withoutPermissions,
  type OwnRole,
  type SharedRoles,
} from './own-roles.ts';
import { resolveRights, type Rights } from './rights.ts';
import { isRoleUsed, selectRoles } from './role-store.ts';

export type { OwnRole } from './own-roles.ts';
export { lockSharedRoles, nextVersion, startSharedVersion } from './role-store.ts';

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
/** The stored tenant of these roles. */
const EVERY_TENANT = '';

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
  const undefinedTenant = defineTenant(NOTHING, builtIn, 'tenant');
  const withoutTenant = defineTenant(NOTHING, builtIn, undefined);
  const known = createWeightedCache<Definitions & Weighted>(MAX_WEIGHT);
  const loading = new Map<string, Promise<Definitions & Weighted>>();
  let shared = NO_SHARED;
  const read = batchLoader(async (tenantIds) => {
    const before = shared;
    const found = await readDefinitions(database, tenantIds, builtIn, before);
    if (found.shared !== before && found.shared.version !== shared.version) {
      shared = found.shared;
      // All that is kept is outdated: with the roles for every tenant, the versions of all tenants change.
      known.clear(weighRoles(shared.roles) + shared.declared.length);
    }
    // Definitions with another copy of these roles are not kept, so there is one copy.
    if (found.shared === shared) for (const [tenantId, one] of found.tenants) known.set(tenantId, one);
    return found.tenants;
  });

  /** Returns the definitions of a statement that begins after this call. */
  function loadNow(tenantId: string): Promise<Definitions & Weighted> {
    const reading = read(tenantId)
      .then((found = undefinedTenant) => found)
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
      return defineTenant({ ...NOTHING, ownRoles: new Map(roles) }, builtIn, SHARED);
    },
    isUsed: (name) => isRoleUsed(database, name),
    permissionNamed: (name) => (builtIn.missing.has(name) ? undefined : permissionNamed(name)),
    async load({ tenantId, version }, tx) {
      if (tenantId === undefined) return withoutTenant;
      if (tx)
        return (await readDefinitions(tx, [tenantId], builtIn, NO_SHARED)).tenants.get(tenantId) ?? undefinedTenant;
      // This statement may have begun before the one that read the version. The next one did not.
      const begun = await loading.get(tenantId);
      if (begun?.version === version) return begun;
      return loading.get(tenantId) ?? loadNow(tenantId);
    },
  };
}

/**
 * Reads the definitions of tenants, with the roles for every tenant that they contain.
 *
 * @param known Returned again if it has the version that the statement sees.
 */
async function readDefinitions(
  statements: Statements,
  tenantIds: readonly string[],
  builtIn: BuiltIn,
  known: SharedRoles,
): Promise<{ readonly tenants: ReadonlyMap<string, Definitions & Weighted>; readonly shared: SharedRoles }> {
  const rows = Map.groupBy(await selectDefinitions(statements, tenantIds, known.version), ({ tenant }) => tenant);
  const sharedRows = rows.get(EVERY_TENANT);
  const shared = sharedRows ? toSharedRoles(sharedRows, builtIn.missing) : known;
  rows.delete(EVERY_TENANT);
  const tenants = [...rows].map(([tenantId, ofTenant]) => {
    const { version, policy } = ofTenant.find(({ name }) => name === null)!;
    const ownRoles = new Map(ofTenant.filter(({ name }) => name !== null).map(toOwnRole));
    const stored = { version, policy: policy === null ? undefined : (JSON.parse(policy) as unknown), ownRoles, shared };
    return [tenantId, defineTenant(stored, builtIn, tenantId)] as const;
  });
  return { tenants: new Map(tenants), shared };
}

/** Lists of roles whose rights are kept. */
const MAX_LISTS = 1_000;

/** The stored definitions of a tenant. Its own roles are not in `shared`. */
interface StoredDefinitions {
  readonly version: number;
  readonly policy: unknown;
  readonly ownRoles: ReadonlyMap<string, OwnRole>;
  readonly shared: SharedRoles;
}

const NOTHING: StoredDefinitions = { version: 0, policy: undefined, ownRoles: new Map(), shared: NO_SHARED };

function defineTenant(
  stored: StoredDefinitions,
  builtIn: BuiltIn,
  tenantId: string | undefined,
): Definitions & Weighted {
  const { version, policy, shared } = stored;
  const ownRoles = withoutPermissions(stored.ownRoles, builtIn.missing);
  const roles: RoleTable = {
    // A stored role has the name of a built-in one only if the built-in one came later. It stays in force.
    get: (name) => shared.roles.get(name) ?? ownRoles.get(name) ?? builtIn.roles.get(name),
    has: (name) => builtIn.roles.has(name) || shared.roles.has(name) || ownRoles.has(name),
  };
  const allRoles = (): ReadonlyMap<string, OwnRole> => new Map([...ownRoles, ...shared.roles]);
  const ownDeclared = declaredIn(ownRoles);
  const declared =
    ownDeclared.length === 0 ? shared.declared : [...new Set([...shared.declared, ...ownDeclared])].toSorted();
  const rights = new Map<string, Rights>();
  let weightOfRights = 0;
  let reportChange = (_difference: number): void => {};
  return {
    version,
    policy,
    roles,
    // Only changes of roles read it, so it is not kept.
    get ownRoles() {
      return allRoles();
    },
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
      defineTenant({ ...stored, ownRoles: new Map([...allRoles(), ...further]), shared: NO_SHARED }, builtIn, tenantId),
    weigh(onChange) {
      reportChange = onChange;
      const weightOfDeclared = declared === shared.declared ? 0 : declared.length;
      return weighRoles(ownRoles) + weighPolicy(policy) + weightOfDeclared + weightOfRights;
    },
  };
}

// The units of weight are references. Each object costs about as much as the added number.
const weighRoles = (roles: ReadonlyMap<string, OwnRole>): number =>
  [...roles.values()].reduce((sum, { permissions, inherits }) => sum + permissions.length + inherits.length + 30, 150);
/** Kept as it is stored and as it is in force: two bytes for each character. */
const weighPolicy = (policy: unknown): number =>
  policy === undefined ? 0 : Math.ceil(JSON.stringify(policy).length / 4);
const weighRights = ({ roles, permissions: { builtIn, own } }: Rights): number =>
  6 * roles.length + builtIn.length + own.length + 50;
