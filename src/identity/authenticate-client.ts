// Checks the account behind a client id (RFC 6749 section 2.3), beside the check of passwords: by the same account, the same
// rules and the same audit. What stands behind the secret is its caller's. The lock of logins neither counts nor limits here.
import type { AuditContext, AuditLog } from '../audit/audit-log.ts';
import type { Clock } from '../clock.ts';
import { ServiceError } from '../errors.ts';
import type { Account } from './account.ts';
import type { AccountStore } from './account-store.ts';
import { isLocked, isPast, lockedDetail, tenantStopped, type AccountStanding, type Refusal } from './eligibility.ts';
import { canonicalUsername } from './username.ts';

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
  | 'unknown-client'
  | 'interactive-account'
  | 'tenantless'
  | 'tenant-suspended'
  | 'locked'
  | 'disabled'
  | 'expired'
  | 'wrong-secret'
  | 'expired-secret';

/**
 * Authenticates a service account. Rejects with INVALID_CLIENT for whatever reason; success and refusal are both audit records.
 *
 * @param checkSecret Asked in any case, with undefined for an account that does not exist, so that all refusals take the same time.
 */
export type AuthenticateClient = (
  clientId: string,
  checkSecret: (account: Account | undefined) => Promise<SecretOutcome>,
  context: AuditContext,
) => Promise<AuthenticatedClient>;

export function createAuthenticateClient(options: {
  readonly accounts: Pick<AccountStore, 'findByUsername'>;
  readonly audit: AuditLog;
  readonly clock: Clock;
  /** Whether an account must belong to a tenant. */
  readonly tenantRequired: boolean;
}): AuthenticateClient {
  const { accounts, audit, clock, tenantRequired } = options;

  return async (clientId, checkSecret, context) => {
    const username = canonicalUsername(clientId);
    // No account has the empty name; asking for it takes as long as for any other.
    const standing = await accounts.findByUsername(username ?? '');
    const account = standing?.account;
    const outcome = await checkSecret(account);
    const refusal = clientRefusal(standing, clock(), tenantRequired) ?? secretRefusal(outcome);
    const who = { tenantId: account?.tenantId, accountId: account?.id, username };
    if (!account || refusal || outcome.kind !== 'right') {
      const { reason, detail } = refusal!;
      const event = { event: 'client.authentication-failed', ...who, details: { reason } } as const;
      await audit.commit(context, async (_tx, record) => record(event));
      throw new ServiceError('INVALID_CLIENT', { detail: `Client authentication failed: ${detail}` });
    }
    const { secretId } = outcome;
    const event = { event: 'client.authenticated', ...who, details: { secretId } } as const;
    await audit.commit(context, async (_tx, record) => record(event));
    return { account, secretId };
  };
}

/** Why an account may not authenticate as a client, whatever its secret; undefined where it may. */
export function clientRefusal(
  standing: AccountStanding | undefined,
  now: number,
  tenantRequired: boolean,
): Refusal<ClientRefusal> | undefined {
  if (!standing) return { reason: 'unknown-client', detail: 'no account has this client id' };
  const { account } = standing;
  if (account.interactive) return { reason: 'interactive-account', detail: 'the account is no service account' };
  if (tenantRequired && account.tenantId === undefined)
    return { reason: 'tenantless', detail: 'the account has no tenant' };
  if (tenantStopped(standing)) return { reason: 'tenant-suspended', detail: 'the tenant is suspended' };
  if (isLocked(account, now)) return { reason: 'locked', detail: lockedDetail(account.lockedUntil!) };
  if (account.disabled) return { reason: 'disabled', detail: 'the account is disabled' };
  if (isPast(account.accountExpiresAt, now)) return { reason: 'expired', detail: 'the account has expired' };
  return undefined;
}

function secretRefusal({ kind }: SecretOutcome): Refusal<ClientRefusal> | undefined {
  if (kind === 'wrong') return { reason: 'wrong-secret', detail: 'the client secret is wrong' };
  if (kind === 'expired') return { reason: 'expired-secret', detail: 'the client secret has expired' };
  return undefined;
}
