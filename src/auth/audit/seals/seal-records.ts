// The job that seals audit records. It gives committed records their place in one order of all tenants, and chains their seals. The
// lease only saves work: the number of the seal of a batch is its place in the table, so of two processes one is refused.
import { createSecretKey } from 'node:crypto';
import { UNLIMITED, type Clock } from '../../../platform/clock.ts';
import type { Database, Statements } from '../../../platform/db/types.ts';
import { backgroundOf, type BackgroundDatabase } from '../../../platform/jobs/background.ts';
import { createBatchSize, type BatchSize } from '../../../platform/jobs/batch-size.ts';
import { OutdatedBatchError, intervalJob, NOTHING } from '../../../platform/jobs/interval-job.ts';
import { storeRecordSeals, type RecordSeal, type UnsealedRecord } from '../trail/audit-store.ts';
import { selectRecords } from '../export/follow-record-store.ts';
import { createSalts, sealRecord } from './record-seal.ts';
import { digestOfRecords, digestOfSeals, nextSeal, type Seal } from './seal-chain.ts';
import {
  insertSeals,
  lastSeal,
  lastSequence,
  oldestWaiting,
  selectWaiting,
  type WaitingRecords,
} from './seal-store.ts';
import { EVERY_TENANT } from '../statistics/statistics-store.ts';

export interface SealerOptions {
  readonly database: Database;
  readonly key: Uint8Array;
  readonly clock: Clock;
}

const INTERVAL_MS = 1_000;
/** A run that looks for all records comes once a minute. */
const RUNS_PER_COMPLETE_RUN = 60;
/** A process that was killed delays the seals for so long. */
const LEASE_MS = 3_000;
/**
 * Records of a batch, and how long its transaction should take. The first batch of a process is small: its code is not compiled yet, so
 * each record takes longer.
 */
const BATCHES: Readonly<Record<Database['engine'], Parameters<typeof createBatchSize>[0]>> = {
  sqlite: { min: 25, max: 400 },
  // It waits for round trips most of the time, and locks no row of a call.
  mysql: { min: 100, max: 500, targetMs: 50 },
};
/** Batches of old records in a run. */
const OLD_BATCHES = 4;
/** Longer than a transaction, the minute of counted refusals, and the difference between the clocks of two machines. */
const RECENT_MS = 10 * 60_000;
/** After a failure: records that waited for the database are stored long after their event, some seconds after it responds again. */
const COMPLETE_RUNS_AFTER_FAILURE = 10;
const DAY_MS = 86_400_000;

/** A sealed batch. */
interface BatchResult {
  /** The number of its records. */
  readonly count: number;
  /** The time of the newest one; undefined without records. */
  readonly newestAt: number | undefined;
}

/**
 * Seals a batch of at most so many records that wait, oldest first. The transaction only stores the seals: it fails if another batch was
 * stored, or if a record was changed, after they were read.
 *
 * @param size Gets the duration of the transaction.
 */
export async function sealBatch(
  { database, key, clock }: SealerOptions & { readonly database: BackgroundDatabase },
  waiting: WaitingRecords,
  size: BatchSize,
): Promise<BatchResult> {
  // First: a batch that is committed after this read takes the number of this one.
  const last = await lastSeal(database, EVERY_TENANT);
  const records = await selectWaiting(database, database, waiting, size.rows);
  if (records.length === 0) return { count: 0, newestAt: undefined };
  const first = (await lastSequence(database, database, waiting.kind)) + 1;
  const newestAt = Math.max(...records.map(({ at }) => at));
  const { sealed, seals } = await sealAll({ database, key, records, first, sealedAt: clock() });
  const batch = nextSeal(key, last, {
    tenant: EVERY_TENANT,
    firstSequence: first,
    lastSequence: first + records.length - 1,
    newestAt,
    sealedAt: clock(),
    digest: digestOfSeals(seals),
  });
  const before = database.slices.usedMs;
  await database.transaction(UNLIMITED, async (tx) => {
    const isNext =
      (await lastSeal(tx, EVERY_TENANT))?.number === last?.number &&
      (await lastSequence(tx, database, waiting.kind)) + 1 === first;
    if (!isNext) throw new OutdatedBatchError('another batch was sealed');
    const stored = await storeRecordSeals(tx, database, sealed);
    if (stored !== sealed.length || !(await areUnchanged(tx, database, records)))
      throw new OutdatedBatchError('audit records have changed');
    await insertSeals(tx, [...seals, batch]);
  });
  size.adapt(database.slices.usedMs - before);
  return { count: records.length, newestAt };
}

/** Whether records that an erasure had changed before they were read are still the same. Reads rows that this transaction has written. */
async function areUnchanged(tx: Statements, engine: Pick<Database, 'engine'>, records: readonly UnsealedRecord[]) {
  const changed = new Map(records.filter(({ isAsInserted }) => !isAsInserted).map((record) => [record.id, record]));
  const current = await selectRecords(tx, engine, [...changed.values()]);
  return current.every(
    ({ id, username, clientAddress }) =>
      username === changed.get(id)?.username && clientAddress === changed.get(id)?.clientAddress,
  );
}

