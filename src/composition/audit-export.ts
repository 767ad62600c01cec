import { createRecordExport, startRecordExport } from '../auth/audit/export-records.ts';
import { createOtlpLogs } from '../auth/audit/send-logs.ts';
import type { Foundation, Part } from './foundation.ts';

/** The export of audit records to an OpenTelemetry collector. */
export interface AuditExport extends Part {
  /** Starts the job. */
  start(): { stop(): Promise<void> };
}

/** Creates the export to app.audit.otlp-endpoint. Without it, there is neither a job nor a metric. */
export async function createAuditExport({ settings, database, clock, log }: Foundation): Promise<AuditExport> {
  const endpoint = settings['app.audit.otlp-endpoint'];
  if (endpoint === undefined) return { start: () => ({ stop: async () => {} }) };
  const { readLogHeaders } = await import('../platform/tracing/otlp-headers.ts');
  const job = createRecordExport({
    database,
    clock,
    logs: createOtlpLogs({
      endpoint,
      serviceName: settings['app.tracing.service-name'],
      environment: settings['app.env'],
      headers: readLogHeaders(process.env),
    }),
  });
  return { metrics: job.metrics, start: () => startRecordExport(job, log) };
}
