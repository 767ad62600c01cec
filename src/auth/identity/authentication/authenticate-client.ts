// Checks the account of a client id (RFC 6749 section 2.3). The caller checks the secret. Eligibility rules and audit
// are the same as for passwords. The login lock neither counts nor limits client authentication.
import type { Clock } from '../../../platform/clock.ts';
import type { RunRefusable } from '../../../platform/concurrency/pace-failures.ts';
import type { AuditEventName } from '../../audit/trail/audit-events.ts';
import type { AuditContext, AuditEvent, AuditLog } from '../../audit/trail/audit-log.ts';
import type { AccountStore } from '../account-store.ts';
import { findIneligibility, type IneligibilityCause, type Refusal } from './eligibility.ts';
import { canonicalUsername } from '../login-name.ts';
import { admitClient, refuseClient, type ClientAdmission } from './settle-client.ts';
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
    ...[clientId, checkSecret, context, admission]: Parameters<AuthenticateClient>
  ): Promise<AuthenticatedClient> {
    const username = canonicalUsername(clientId);
    // No account has an empty username. The query runs anyway, so that all refusals take the same time.
    const accountWithTenant = await accounts.findByUsername(username ?? '');
    const account = accountWithTenant?.account;
    const outcome = await checkSecret(account);
    const ineligible = findIneligibility('client-secret', accountWithTenant, clock(), tenantRequired);
    const refusal = ineligible ?? (outcome.kind === 'right' ? undefined : secretRefusal(outcome));
    const outcomeOptions = { audit, context, admission };
    const subject = { tenantId: account?.tenantId, accountId: account?.id, username };
    if (!account || refusal || outcome.kind !== 'right') {
      const reason: ClientRefusal = refusal!.reason === 'unknown' ? 'unknown-client' : refusal!.reason;
      return refuseClient(outcomeOptions, subject, { reason, detail: refusal!.detail });
    }
    const { secretId } = outcome;
    await admitClient(outcomeOptions, { ...subject, details: { secretId } }, secretId);
    return { account, secretId };
  }
}

/** Returns why a secret is refused. */
export function secretRefusal({
  kind,
}: Exclude<SecretOutcome, { kind: 'right' }>): Refusal<'wrong-secret' | 'expired-secret'> {
  if (kind === 'expired') return { reason: 'expired-secret', detail: 'the client secret has expired' };
  const sample = 'the client secret is a published sample, which app.env=PROD refuses';
  return { reason: 'wrong-secret', detail: kind === 'sample' ? sample : 'the client secret is wrong' };
}

type AuthenticationEventName = Extract<AuditEventName, `login.${string}` | 'account.locked'>;

/** The presented username and its account, if one exists. */
interface Claimant {
  readonly account: Account | undefined;
  /** Canonical; undefined if the text is not a valid username. */
  readonly username: string | undefined;
}

/** Creates an audit event of a login. */
export function authenticationEvent<Name extends AuthenticationEventName>(
  event: Name,
  { account, username }: Claimant,
  details?: AuditEvent['details'],
): AuditEvent & { readonly event: Name } {
  return { event, tenantId: account?.tenantId, accountId: account?.id, username, ...(details && { details }) };
}
