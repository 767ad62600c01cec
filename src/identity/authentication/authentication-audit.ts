// What the authentication manager records: every login and every client authentication, in one form.
import type { AuditEvent, AuditEventName } from '../../audit/audit-log.ts';
import type { Account } from '../../principal/account.ts';

type AuthenticationEventName = Extract<AuditEventName, `login.${string}` | 'account.locked' | `client.auth${string}`>;

/** The name that was presented and the account of that name, if there is one. */
export interface Claimant {
  readonly account: Account | undefined;
  /** Canonical; undefined if the text cannot be a name. */
  readonly username: string | undefined;
}

export function authenticationEvent(
  event: AuthenticationEventName,
  { account, username }: Claimant,
  details?: AuditEvent['details'],
): AuditEvent {
  return { event, tenantId: account?.tenantId, accountId: account?.id, username, ...(details && { details }) };
}
