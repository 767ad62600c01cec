import { createAuditLog } from '../auth/audit/audit-log.ts';
import { auditCleanupTargets } from '../auth/audit/audit-store.ts';
import { countAuditEvents } from '../auth/audit/count-audit-events.ts';
import { createRefusalLog } from '../auth/audit/refusal-log.ts';
import { poolMetrics } from '../platform/db/pool-metrics.ts';
import { createAccountStore } from '../auth/identity/account-store.ts';
import type { Foundation, Part } from './part.ts';

/**
 * Creates the stores that all other parts use. Closes last, because other parts may write audit records while they
 * close.
 */
export function createFoundation(
  base: Omit<Foundation, 'accounts' | 'audit' | 'uniformRefusals' | 'refuseSamples'>,
): Foundation & Part {
  const { settings, database, clock } = base;
  const uniformRefusals = settings['app.api.error-disclosure.mode'] === 'minimal';
  const refusals = createRefusalLog({ ...base, uniformRefusals });
  const events = countAuditEvents();
  return {
    ...base,
    uniformRefusals,
    refuseSamples: settings['app.env'] === 'PROD',
    accounts: createAccountStore(database),
    audit: createAuditLog(database, clock, refusals, events.count),
    metrics: [events.metric, ...refusals.metrics, ...poolMetrics(database)],
    cleanupTargets: auditCleanupTargets(settings['app.audit.retention']),
    flush: () => refusals.flush(),
    close: () => refusals.close(),
  };
}