interface SealedBatch {
  readonly database: BackgroundDatabase;
  readonly key: Uint8Array;
  readonly records: readonly UnsealedRecord[];
  /** The sequence of the first record. */
  readonly first: number;
  readonly sealedAt: number;
}

/** Seals the records of each tenant and day together, so that the retention removes whole seals. */
async function sealAll({ database, key, records, first, sealedAt }: SealedBatch) {
  const groups = groupsOf(records);
  const secretKey = createSecretKey(key);
  const salts = createSalts(records.length);
  const sealed = await database.slices.map(groups.flat(), (record, index): RecordSeal => {
    const sequence = first + index;
    return { record, sequence, seal: sealRecord(secretKey, record, sequence, salts[index]!) };
  });
  const seals: Seal[] = [];
  const lasts = new Map<string, Seal | undefined>();
  let start = 0;
  for (const group of groups) {
    const tenant = group[0]!.tenantId ?? '';
    const ofGroup = sealed.slice(start, start + group.length);
    const seal = nextSeal(key, lasts.has(tenant) ? lasts.get(tenant) : await lastSeal(database, tenant), {
      tenant,
      firstSequence: first + start,
      lastSequence: first + start + group.length - 1,
      newestAt: Math.max(...group.map(({ at }) => at)),
      sealedAt,
      digest: digestOfRecords(ofGroup.map((one) => one.seal)),
    });
    lasts.set(tenant, seal);
    seals.push(seal);
    start += group.length;
  }
  return { sealed, seals };
}

/** Returns the records by tenant and day, each group by time. Ids break ties. */
function groupsOf(records: readonly UnsealedRecord[]): readonly (readonly UnsealedRecord[])[] {
  const dayOf = ({ at }: UnsealedRecord) => Math.floor(at / DAY_MS);
  const inOrder = records.toSorted((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1));
  const groups = Map.groupBy(inOrder, (record) => `${record.tenantId ?? ''} ${dayOf(record)}`);
  return [...groups].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, group]) => group);
}

/** Creates the job of this process. */
export function createSealer(options: SealerOptions) {
  const { clock } = options;
  const database = backgroundOf(options.database);
  let waitingSince: number | undefined;
  /** The time of the oldest record that only a complete run finds, as long as none has found that it is sealed. */
  let lateSince: number | undefined;
  const size = createBatchSize(BATCHES[database.engine]);
  /** How many of the next runs are complete ones. */
  let completeRunsDue = 0;
  /** The old records to seal; undefined if there are none. */
  let old: WaitingRecords | undefined;

  const job = intervalJob({
    name: 'audit-seals',
    database,
    clock,
    intervalMs: INTERVAL_MS,
    lease: { durationMs: LEASE_MS, heldFor: 'job' },
    lag: {
      name: 'audit_seal_lag_seconds',
      help: 'Age of the oldest audit record without a seal, in seconds.',
      since: () => Math.min(waitingSince ?? Infinity, lateSince ?? Infinity),
    },
    async begin(number) {
      const isComplete = number % RUNS_PER_COMPLETE_RUN === 0 || completeRunsDue > 0;
      completeRunsDue = Math.max(0, completeRunsDue - 1);
      const from = isComplete ? undefined : clock() - RECENT_MS;
      waitingSince = await oldestWaiting(database, { kind: 'new', from });
      if (isComplete) {
        lateSince = (waitingSince ?? Infinity) < clock() - RECENT_MS ? waitingSince : undefined;
        old = { kind: 'old' };
      }
      if (old && (await oldestWaiting(database, old)) === undefined) old = undefined;
      const hasNew = waitingSince !== undefined;
      return hasNew || old ? { from, hasNew, oldBatches: OLD_BATCHES } : undefined;
    },
    /** Seals new records, then some old ones. Old records are never inserted: a run continues at the time of the last one. */
    async batch(work) {
      const waiting: WaitingRecords | undefined = work.hasNew ? { kind: 'new', from: work.from } : old;
      if (waiting === undefined) return NOTHING;
      const limit = size.rows;
      const { count, newestAt } = await sealBatch({ ...options, database }, waiting, size);
      if (waiting.kind === 'new') {
        work.hasNew = count === limit;
        if (!work.hasNew && work.from === undefined) lateSince = undefined;
      } else {
        old = newestAt === undefined ? undefined : { kind: 'old', from: newestAt };
        work.oldBatches -= 1;
      }
      return { count, hasMore: work.hasNew || (old !== undefined && work.oldBatches > 0) };
    },
    onFailure: () => void (completeRunsDue = COMPLETE_RUNS_AFTER_FAILURE),
    failure: 'audit records could not be sealed, the next interval tries again',
  });

  return {
    ...job,
    /**
     * Seals all new records, and some old ones, unless another process does. Returns their number.
     *
     * @param run.isRecentOnly Does not look for records that were stored more than ten minutes after their event, unless a run
     * has failed shortly before.
     */
    async sealDue(run: { readonly isRecentOnly?: boolean } = {}): Promise<number> {
      return (await job.run(undefined, undefined, run.isRecentOnly ? 1 : 0)) ?? 0;
    },
  };
}
