import { createRecordExport } from '../auth/audit/export/export-records.ts';
import { createOtlpLogs } from '../auth/audit/export/send-logs.ts';
import type { Foundation, Part } from './foundation.ts';

/** Creates the export to app.audit.otlp-endpoint. Without it, there is neither a job nor a metric. */
export async function createAuditExport({ settings, database, clock }: Foundation): Promise<Part> {
  const endpoint = settings['app.audit.otlp-endpoint'];
  if (endpoint === undefined) return {};
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
  return { metrics: job.metrics, jobs: [job] };
}
