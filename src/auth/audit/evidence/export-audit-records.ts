// Streams all records of a filter as a file, page by page: memory for one page, however many records there are.
import {
  AuditExportFormat,
  type ExportAuditRecordsRequest,
  type ExportAuditRecordsResponse,
} from '../../../../proto/gen/authservice/audit/v1/audit_service.ts';
import { UNLIMITED, type Clock } from '../../../platform/clock.ts';
import type { Database } from '../../../platform/db/types.ts';
import { createStreamLimit } from '../../../platform/limits/stream-limit.ts';
import { readerOf } from '../../../platform/rpc/paging.ts';
import type { Call } from '../../access/principal.ts';
import type { AuditFeed } from '../export/audit-feed.ts';
import { createParseAuditFilter, readableScope, type AuditFilter, type FindAccountId } from '../trail/audit-filter.ts';
import { selectRecordsToExport } from '../trail/audit-list-store.ts';
import type { AuditLog } from '../trail/audit-log.ts';
import { auditRecordJson } from '../trail/audit-message.ts';
import { CSV_HEADER, csvLine } from './csv-lines.ts';
import { createEvidenceWriter } from './evidence-writer.ts';
import { describeFilter } from './describe-filter.ts';
import type { FileWriter } from './file-writer.ts';

export interface ExportAuditRecordsDependencies {
  readonly database: Database;
  readonly audit: Pick<AuditLog, 'record'>;
  readonly auditFeed: Pick<AuditFeed, 'slices'>;
  readonly findAccountId: FindAccountId;
  readonly clock: Clock;
  /** The key of the seals. */
  readonly sealKey: Uint8Array;
  readonly auditStreamsPerAccount: number;
  /** Default: 1,000,000. */
  readonly maxExported?: number;
}

const MAX_EXPORTED = 1_000_000;
const PAGE_SIZE = 500;
/** A message of a stream has at least so many characters, except the last one. */
const CHUNK_CHARS = 64 * 1024;

const CSV: FileWriter = {
  begin: () => CSV_HEADER,
  lineOf: (record) => csvLine(auditRecordJson(record)),
  async *end() {},
};

/** AuditService.ExportAuditRecords. Also an export that its caller breaks off is recorded. */
export function createExportAuditRecords(options: ExportAuditRecordsDependencies) {
  const { database, audit, auditFeed, clock, maxExported = MAX_EXPORTED } = options;
  const parseFilter = createParseAuditFilter(options.findAccountId);
  const limit = createStreamLimit('exports of audit records', options.auditStreamsPerAccount);
  const createEvidence = createEvidenceWriter(options);

  return async function* (request: ExportAuditRecordsRequest, call: Call): AsyncGenerator<ExportAuditRecordsResponse> {
    const { format, ...filters } = request;
    const filter = await parseFilter(filters, call);
    const isCsv = format === AuditExportFormat.AUDIT_EXPORT_FORMAT_CSV;
    const described = describeFilter(filters);
    const scope = readableScope(call.principal!, request.tenantId);
    const bounded = filter && withEnd(filter, clock());
    const writer = isCsv ? CSV : createEvidence({ filter: bounded, scope, described, call });
    const close = limit.begin(call.principal!.account.id);
    const sent = { records: 0, isTruncated: false, isWhole: false };
    try {
      for await (const content of chunksOf(write(writer, bounded, sent, call))) yield { content };
      sent.isWhole = true;
    } finally {
      close();
      await recordExport();
    }

    function recordExport(): Promise<void> {
      const tenantId = scope.everyTenant ? undefined : scope.tenantId;
      const { account } = call.principal!;
      const details = {
        filter: described,
        format: isCsv ? 'csv' : 'ndjson',
        count: sent.records,
        ...(!sent.isWhole && { interrupted: true }),
        ...(sent.isTruncated && { truncated: true }),
      };
      const { requestId, clientAddress, log, principal } = call;
      // Its caller can be gone.
      const context = { requestId, clientAddress, log, principal, deadline: UNLIMITED };
      return audit.record(context, { event: 'audit.exported', tenantId, actorId: account.id, details });
    }
  };

  async function* write(
    writer: FileWriter,
    filter: AuditFilter | undefined,
    sent: { records: number; isTruncated: boolean },
    call: Call,
  ): AsyncGenerator<string> {
    yield await writer.begin();
    const base = { page: 1, perPage: PAGE_SIZE, offset: 0, reader: readerOf(call) };
    for (let after: Position; filter;) {
      const perPage = Math.min(PAGE_SIZE, maxExported - sent.records);
      const found = await selectRecordsToExport(database, filter, { ...base, perPage, after });
      await writer.prepare?.(found.items);
      for (const line of await auditFeed.slices.map(found.items, (record) => writer.lineOf(record))) yield line;
      sent.records += found.items.length;
      after = found.next;
      sent.isTruncated = after !== undefined && sent.records >= maxExported;
      if (after === undefined || sent.isTruncated) break;
    }
    yield* writer.end(sent);
  }
}

type Position = Awaited<ReturnType<typeof selectRecordsToExport>>['next'];

/** Returns the filter without records that are made later: the export would not end. */
function withEnd(filter: AuditFilter, now: number): AuditFilter {
  return { ...filter, until: Math.min(filter.until ?? Infinity, now + 1) };
}

async function* chunksOf(texts: AsyncIterable<string>): AsyncGenerator<Buffer> {
  let chunk: string[] = [];
  let length = 0;
  for await (const text of texts) {
    chunk.push(text);
    length += text.length;
    if (length < CHUNK_CHARS) continue;
    yield Buffer.from(chunk.join(''));
    [chunk, length] = [[], 0];
  }
  if (length > 0) yield Buffer.from(chunk.join(''));
}
