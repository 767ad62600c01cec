// The job that seals audit records. It gives committed records their place in one order of all tenants, and chains their seals. The
// lease only saves work: the number of the seal of a batch is its place in the table, so of two processes one is refused.
import { createSecretKey } from 'node:crypto';
import type { Logger } from 'pino';
import { UNLIMITED, type Clock } from '../../platform/clock.ts';
import { DatabaseError } from '../../platform/db/errors.ts';
import type { Database, Statements } from '../../platform/db/types.ts';
import { createKeptLease } from '../../platform/jobs/lease.ts';
import { gauge, type Metric } from '../../platform/metric.ts';
import { storeRecordSeals, type RecordSeal, type UnsealedRecord } from './audit-store.ts';
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
import { EVERY_TENANT } from './statistics-store.ts';

export interface SealerOptions {
  readonly database: Database;
  readonly key: Uint8Array;
  readonly clock: Clock;
}

const JOB = 'audit-seals';
/** A process that was killed delays the seals for so long. */
const LEASE_MS = 3_000;
/** Records of a batch. A transaction of SQLite blocks the process. */
const BATCH_SIZE: Readonly<Record<Database['engine'], number>> = { sqlite: 200, mysql: 500 };
/** Records of the first batch of a process: its code is not compiled yet, so each record takes longer. */
const FIRST_BATCH_SIZE = 25;
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

/** Seals a batch of at most so many records that wait, oldest first. */
export async function sealBatch(
  { database, key, clock }: SealerOptions,
  waiting: WaitingRecords,
  size: number,
): Promise<BatchResult> {
  return database.transaction(UNLIMITED, async (tx) => {
    // First: a batch that is committed after this read takes the number of this one.
    const last = await lastSeal(tx, EVERY_TENANT);
    const records = await selectWaiting(tx, database, waiting, size);
    if (records.length === 0) return { count: 0, newestAt: undefined };
    const first = (await lastSequence(tx, database, waiting.kind)) + 1;
    const newestAt = Math.max(...records.map(({ at }) => at));
    const { sealed, seals } = await sealAll(tx, { key, records, first, sealedAt: clock() });
    const stored = await storeRecordSeals(tx, database, sealed);
    if (stored !== sealed.length) throw new ChangedRecordsError(sealed.length - stored);
    const batch = nextSeal(key, last, {
      tenant: EVERY_TENANT,
      firstSequence: first,
      lastSequence: first + records.length - 1,
      newestAt,
      sealedAt: clock(),
      digest: digestOfSeals(seals),
    });
    await insertSeals(tx, [...seals, batch]);
    return { count: records.length, newestAt };
  });
}

/** An erasure has changed records after they were read. */
class ChangedRecordsError extends Error {
  constructor(count: number) {
    super(`${count} audit records have changed meanwhile`);
  }
}

interface SealedBatch {
  readonly key: Uint8Array;
  readonly records: readonly UnsealedRecord[];
  /** The sequence of the first record. */
  readonly first: number;
  readonly sealedAt: number;
}

