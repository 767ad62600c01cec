import { ServiceError } from '../../../platform/errors.ts';
import type { Principal } from '../../access/principal.ts';
import { hasEnded } from '../../access/account.ts';
import type { FoundAccount } from '../account-row.ts';
import { findIneligibility } from './eligibility.ts';

/** The facts that a credential itself carries, apart from its account. */
type CredentialFacts = Pick<
  Principal,
  | 'sessionId'
  | 'revocationId'
  | 'keyRevocationId'
  | 'apiKeyHash'
  | 'authentication'
  | 'expiresAt'
  | 'grantId'
  | 'isApplication'
>;

/**
 * Creates the principal of a verified access token or API key. Throws SUBJECT_UNKNOWN if the account does not exist.
 * Throws TOKEN_INVALID if the session has ended or the account may not use the credential now.
 *
 * @param tenantRequired Whether service accounts must belong to a tenant.
 */
export function principalOf(
  accountWithTenant: FoundAccount | undefined,
  facts: CredentialFacts,
  now: number,
  tenantRequired: boolean,
): Principal {
  const credential = facts.apiKeyHash === undefined ? 'access-token' : 'api-key';
  if (accountWithTenant && facts.sessionId !== undefined && hasEnded(accountWithTenant.account, facts.sessionId))
    throw new ServiceError('TOKEN_INVALID', { detail: 'the session of the token has ended' });
  const refusal = findIneligibility(credential, accountWithTenant, now, tenantRequired);
  if (!accountWithTenant || refusal) {
    throw new ServiceError(accountWithTenant ? 'TOKEN_INVALID' : 'SUBJECT_UNKNOWN', { detail: refusal!.detail });
  }
  const { account, definitions } = accountWithTenant;
  return { account, permissions: account.rights.permissions, definitions, ...facts };
}
