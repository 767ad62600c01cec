import { ServiceError } from '../../errors.ts';
import type { Principal } from '../../principal/principal.ts';
import { hasEnded } from '../../principal/account.ts';
import { findIneligibility, type AccountWithTenant } from './eligibility.ts';
import { permissionsOf } from './permissions.ts';

/** What a credential itself says, beside whose it is. */
export type CredentialFacts = Pick<Principal, 'sessionId' | 'revocationId' | 'apiKeyHash' | 'expiresAt'>;

/**
 * The principal behind a genuine access token or API key. Throws SUBJECT_UNKNOWN if the account is gone, and TOKEN_INVALID if its
 * session has ended or it may not use the credential now.
 *
 * @param tenantRequired Whether service accounts must belong to a tenant.
 */
export function principalOf(
  standing: AccountWithTenant | undefined,
  facts: CredentialFacts,
  now: number,
  tenantRequired: boolean,
): Principal {
  const credential = facts.apiKeyHash === undefined ? 'access-token' : 'api-key';
  if (standing && facts.sessionId !== undefined && hasEnded(standing.account, facts.sessionId))
    throw new ServiceError('TOKEN_INVALID', { detail: 'the session of the token has ended' });
  const refusal = findIneligibility(credential, standing, now, tenantRequired);
  if (!standing || refusal) {
    throw new ServiceError(standing ? 'TOKEN_INVALID' : 'SUBJECT_UNKNOWN', { detail: refusal!.detail });
  }
  const { account } = standing;
  return { account, permissions: permissionsOf(account.roles), ...facts };
}
