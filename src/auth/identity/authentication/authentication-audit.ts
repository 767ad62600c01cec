// The audit events for logins and client authentications.
import type { AuditEvent, AuditEventName } from '../../audit/audit-log.ts';
import type { Account } from '../../principal/account.ts';

type AuthenticationEventName = Extract<AuditEventName, `login.${string}` | 'account.locked' | `client.auth${string}`>;

/** The presented username and its account, if one exists. */
export interface Claimant {
  readonly account: Account | undefined;
  /** Canonical; undefined if the text is not a valid username. */
  readonly username: string | undefined;
}

export function authenticationEvent<Name extends AuthenticationEventName>(
  event: Name,
  { account, username }: Claimant,
  details?: AuditEvent['details'],
): AuditEvent & { readonly event: Name } {
  return { event, tenantId: account?.tenantId, accountId: account?.id, username, ...(details && { details }) };
}
