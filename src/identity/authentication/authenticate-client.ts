// Checks the account behind a client id (RFC 6749 section 2.3), beside the check of passwords: by the same account, the same
// rules and the same audit. What stands behind the secret is its caller's. The lock of logins neither counts nor limits here.
import type { AuditContext, AuditLog } from '../../audit/audit-log.ts';
import type { Clock } from '../../clock.ts';
import { ServiceError } from '../../errors.ts';
import type { Account } from '../../principal/account.ts';
import type { AccountStore } from '../account-store.ts';
import { authenticationEvent } from './authentication-audit.ts';
import { findIneligibility, type IneligibilityCause, type Refusal } from './eligibility.ts';
import { canonicalUsername } from '../login-name.ts';

/** How a presented secret stands against an account's. */
export type SecretOutcome =
  | { readonly kind: 'right'; readonly secretId: string }
  | { readonly kind: 'wrong' }
  | { readonly kind: 'expired' };

export interface AuthenticatedClient {
  readonly account: Account;
  readonly secretId: string;
}

/** Why a client is refused, as audit records name it. */
export type ClientRefusal =
  | Exclude<IneligibilityCause, 'unknown'>
  | 'unknown-client'
  | 'wrong-secret'
  | 'expired-secret';

export interface ClientAdmission {
  /**
   * Asked when the outcome is known and before it is recorded. Rejects if the outcome may be neither recorded nor told, because
   * there were too many of its kind.
   */
  readonly admit: (outcome: 'grant' | 'refusal') => Promise<void>;
  /** Runs `record` if this success is to become an audit record. Default: each does. */
  readonly recordGrant?: (secretId: string, record: () => Promise<void>) => Promise<void>;
}

/**
 * Authenticates a service account. Rejects with INVALID_CLIENT for whatever reason; success and refusal are both audit records,
 * unless `admission` says otherwise of a success.
 *
 * @param checkSecret Asked in any case, with undefined for an account that does not exist, so that all refusals take the same time.
 */
export type AuthenticateClient = (
  clientId: string,
  checkSecret: (account: Account | undefined) => Promise<SecretOutcome>,
  context: AuditContext,
  admission: ClientAdmission,
) => Promise<AuthenticatedClient>;

export function createAuthenticateClient(options: {
  readonly accounts: Pick<AccountStore, 'findByUsername'>;
  readonly audit: Pick<AuditLog, 'record' | 'recordUniformly'>;
  readonly clock: Clock;
  /** Whether service accounts must belong to a tenant. */
  readonly tenantRequired: boolean;
}): AuthenticateClient {
  const { accounts, audit, clock, tenantRequired } = options;

  return async (clientId, checkSecret, context, { admit, recordGrant = always }) => {
    const username = canonicalUsername(clientId);
    // No account has the empty name; asking for it takes as long as for any other.
    const standing = await accounts.findByUsername(username ?? '');
    const account = standing?.account;
    const outcome = await checkSecret(account);
    const ineligible = findIneligibility('client-secret', standing, clock(), tenantRequired);
    const refusal = ineligible ?? secretRefusal(outcome);
    const claimant = { account, username };
    if (!account || refusal || outcome.kind !== 'right') {
      const { detail } = refusal!;
      const reason: ClientRefusal = refusal!.reason === 'unknown' ? 'unknown-client' : refusal!.reason;
      await admit('refusal');
      const event = authenticationEvent('client.authentication-failed', claimant, { reason });
      await audit.recordUniformly(context, event);
      throw new ServiceError('INVALID_CLIENT', { detail: `Client authentication failed: ${detail}` });
    }
    const { secretId } = outcome;
    await admit('grant');
    const event = authenticationEvent('client.authenticated', claimant, { secretId });
    await recordGrant(secretId, () => audit.record(context, event));
    return { account, secretId };
  };
}

const always: NonNullable<ClientAdmission['recordGrant']> = (_secretId, record) => record();

function secretRefusal({ kind }: SecretOutcome): Refusal<'wrong-secret' | 'expired-secret'> | undefined {
  if (kind === 'wrong') return { reason: 'wrong-secret', detail: 'the client secret is wrong' };
  if (kind === 'expired') return { reason: 'expired-secret', detail: 'the client secret has expired' };
  return undefined;
}
