// Which accounts of a tenant a policy requires to have a second factor: by their roles.
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
}

/** Returns the lists of roles, as accounts of a tenant have them, with which a policy requires a second factor. */
export async function listsRequiringFactor(
  { definitions, countByRoles }: RequiredFactorDependencies,
  tenantId: string | undefined,
  policy: Pick<Policy, 'secondFactor'>,
): Promise<readonly string[]> {
  if (policy.secondFactor === 'OPTIONAL') return [];
  const defined = await definitions.load({ tenantId, version: null });
  const counts = await countByRoles({ everyTenant: false, tenantId }, { deadline: UNLIMITED, tenantId });
  return [...counts.keys()].filter((roles) => requiresFactor({ rights: defined.rightsOf(splitList(roles)) }, policy));
}
