import { auditCleanupTargets } from '../auth/audit/audit-retention.ts';
import { createSealer, startSealer } from '../auth/audit/seal-records.ts';
import type { KeyEncryption } from '../auth/token/key-encryption.ts';
import { loadSecretKey } from '../auth/token/secret-key.ts';
import type { Foundation, Part } from './foundation.ts';
import type { Tokens } from './tokens.ts';

export interface AuditTrail extends Part {
  /** Starts the job that seals the audit records. */
  start(): { stop(): Promise<void> };
  /** Seals the audit records that wait. Returns their number. */
  sealDue(): Promise<number>;
}

/** Loads the key of the seals of audit records. */
export function loadSealKey(options: Pick<Foundation, 'database' | 'clock'> & { readonly encryption: KeyEncryption }) {
  return loadSecretKey({ ...options, name: 'audit-seals' });
}

/** Creates the seals of the audit records, and their retention. */
export async function createAuditTrail(foundation: Foundation, { encryption }: Tokens): Promise<AuditTrail> {
  const { settings, database, clock, log } = foundation;
  const key = await loadSealKey({ database, clock, encryption });
  const sealer = createSealer({ database, key, clock });
  return {
    start: () => startSealer(sealer, log),
    sealDue: () => sealer.sealDue(),
    metrics: sealer.metrics,
    cleanupTargets: auditCleanupTargets({ database, key, retentionMs: settings['app.audit.retention'] }),
  };
}
