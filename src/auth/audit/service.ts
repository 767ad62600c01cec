// The audit trail: records of security events (`trail`), their seals (`seals`), their streams and exports (`export`), files of them that
// prove themselves (`evidence`), and what they count
// (`statistics`).
// Decides: which refusals get a record of their own, who may read which records, and whether a trail is complete.
// States: a record is written with its event, then sealed, then exported, and removed at the end of its retention.
// Tables: audit_cursors, audit_records, audit_seals, login_statistics.
// Routes: /account/audit-records, /audit-records, /audit-records/{:auditRecordId, export, head, stream}, /statistics.
import { AuditServiceService } from '../../../proto/gen/authservice/audit/v1/audit_service.ts';
import { implement, type Service } from '../../platform/rpc/service.ts';
import type { Principal } from '../access/principal.ts';
import { createExportAuditRecords, type ExportAuditRecordsDependencies } from './evidence/export-audit-records.ts';
import { createGetAuditHead, type AuditHeadDependencies } from './seals/get-audit-head.ts';
import { createGetStatistics, type StatisticsDependencies } from './statistics/get-statistics.ts';
import {
  createGetAuditRecord,
  createListAuditRecords,
  type ListAuditRecordsDependencies,
} from './trail/list-audit-records.ts';
import { createListMyAuditRecords } from './trail/list-my-audit-records.ts';
import { createStreamAuditRecords, type StreamAuditRecordsDependencies } from './export/stream-audit-records.ts';

export type AuditHandlers = ReturnType<typeof auditHandlers>;

/** The RPCs of AuditService. */
export function auditHandlers(
  dependencies: StatisticsDependencies &
    AuditHeadDependencies &
    StreamAuditRecordsDependencies &
    ListAuditRecordsDependencies &
    ExportAuditRecordsDependencies,
) {
  return {
    listAuditRecords: createListAuditRecords(dependencies),
    getAuditRecord: createGetAuditRecord(dependencies),
    exportAuditRecords: createExportAuditRecords(dependencies),
    streamAuditRecords: createStreamAuditRecords(dependencies),
    getAuditHead: createGetAuditHead(dependencies),
    getStatistics: createGetStatistics(dependencies),
    listMyAuditRecords: createListMyAuditRecords(dependencies),
  };
}

export function auditService(handlers: AuditHandlers): Service<Principal> {
  return implement(AuditServiceService, handlers);
}
