// The job that sends audit records to an OpenTelemetry collector. It reads them in the order of their seals and stores its place after the
// collector has accepted them: each record arrives at least once. Nothing waits in memory, so an outage of the collector costs nothing.
import type { Clock } from '../../../platform/clock.ts';
import type { Database } from '../../../platform/db/types.ts';
import { backgroundOf } from '../../../platform/jobs/background.ts';
import { intervalJob, isOutdatedBatch, NOTHING, type Batch } from '../../../platform/jobs/interval-job.ts';
import { counter, type Metric } from '../../../platform/metric.ts';
import { createFollowedRecords } from './follow-records.ts';
import type { OtlpLogs } from './send-logs.ts';

export interface RecordExportOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly logs: OtlpLogs;
}

const JOB = 'audit-otlp';
const INTERVAL_MS = 1_000;
/** Longer than a request. */
const LEASE_MS = 30_000;
const BATCH_SIZE = 200;
/** After a failure, doubling with each further one. */
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;

/** Creates the job of this process. */
export function createRecordExport({ clock, logs, ...options }: RecordExportOptions) {
  const database = backgroundOf(options.database);
  const records = createFollowedRecords(database);
  const counts = { exported: 0, rejected: 0, failures: 0 };
  let waitingSince: number | undefined;
  let size = BATCH_SIZE;
  let reportedRejections = 0;

  /** Returns the records that wait, and the place of the last one before them; the first process begins with the first record. */
  async function nextRecords(limit: number) {
    const place = await records.cursorOf(JOB);
    const found = await records.after(database, place ?? 0, limit);
    waitingSince = found[0]?.at;
    return { place, found };
  }

  /** Sends a batch. If the collector refuses it, the next one is smaller. Counts the records that are not sent again. */
  async function exportBatch(stopping: AbortSignal): Promise<Batch> {
    const { place, found } = await nextRecords(size);
    if (found.length === 0) return NOTHING;
    const { sent, rejected, isRefused } = await logs.send(found, { now: clock(), stopping, slices: database.slices });
    if (isRefused && sent > 1) {
      counts.failures += 1;
      size = Math.floor(sent / 2);
      return { count: 0, hasMore: true };
    }
    size = Math.min(2 * size, BATCH_SIZE);
    const last = found[sent - 1]!;
    if (!(await records.moveCursor(database, JOB, place, last.sequence))) return NOTHING;
    counts.exported += sent - rejected;
    counts.rejected += rejected;
    return { count: sent, hasMore: true };
  }

  const job = intervalJob({
    name: JOB,
    database,
    clock,
    intervalMs: INTERVAL_MS,
    // It only prevents that a record is sent twice: the place in the order is safe without it.
    lease: { durationMs: LEASE_MS, heldFor: 'job' },
    lag: {
      name: 'audit_export_lag_seconds',
      help: 'Age of the oldest sealed audit record that the collector has not accepted, in seconds.',
      since: () => waitingSince ?? Infinity,
    },
    async begin() {
      await nextRecords(1);
      return waitingSince;
    },
    async batch(_, { signal }) {
      try {
        return await exportBatch(signal);
      } catch (error) {
        // The records are sent again.
        if (signal.aborted) return NOTHING;
        if (!isOutdatedBatch(error)) counts.failures += 1;
        throw error;
      }
    },
    pauseAfter: ({ failures }) =>
      failures === 0 ? 0 : Math.min(FIRST_PAUSE_MS * 2 ** (failures - 1), LONGEST_PAUSE_MS),
    onRun(_, log) {
      if (counts.rejected === reportedRejections) return;
      reportedRejections = counts.rejected;
      log.warn({ rejected: reportedRejections }, 'the collector has rejected audit records, which are not sent again');
    },
    failure: 'audit records could not be exported, they are sent again',
    failureFields: (error) => ({ reason: reasonOf(error) }),
  });

  return {
    ...job,
    counts,
    metrics: [
      ...job.metrics,
      counter('audit_export_records_total', 'Audit records that the collector has accepted.', () => counts.exported),
      counter(
        'audit_export_rejected_total',
        'Audit records that the collector has rejected for good. They are not sent again.',
        () => counts.rejected,
      ),
      counter(
        'audit_export_failures_total',
        'Requests to the collector that failed and are repeated.',
        () => counts.failures,
      ),
    ] satisfies readonly Metric[],
  };
}

/** The cause of a failed request is in its `cause`. */
function reasonOf(error: unknown): string {
  const { message, cause } = error as { message?: string; cause?: { code?: string; message?: string } };
  return cause?.code ?? cause?.message ?? message ?? 'unknown';
}
