import { createAuditLog } from '../audit/audit-log.ts';
import { auditCleanupTargets } from '../audit/audit-store.ts';
import { countRefusals } from '../audit/counted-refusals.ts';
import { createAccountStore } from '../identity/account-store.ts';
import type { Foundation, Part } from './part.ts';

/**
 * Creates the stores that all other parts use. Closes last, because other parts may write audit records while they
 * close.
 */
export function createFoundation(base: Omit<Foundation, 'accounts' | 'audit'>): Foundation & Part {
  const { settings, database, clock } = base;
  const refusals = countRefusals(base);
  return {
    ...base,
    accounts: createAccountStore(database),
    audit: createAuditLog(database, clock, refusals),
    cleanupTargets: auditCleanupTargets(settings['app.audit.retention']),
    close: () => refusals.close(),
  };
}
