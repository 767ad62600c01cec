import { createStatistics } from '../auth/audit/statistics/aggregate-statistics.ts';
import { auditCleanupTargets } from '../auth/audit/trail/audit-retention.ts';
import { AUDIT_CURSOR_KEY, createAuditCursors, type AuditCursors } from '../auth/audit/export/audit-cursor.ts';
import { createAuditFeed, type AuditFeed } from '../auth/audit/export/audit-feed.ts';
import { auditStreamMetrics } from '../auth/audit/export/stream-audit-records.ts';
import { createSealer } from '../auth/audit/seals/seal-records.ts';
import type { KeyEncryption } from '../auth/keys/key-encryption.ts';
import { loadSecretKey } from '../auth/keys/secret-key.ts';
import type { Foundation, Part } from './foundation.ts';
import type { Tokens } from './tokens.ts';

export interface AuditTrail extends Part {
  readonly auditFeed: AuditFeed;
  readonly auditCursors: AuditCursors;
  readonly sealKey: Uint8Array;
  /** Seals the audit records that wait. Returns their number. */
  sealDue(): Promise<number>;
}

/** Loads the key of the seals of audit records. */
export function loadSealKey(options: Pick<Foundation, 'database' | 'clock'> & { readonly encryption: KeyEncryption }) {
  return loadSecretKey({ ...options, name: 'audit-seals' });
}

/** Creates the seals of the audit records, their statistics and their retention. */
export async function createAuditTrail(foundation: Foundation, { encryption }: Tokens): Promise<AuditTrail> {
  const { settings, database, clock, stopping } = foundation;
  const key = await loadSealKey({ database, clock, encryption });
  const cursorKey = await loadSecretKey({ database, clock, encryption, name: AUDIT_CURSOR_KEY });
  const sealer = createSealer({ database, key, clock });
  const auditFeed = createAuditFeed({ database, stopping });
  return {
    auditFeed,
    auditCursors: createAuditCursors(cursorKey),
    sealKey: key,
    jobs: [sealer, createStatistics({ database, clock })],
    sealDue: sealer.sealDue,
    metrics: [...sealer.metrics, ...auditStreamMetrics(auditFeed)],
    cleanupTargets: auditCleanupTargets({ key, retentionMs: settings['app.audit.retention'] }),
  };
}
