// The events that a webhook can be sent, in groups.
import { eventTexts } from '../../events/event-texts.ts';
import { AUDIT_EVENTS } from '../../generated/audit-events.ts';
import { webhookTexts } from './texts.ts';

/** The head of the audit trail, which is not a record. */
const SEALED = 'audit.sealed';

/** What the names of the events of each group begin with. */
const GROUPS = {
  logins: ['login.', 'second-factor.', 'recovery-code.', 'access-code.', 'session.', 'refusals.'],
  people: ['account.', 'factor.', 'role.'],
  programs: ['client.', 'client-secret.', 'api-key.'],
  applications: ['application.', 'grant.', 'code.', 'device.', 'consent.', 'logout.'],
  tenant: ['tenant.', 'webhook.', 'audit.', 'signing-key.'],
} as const;

export type EventGroup = keyof typeof GROUPS;

/** Events of the whole service: a webhook of a tenant never gets them. */
const OF_SERVICE: readonly string[] = ['tenant.created', 'signing-key.rotated', 'signing-key.revoked'];

/** Returns the groups with their events. */
export function eventGroups(ofTenant: boolean): readonly (readonly [EventGroup, readonly string[]])[] {
  const offered = [...AUDIT_EVENTS, SEALED].filter((event) => !ofTenant || !OF_SERVICE.includes(event)).toSorted();
  return Object.entries(GROUPS).map(([group, beginnings]) => [
    group as EventGroup,
    offered.filter((event) => beginnings.some((beginning) => event.startsWith(beginning))),
  ]);
}

/** Returns an event in plain words. */
export function textOfEvent(event: string): string {
  if (event === SEALED) return webhookTexts().sealed;
  return (eventTexts() as Readonly<Record<string, string>>)[event] ?? event;
}
