// Which accounts a policy requires to have a second factor: by their roles.
import { UNLIMITED } from '../../../platform/clock.ts';
import { splitList } from '../../../platform/db/columns.ts';
import type { AdminScope } from '../../../platform/db/query/tenant-scope.ts';
import type { Reader } from '../../../platform/db/types.ts';
import type { Policy } from '../../access/policy/policy-fields.ts';
import type { DefinitionsReader } from '../../access/roles/definitions.ts';
import { requiresFactor } from '../../factors/decide-factors.ts';

export interface RequiredFactorDependencies {
  readonly definitions: Pick<DefinitionsReader, 'load'>;
  /** Returns the number of accounts within a scope for each list of roles. */
  readonly countByRoles: (scope: AdminScope, reader: Reader) => Promise<ReadonlyMap<string, number>>;
  /** Returns the lists of roles that accounts of a tenant hold, each once; without a tenant, those of every tenant. */
  readonly selectRoleLists: (tenantId: string | undefined) => Promise<readonly RoleList[]>;
}

/** Roles that accounts of a tenant hold. */
interface RoleList {
  /** Empty for accounts without a tenant. */
  readonly tenantId: string;
  readonly roles: readonly string[];
}

/** Lists of roles of several tenants. */
export interface ListsOfTenants {
  /** Those that require a second factor in each of the tenants. */
  readonly everywhere: readonly string[];
  /** The others, each after its tenant and a slash. Tenants can give roles of one name different permissions. */
  readonly ofTenants: readonly string[];
}

/** Returns the lists of roles, as accounts of a tenant have them, with which a policy requires a second factor. */
export async function listsRequiringFactor(
  { definitions, countByRoles }: Pick<RequiredFactorDependencies, 'definitions' | 'countByRoles'>,
  tenantId: string | undefined,
  policy: Pick<Policy, 'secondFactor'>,
): Promise<readonly string[]> {
  if (policy.secondFactor === 'OPTIONAL') return [];
  const defined = await definitions.load({ tenantId, version: null });
  const counts = await countByRoles({ everyTenant: false, tenantId }, { deadline: UNLIMITED, tenantId });
  return [...counts.keys()].filter((roles) => requiresFactor({ rights: defined.rightsOf(splitList(roles)) }, policy));
}

/**
 * Returns the lists of roles with which administrators require a second factor, of several tenants together.
 *
 * @param tenantIds Undefined for all tenants, and the accounts without one.
 */
export async function listsOfAdministrators(
  { definitions, selectRoleLists }: Pick<RequiredFactorDependencies, 'definitions' | 'selectRoleLists'>,
  tenantIds: readonly string[] | undefined,
): Promise<ListsOfTenants> {
  const policy = { secondFactor: 'REQUIRED_FOR_ADMINISTRATORS' } as const;
  const found = (await Promise.all((tenantIds ?? [undefined]).map(selectRoleLists))).flat();
  const judged = await Promise.all(
    [...Map.groupBy(found, ({ tenantId }) => tenantId)].map(async ([tenantId, lists]) => {
      const { rightsOf } = await definitions.load({ tenantId: tenantId || undefined, version: null });
      return lists.map(({ roles }) => {
        return { tenantId, list: roles.join(','), isRequired: requiresFactor({ rights: rightsOf(roles) }, policy) };
      });
    }),
  );
  const free = new Set(judged.flat().flatMap(({ list, isRequired }) => (isRequired ? [] : [list])));
  const required = judged.flat().filter(({ isRequired }) => isRequired);
  return {
    everywhere: [...new Set(required.flatMap(({ list }) => (free.has(list) ? [] : [list])))],
    ofTenants: required.flatMap(({ tenantId, list }) => (free.has(list) ? [`${tenantId}/${list}`] : [])),
  };
}
