// The policy that applies to a login.
import type { Database } from '../../../platform/db/types.ts';
import type { TenantPolicy } from '../../access/policy/effective-policy.ts';
import type { Policies } from '../../access/policy/policies.ts';
import { findDomainOwner } from '../../tenancy/claim-username.ts';
import type { FoundAccount } from '../account-row.ts';
import type { LockPolicy } from './account-lock.ts';

/**
 * Creates a function that returns the policy of an account's tenant. If refusals must be uniform, a username without an account
 * gets the policy of the tenant that owns its login domain, and the statements depend on the username only.
 */
export function createFindLoginPolicy({
  database,
  policies,
  uniformRefusals,
}: {
  readonly database: Database;
  readonly policies: Pick<Policies, 'of' | 'load'>;
  readonly uniformRefusals: boolean;
}) {
  return async (found: FoundAccount | undefined, username: string): Promise<TenantPolicy> => {
    const ofDomain = uniformRefusals ? await policies.load(await findDomainOwner(database, username)) : undefined;
    return found || !ofDomain ? policies.of(found?.definitions) : ofDomain;
  };
}

export function lockPolicyOf({ effective: { lockMaxFailures, lockDuration } }: TenantPolicy): LockPolicy {
  return { maxFailures: lockMaxFailures, durationMs: lockDuration * 1000 };
}