/** Seals the records of each tenant and day together, so that the retention removes whole seals. */
async function sealAll(tx: Statements, { key, records, first, sealedAt }: SealedBatch) {
  const sealed: RecordSeal[] = [];
  const seals: Seal[] = [];
  const lasts = new Map<string, Seal | undefined>();
  const secretKey = createSecretKey(key);
  const salts = createSalts(records.length);
  for (const group of groupsOf(records)) {
    const tenant = group[0]!.tenantId ?? '';
    const firstSequence = first + sealed.length;
    const ofGroup = group.map((record, index) => {
      const sequence = firstSequence + index;
      return { record, sequence, seal: sealRecord(secretKey, record, sequence, salts[sequence - first]!) };
    });
    sealed.push(...ofGroup);
    const seal = nextSeal(key, lasts.has(tenant) ? lasts.get(tenant) : await lastSeal(tx, tenant), {
      tenant,
      firstSequence,
      lastSequence: firstSequence + group.length - 1,
      newestAt: Math.max(...group.map(({ at }) => at)),
      sealedAt,
      digest: digestOfRecords(ofGroup.map((one) => one.seal)),
    });
    lasts.set(tenant, seal);
    seals.push(seal);
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
  const { database, clock } = options;
  const lease = createKeptLease({ database, clock, name: JOB, durationMs: LEASE_MS });
  let waitingSince: number | undefined;
  /** The time of the oldest record that only a complete run finds, as long as none has found that it is sealed. */
  let lateSince: number | undefined;
  /** Records of the next batch. */
  let size = FIRST_BATCH_SIZE;
  /** How many of the next runs are complete ones. */
  let completeRunsDue = 0;
  /** The old records to seal; undefined if there are none, or if another process seals them. */
  let old: WaitingRecords | undefined;

  /** Seals a batch. The next one may be larger. */
  async function sealNext(waiting: WaitingRecords): Promise<BatchResult & { readonly isLast: boolean }> {
    const limit = size;
    const result = await sealBatch(options, waiting, limit);
    const isLast = result.count < limit;
    if (!isLast) size = Math.max(size, Math.min(2 * limit, BATCH_SIZE[database.engine]));
    return { ...result, isLast };
  }

  async function sealNew(from: number | undefined, signal: AbortSignal | undefined): Promise<number> {
    waitingSince = await oldestWaiting(database, { kind: 'new', from });
    if (from === undefined) lateSince = (waitingSince ?? Infinity) < clock() - RECENT_MS ? waitingSince : undefined;
    if (waitingSince === undefined) return 0;
    let sum = 0;
    while (!signal?.aborted && (await lease.hold())) {
      const { count, isLast } = await sealNext({ kind: 'new', from });
      sum += count;
      if (!isLast) continue;
      if (from === undefined) lateSince = undefined;
      break;
    }
    return sum;
  }

  /** Seals some old records. Old records are never inserted: a run continues at the time of the last one. */
  async function sealOld(signal: AbortSignal | undefined): Promise<number> {
    if (old && (await oldestWaiting(database, old)) === undefined) old = undefined;
    let sum = 0;
    for (let batch = 0; old && batch < OLD_BATCHES && !signal?.aborted; batch += 1) {
      const { count, newestAt } = (await lease.hold()) ? await sealNext(old) : { count: 0, newestAt: undefined };
      old = newestAt === undefined ? undefined : { kind: 'old', from: newestAt };
      sum += count;
    }
    return sum;
  }

  return {
    /**
     * Seals all new records, and some old ones, unless another process does. Returns their number.
     *
     * @param run.isRecentOnly Does not look for records that were stored more than ten minutes after their event, unless a run
     * has failed shortly before.
     */
    async sealDue(run: { readonly isRecentOnly?: boolean; readonly signal?: AbortSignal } = {}): Promise<number> {
      const { signal } = run;
      const isRecentOnly = run.isRecentOnly === true && completeRunsDue === 0;
      if (!isRecentOnly) old = { kind: 'old' };
      let sum = 0;
      try {
        sum += await sealNew(isRecentOnly ? clock() - RECENT_MS : undefined, signal);
        sum += await sealOld(signal);
        completeRunsDue = Math.max(0, completeRunsDue - 1);
      } catch (error) {
        const isSealedByOther = error instanceof DatabaseError && error.kind === 'duplicate';
        if (isSealedByOther || error instanceof ChangedRecordsError) return sum;
        completeRunsDue = COMPLETE_RUNS_AFTER_FAILURE;
        throw error;
      }
      return sum;
    },
    /** Lets another process take over at once. */
    release: lease.release,
    metrics: [
      {
        ...gauge(
          'audit_seal_lag_seconds',
          'Age of the oldest audit record without a seal, in seconds.',
          () => Math.max(0, clock() - Math.min(waitingSince ?? Infinity, lateSince ?? Infinity)) / 1000,
        ),
        // All processes read the same table.
        aggregator: 'max',
      },
    ] satisfies readonly Metric[],
  };
}

const INTERVAL_MS = 1_000;
/** A run that looks for all records comes once a minute. */
const RUNS_PER_COMPLETE_RUN = 60;

/** Seals records every second until it is stopped. A failure is logged; the next interval tries again. */
export function startSealer(sealer: Pick<ReturnType<typeof createSealer>, 'sealDue' | 'release'>, log: Logger) {
  const stopping = new AbortController();
  let running: Promise<unknown> | undefined;
  let runs = 0;
  const run = () =>
    sealer
      .sealDue({ isRecentOnly: runs++ % RUNS_PER_COMPLETE_RUN !== 0, signal: stopping.signal })
      .catch((error: unknown) =>
        log.warn({ err: error }, 'audit records could not be sealed, the next interval tries again'),
      )
      .finally(() => (running = undefined));
  const timer = setInterval(() => void (running ??= run()), INTERVAL_MS).unref();
  return {
    /** Resolves when the current run has ended. */
    async stop(): Promise<void> {
      clearInterval(timer);
      stopping.abort();
      await running;
      await sealer.release().catch(() => undefined);
    },
  };
}
