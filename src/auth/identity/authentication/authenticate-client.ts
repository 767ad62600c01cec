// Checks the account of a client id (RFC 6749 section 2.3). The caller checks the secret. Eligibility rules and audit
// are the same as for passwords. The login lock neither counts nor limits client authentication.
import { isOver, type Clock } from '../../../platform/clock.ts';
import type { RunRefusable } from '../../../platform/concurrency/pace-failures.ts';
import { ServiceError } from '../../../platform/errors.ts';
import type { AuditEventName } from '../../audit/trail/audit-events.ts';
import type { AuditContext, AuditEvent, AuditLog } from '../../audit/trail/audit-log.ts';
import type { AccountStore } from '../account-store.ts';
import { findIneligibility, type IneligibilityCause, type Refusal } from './eligibility.ts';
import { canonicalUsername } from '../login-name.ts';
import type { Account } from '../../access/account.ts';

/** The result of comparing a presented secret with an account's secrets. */
export type SecretOutcome =
  | { readonly kind: 'right'; readonly secretId: string }
  | { readonly kind: 'wrong' }
  /** A published secret, which is refused. */
  | { readonly kind: 'sample' }
  | { readonly kind: 'expired' };

interface AuthenticatedClient {
  readonly account: Account;
  readonly secretId: string;
}

/** The reason for a refusal, as recorded in the audit log. */
type ClientRefusal = Exclude<IneligibilityCause, 'unknown'> | 'unknown-client' | 'wrong-secret' | 'expired-secret';

export interface ClientAdmission {
  /**
   * Called after the check and before the outcome is recorded. Rejects if the rate limit for this outcome is exceeded.
   * Then the outcome is neither recorded nor returned. The returned function is called if a grant could not be recorded,
   * so that it does not count, unless its caller disconnected.
   */
  readonly admit: (outcome: 'grant' | 'refusal') => Promise<() => void>;
  /** Runs `record` if this success must be recorded in the audit log. Default: every success is recorded. */
  readonly recordGrant?: (secretId: string, record: () => Promise<void>) => Promise<void>;
}

/**
 * Authenticates a service account. Rejects with INVALID_CLIENT for every refusal. Success and refusal are both recorded
 * in the audit log, unless `admission` skips the record of a success.
 *
 * @param checkSecret Called with undefined if the account does not exist, so that all refusals take the same time.
 */
export type AuthenticateClient = (
  clientId: string,
  checkSecret: (account: Account | undefined) => Promise<SecretOutcome>,
  context: AuditContext,
  admission: ClientAdmission,
) => Promise<AuthenticatedClient>;

export function createAuthenticateClient(options: {
  readonly accounts: Pick<AccountStore, 'findByUsername'>;
  readonly audit: Pick<AuditLog, 'record' | 'refuse'>;
  readonly clock: Clock;
  /** Runs a check whose refusals must not reveal differences between accounts. */
  readonly runRefusable: RunRefusable;
  /** Whether service accounts must belong to a tenant. */
  readonly tenantRequired: boolean;
}): AuthenticateClient {
  const { accounts, audit, clock, runRefusable, tenantRequired } = options;
  return (...call) => runRefusable(() => authenticate(...call));

  async function authenticate(
    ...[clientId, checkSecret, context, { admit, recordGrant = always }]: Parameters<AuthenticateClient>
  ): Promise<AuthenticatedClient> {
    const username = canonicalUsername(clientId);
    // No account has an empty username. The query runs anyway, so that all refusals take the same time.
    const accountWithTenant = await accounts.findByUsername(username ?? '');
    const account = accountWithTenant?.account;
    const outcome = await checkSecret(account);
    const ineligible = findIneligibility('client-secret', accountWithTenant, clock(), tenantRequired);
    const refusal = ineligible ?? secretRefusal(outcome);
    const claimant = { account, username };
    if (!account || refusal || outcome.kind !== 'right') {
      const { detail } = refusal!;
      const reason: ClientRefusal = refusal!.reason === 'unknown' ? 'unknown-client' : refusal!.reason;
      await admit('refusal');
      audit.refuse(context, authenticationEvent('client.authentication-failed', claimant, { reason }));
      throw new ServiceError('INVALID_CLIENT', { detail: `Client authentication failed: ${detail}` });
    }
    const { secretId } = outcome;
    const giveBack = await admit('grant');
    const event = authenticationEvent('client.authenticated', claimant, { secretId });
    try {
      await recordGrant(secretId, () => audit.record(context, event));
    } catch (error) {
      // A caller that no longer waits counts. Otherwise the limit would not hold for one that always disconnects or sets a short deadline.
      if (!isOver(context.deadline)) giveBack();
      throw error;
    }
    return { account, secretId };
  }
}

const always: NonNullable<ClientAdmission['recordGrant']> = (_secretId, record) => record();

function secretRefusal({ kind }: SecretOutcome): Refusal<'wrong-secret' | 'expired-secret'> | undefined {
  if (kind === 'wrong') return { reason: 'wrong-secret', detail: 'the client secret is wrong' };
  if (kind === 'sample') {
    const detail = 'the client secret is a published sample, which app.env=PROD refuses';
    return { reason: 'wrong-secret', detail };
  }
  if (kind === 'expired') return { reason: 'expired-secret', detail: 'the client secret has expired' };
  return undefined;
}

type AuthenticationEventName = Extract<AuditEventName, `login.${string}` | 'account.locked' | `client.auth${string}`>;

/** The presented username and its account, if one exists. */
interface Claimant {
  readonly account: Account | undefined;
  /** Canonical; undefined if the text is not a valid username. */
  readonly username: string | undefined;
}

/** Creates an audit event of a login or a client authentication. */
export function authenticationEvent<Name extends AuthenticationEventName>(
  event: Name,
  { account, username }: Claimant,
  details?: AuditEvent['details'],
): AuditEvent & { readonly event: Name } {
  return { event, tenantId: account?.tenantId, accountId: account?.id, username, ...(details && { details }) };
}
