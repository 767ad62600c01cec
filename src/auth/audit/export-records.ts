// The job that sends audit records to an OpenTelemetry collector. It reads them in the order of their seals and stores its place after the
// collector has accepted them: each record arrives at least once. Nothing waits in memory, so an outage of the collector costs nothing.
import type { Logger } from 'pino';
import type { Clock } from '../../platform/clock.ts';
import { DatabaseError } from '../../platform/db/errors.ts';
import type { Database } from '../../platform/db/types.ts';
import { backgroundOf } from '../../platform/jobs/background.ts';
import { createKeptLease } from '../../platform/jobs/lease.ts';
import { startJob, type RunningJob } from '../../platform/jobs/start-job.ts';
import { counter, gauge, type Metric } from '../../platform/metric.ts';
import { createFollowedRecords } from './follow-records.ts';
import type { OtlpLogs } from './send-logs.ts';

export interface RecordExportOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly logs: OtlpLogs;
}

const JOB = 'audit-otlp';
/** Longer than a request. */
const LEASE_MS = 30_000;
const BATCH_SIZE = 200;
/** After a failure, doubling with each further one. */
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;

export type RecordExport = ReturnType<typeof createRecordExport>;

/** Creates the job of this process. */
export function createRecordExport({ clock, logs, ...options }: RecordExportOptions) {
  const database = backgroundOf(options.database);
  const records = createFollowedRecords(database);
  const counts = { exported: 0, rejected: 0, failures: 0 };
  // It only prevents that a record is sent twice: the place in the order is safe without it.
  const lease = createKeptLease({ database, clock, name: JOB, durationMs: LEASE_MS });
  let waitingSince: number | undefined;
  let size = BATCH_SIZE;
  let pause = 0;
  let pausedUntil = 0;

  /** Returns the records that wait, and the place of the last one before them; the first process begins with the first record. */
  async function nextRecords(limit: number) {
    const place = await records.cursorOf(JOB);
    const found = await records.after(database, place ?? 0, limit);
    waitingSince = found[0]?.at;
    return { place, found };
  }

  /** Sends a batch, or less of it if the collector refuses it. Returns the number of records that are not sent again. */
  async function exportBatch(stopping: AbortSignal): Promise<number> {
    const { place, found } = await nextRecords(size);
    if (found.length === 0) return 0;
    const { sent, rejected, isRefused } = await logs.send(found, { now: clock(), stopping, slices: database.slices });
    if (isRefused && sent > 1) {
      counts.failures += 1;
      size = Math.floor(sent / 2);
      return (await lease.hold()) ? exportBatch(stopping) : 0;
    }
    size = Math.min(2 * size, BATCH_SIZE);
    const last = found[sent - 1]!;
    if (!(await records.moveCursor(database, JOB, place, last.sequence))) return 0;
    counts.exported += sent - rejected;
    counts.rejected += rejected;
    return sent;
  }

  const setPause = (milliseconds: number) => {
    pause = milliseconds;
    pausedUntil = performance.now() + milliseconds;
  };

  return {
    database,
    /**
     * Sends all records that wait, unless another process does, or an attempt has failed shortly before. Returns their number. Rejects
     * after a failed attempt.
     */
    async run(stopping: AbortSignal = new AbortController().signal): Promise<number> {
      // In each process: all show how long records wait.
      if ((await nextRecords(1)).found.length === 0 || performance.now() < pausedUntil) return 0;
      let count = 0;
      try {
        for (let done = 1; done > 0 && !stopping.aborted && (await lease.hold()); count += done) {
          done = await exportBatch(stopping);
          setPause(0);
        }
      } catch (error) {
        // Another process has stored the first place.
        if (error instanceof DatabaseError && error.kind === 'duplicate') return count;
        if (stopping.aborted) return count;
        counts.failures += 1;
        setPause(Math.min(Math.max(2 * pause, FIRST_PAUSE_MS), LONGEST_PAUSE_MS));
        throw error;
      }
      return count;
    },
    /** Lets another process take over at once. */
    release: lease.release,
    counts,
    metrics: [
      {
        ...gauge(
          'audit_export_lag_seconds',
          'Age of the oldest sealed audit record that the collector has not accepted, in seconds.',
          () => (waitingSince === undefined ? 0 : Math.max(0, clock() - waitingSince) / 1000),
        ),
        // All processes read the same table.
        aggregator: 'max',
      },
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

const INTERVAL_MS = 1_000;

/** Sends records every second until it is stopped. A failure is logged and repeated after a pause. */
export function startRecordExport(
  exporter: Pick<RecordExport, 'database' | 'run' | 'release' | 'counts'>,
  log: Logger,
): RunningJob {
  let reportedRejections = 0;
  const report = () => {
    if (exporter.counts.rejected === reportedRejections) return;
    reportedRejections = exporter.counts.rejected;
    log.warn({ rejected: reportedRejections }, 'the collector has rejected audit records, which are not sent again');
  };
  const job = startJob({
    database: exporter.database,
    intervalMs: INTERVAL_MS,
    run: (stopping) => exporter.run(stopping).then(report),
    onFailure: (error) =>
      log.warn({ reason: reasonOf(error) }, 'audit records could not be exported, they are sent again'),
  });
  return {
    /** Ends a current request, whose records are sent again. */
    async stop() {
      await job.stop();
      await exporter.release().catch(() => undefined);
    },
  };
}

/** The cause of a failed request is in its `cause`. */
function reasonOf(error: unknown): string {
  const { message, cause } = error as { message?: string; cause?: { code?: string; message?: string } };
  return cause?.code ?? cause?.message ?? message ?? 'unknown';
}
