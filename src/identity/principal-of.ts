import { ServiceError } from '../errors.ts';
import type { Principal } from '../principal.ts';
import { standingRefusal, type AccountStanding } from './eligibility.ts';
import { permissionsOf } from './permissions.ts';

/** What a credential itself says, beside whose it is. */
export type CredentialFacts = Pick<Principal, 'sessionId' | 'revocationId' | 'expiresAt'>;

/**
 * Who stands behind a genuine credential, whatever its kind. Throws SUBJECT_UNKNOWN where the account is gone, and
 * TOKEN_INVALID where it, or its tenant, is stopped.
 */
export function principalOf(standing: AccountStanding | undefined, facts: CredentialFacts, now: number): Principal {
  if (!standing) throw new ServiceError('SUBJECT_UNKNOWN', { detail: 'the subject of the credential does not exist' });
  const refusal = standingRefusal(standing, now);
  if (refusal) throw new ServiceError('TOKEN_INVALID', { detail: refusal });
  const { account } = standing;
  return { account, permissions: permissionsOf(account.roles), ...facts };
}
