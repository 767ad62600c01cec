import type { Metric } from '../../../platform/metric.ts';
import type { AuditEventName } from './audit-events.ts';
import type { AuditEvent } from './audit-log.ts';

/** The detail that distinguishes events of one name. Its values are few; those of other details are not. */
const REASONS: Partial<Readonly<Record<AuditEventName, string>>> = {
  'login.failed': 'reason',
  'login.aborted': 'reason',
  'session.refresh-refused': 'class',
  'client.authentication-failed': 'reason',
  'grant.revoked': 'reason',
};

/** Counts the security events of this process, by name and reason. */
export function countAuditEvents(): { count(event: AuditEvent): void; readonly metric: Metric } {
  const counts = new Map<string, { readonly labels: Readonly<Record<string, string>>; value: number }>();
  return {
    count({ event, details }) {
      const reason = String(details?.[REASONS[event] ?? ''] ?? '');
      const key = `${event} ${reason}`;
      const known = counts.get(key);
      if (known) known.value += 1;
      else counts.set(key, { labels: { event, reason }, value: 1 });
    },
    metric: {
      name: 'audit_events_total',
      help: 'Security events, by name and by the reason of a refusal.',
      type: 'counter',
      labelNames: ['event', 'reason'],
      read: () => [...counts.values()],
    },
  };
}
