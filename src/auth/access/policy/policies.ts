// The policies of tenants, resolved in one place. A tenant's own values come with its definitions, which a lookup of an account
// reads anyway.
import type { Statements } from '../../../platform/db/types.ts';
import type { Definitions, DefinitionsReader } from '../roles/definitions.ts';
import { effectivePolicy, readOwnPolicy, type TenantPolicy } from './effective-policy.ts';
import type { Policy } from './policy-fields.ts';

export interface Policies {
  /** The values of the settings. */
  readonly service: Policy;
  /** Returns the policy of the tenant with these definitions; without definitions, the service's. */
  of(definitions: Pick<Definitions, 'policy'> | undefined): TenantPolicy;
  /**
   * Reads the policy of a tenant from the database; for no tenant or an unknown one, the service's. In a transaction, returns what
   * the transaction sees.
   */
  load(tenantId: string | undefined, tx?: Statements): Promise<TenantPolicy>;
}

/** @param service The values of the settings. */
export function createPolicies(service: Policy, definitions: Pick<DefinitionsReader, 'load'>): Policies {
  const ofService: TenantPolicy = { own: {}, service, effective: service };
  /** Definitions are shared by all accounts of a tenant and never change. */
  const known = new WeakMap<object, TenantPolicy>();

  function resolve(stored: unknown): TenantPolicy {
    const own = readOwnPolicy(stored);
    return { own, service, effective: effectivePolicy(service, own) };
  }

  function policyOf(defined: Pick<Definitions, 'policy'> | undefined): TenantPolicy {
    if (defined?.policy === undefined) return ofService;
    let policy = known.get(defined);
    if (!policy) known.set(defined, (policy = resolve(defined.policy)));
    return policy;
  }

  return {
    service,
    of: policyOf,
    load: async (tenantId, tx) => policyOf(await definitions.load({ tenantId, version: null }, tx)),
  };
}
