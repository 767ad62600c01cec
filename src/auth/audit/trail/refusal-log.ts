// Records refusals of credentials after the response. A refusal that waited for its commit would tell by its time that the
// account exists. Each process has its own log.
import type { Logger } from 'pino';
import { UNLIMITED, type Clock } from '../../../platform/clock.ts';
import { DatabaseError } from '../../../platform/db/errors.ts';
import type { Database } from '../../../platform/db/types.ts';
import { backgroundOf, type BackgroundDatabase } from '../../../platform/jobs/background.ts';
import { intervalJob } from '../../../platform/jobs/interval-job.ts';
import { gauge } from '../../../platform/metric.ts';
import { withoutErased } from './erased-audit-store.ts';
import { insertAuditRecords, insertNoRecord, type NewAuditRecord } from './audit-store.ts';
import { withUsernames } from './audit-username-store.ts';
import { COUNTED, createRefusalCounts, MINUTE_MS, type Refusal } from './refusal-counts.ts';

export type RefusalLog = ReturnType<typeof createRefusalLog>;

const INTERVAL_MS = 1_000;
const MAX_COUNTS = 1_000;
const MAX_ACCOUNTS = 1_000;
/** Maximum number of single records in memory. Further refusals are counted. */
const MAX_SINGLES = 5_000;
/** Records per transaction. */
const CHUNK_SIZE = 100;
/** Records in a log line about records that could not be stored. */
const MAX_LOGGED = 100;

export function createRefusalLog(options: {
  readonly database: Database;
  readonly clock: Clock;
  readonly log: Logger;
  /** Whether the work after a refusal must not tell if its account exists. */
  readonly uniformRefusals: boolean;
  readonly maxCounts?: number;
}) {
  const { clock, log, uniformRefusals, maxCounts = MAX_COUNTS } = options;
  const database = backgroundOf(options.database);
  const counts = createRefusalCounts({ maxCounts, maxAccounts: MAX_ACCOUNTS });
  let singles: NewAuditRecord[] = [];
  /** Records to store. A chunk does not change until it is stored, so that it can be retried. */
  let chunks: (readonly NewAuditRecord[])[] = [];
  /** Whether there was a refusal since the last write, and when the minute of the last refusal ends. */
  let isNoted = false;
  let notedMinuteEnd: number | undefined;

  const inChunks = () => chunks.reduce((total, chunk) => total + chunk.length, 0);

  /** Notes a refusal that has been stored with its transaction, so that the work after it is the same. */
  function note({ record: { at } }: Refusal): void {
    isNoted = true;
    notedMinuteEnd = at - (at % MINUTE_MS) + MINUTE_MS;
  }

  function addChunks(counted: readonly NewAuditRecord[]): void {
    const records = [...singles, ...counted];
    singles = [];
    for (let i = 0; i < records.length; i += CHUNK_SIZE) chunks.push(records.slice(i, i + CHUNK_SIZE));
  }

  function takeDue(time: number): void {
    addChunks(counts.takeEnded(time));
    const isMinuteEnded = notedMinuteEnd !== undefined && notedMinuteEnd <= time;
    const isDue = isNoted || isMinuteEnded;
    if (isMinuteEnded) notedMinuteEnd = undefined;
    isNoted = false;
    // Without a record, the transaction would be missing only if the account is unknown.
    if (uniformRefusals && isDue && chunks.length === 0) chunks.push([]);
  }

  async function storeNext(): Promise<void> {
    const chunk = chunks[0]!;
    await storeChunk(database, chunk);
    chunks = chunks.slice(1);
    for (const { event, clientAddress, details, accountId } of chunk) {
      if (event === COUNTED) log.info({ audit: COUNTED, network: clientAddress, accountId, ...details }, COUNTED);
    }
  }

  const job = intervalJob({
    name: 'refusals',
    database,
    clock,
    intervalMs: INTERVAL_MS,
    async begin() {
      takeDue(clock());
      return chunks.length > 0 || undefined;
    },
    async batch() {
      await storeNext();
      return { count: 1, hasMore: chunks.length > 0 };
    },
    failure: 'refusals could not be stored; the next interval tries again',
  }).start(log);

  return {
    note,
    /** Stores a refusal within a second, or counts it. Does not wait. */
    add(refusal: Refusal): void {
      note(refusal);
      const waiting = inChunks();
      if (singles.length + waiting < MAX_SINGLES && counts.takeSingle(refusal)) singles.push(refusal.record);
      else counts.count(refusal, waiting);
    },
    /** Stores the records of all refusals so far, except the counts of the current minute. Logs a failure and keeps them. */
    flush: () => job.runNow(),
    /** Stores everything. Logs an error with the records that could not be stored. */
    async close() {
      await job.stop();
      addChunks(counts.takeAll(clock()));
      try {
        while (chunks.length > 0) await storeNext();
      } catch (error) {
        const records = chunks.flat();
        // Only a transaction without a record was left.
        if (records.length === 0) return;
        const lost = records.slice(0, MAX_LOGGED).map(({ event, clientAddress, accountId, details }) => ({
          audit: event,
          network: clientAddress,
          accountId,
          ...details,
        }));
        log.error(
          { err: error, records: records.length, lost },
          'refusals could not be stored before the process stopped',
        );
      }
    },
    metrics: [
      gauge(
        'audit_refusals_waiting',
        'Audit records of refusals that are not stored yet, and counts of refusals of the current minute.',
        () => singles.length + inChunks() + counts.size,
      ),
    ],
  };
}

async function storeChunk(database: BackgroundDatabase, chunk: readonly NewAuditRecord[]): Promise<void> {
  try {
    await database.transaction(UNLIMITED, async (tx) => {
      for (const record of await withUsernames(tx, await withoutErased(tx, chunk)))
        await insertAuditRecords(tx, [record]);
      if (chunk.length === 0) await insertNoRecord(tx);
    });
  } catch (error) {
    // An earlier attempt was committed, but its response was lost.
    if (!(error instanceof DatabaseError && error.kind === 'duplicate')) throw error;
  }
}
