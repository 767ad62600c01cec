// Refusals of credentials for unknown accounts. Anyone can cause any number of them. So they are counted in memory and
// stored as one audit record per network, kind and minute. Each process stores its own.
import type { Logger } from 'pino';
import { UNLIMITED, type Clock } from '../clock.ts';
import { DatabaseError } from '../db/errors.ts';
import { newId } from '../db/ids.ts';
import type { Database } from '../db/types.ts';
import { insertAuditRecords, type NewAuditRecord } from './audit-store.ts';

/** The kind of credential that was presented. */
export type RefusalKind = 'username' | 'client-id' | 'refresh-token' | 'api-key';

export interface CountedRefusals {
  count(kind: RefusalKind, network: string): void;
  /** Stores all counts. Logs an error with the counts that could not be stored. */
  close(): Promise<void>;
}

interface Entry {
  readonly kind: RefusalKind;
  readonly network: string;
  /** Start of the minute, Unix milliseconds. */
  readonly minute: number;
  count: number;
  lastAt: number;
}

const MINUTE_MS = 60_000;
const INTERVAL_MS = 1_000;
/** Maximum number of entries in memory. Further networks of a minute are counted together. */
const MAX_ENTRIES = 1_000;
const OTHERS = 'others';
/** Records per transaction. */
const CHUNK_SIZE = 100;

export function countRefusals(options: {
  readonly database: Database;
  readonly clock: Clock;
  readonly log: Logger;
  readonly maxEntries?: number;
}): CountedRefusals {
  const { database, clock, log, maxEntries = MAX_ENTRIES } = options;
  const open = new Map<string, Entry>();
  /** Records to store. A chunk does not change until it is stored, so that it can be retried. */
  let closed: NewAuditRecord[][] = [];
  let storing: Promise<void> | undefined;

  function entryOf(kind: RefusalKind, network: string, now: number): Entry {
    const minute = now - (now % MINUTE_MS);
    const key = `${minute} ${kind} ${network}`;
    const known = open.get(key);
    if (known) return known;
    const full = open.size + closed.flat().length >= maxEntries;
    if (full && network !== OTHERS) return entryOf(kind, OTHERS, now);
    const entry = { kind, network, minute, count: 0, lastAt: now };
    open.set(key, entry);
    return entry;
  }

  function closeMinutesBefore(time: number): void {
    const records: NewAuditRecord[] = [];
    for (const [key, entry] of open) {
      if (entry.minute + MINUTE_MS > time) continue;
      open.delete(key);
      records.push(recordOf(entry));
    }
    for (let i = 0; i < records.length; i += CHUNK_SIZE) closed.push(records.slice(i, i + CHUNK_SIZE));
  }

  async function store(): Promise<void> {
    for (let chunk = closed[0]; chunk !== undefined; chunk = closed[0]) {
      await storeChunk(database, chunk);
      closed = closed.slice(1);
      for (const { clientAddress, details } of chunk)
        log.info({ audit: COUNTED, network: clientAddress, ...details }, COUNTED);
    }
  }

  async function storeEnded(): Promise<void> {
    closeMinutesBefore(clock());
    try {
      await store();
    } catch (error) {
      log.warn({ err: error }, 'counted refusals could not be stored; the next interval tries again');
    }
  }

  const timer = setInterval(() => {
    storing ??= storeEnded().finally(() => (storing = undefined));
  }, INTERVAL_MS).unref();

  return {
    count(kind, network) {
      const now = clock();
      const entry = entryOf(kind, network, now);
      entry.count += 1;
      entry.lastAt = now;
    },
    async close() {
      clearInterval(timer);
      await storing;
      closeMinutesBefore(Infinity);
      await store().catch((error: unknown) => {
        const lost = closed.flat().map(({ clientAddress, details }) => ({ network: clientAddress, ...details }));
        log.error({ err: error, lost }, 'counted refusals could not be stored before the process stopped');
      });
    },
  };
}

const COUNTED = 'refusals.counted';

function recordOf({ kind, network, minute, count, lastAt }: Entry): NewAuditRecord {
  return {
    id: newId(),
    tenantId: undefined,
    at: lastAt,
    event: COUNTED,
    clientAddress: network,
    requestId: '',
    details: { kind, minute: new Date(minute).toISOString(), count },
  };
}

async function storeChunk(database: Database, chunk: readonly NewAuditRecord[]): Promise<void> {
  try {
    await database.transaction(UNLIMITED, async (tx) => {
      for (const record of chunk) await insertAuditRecords(tx, [{ ...record, stored: true }]);
    });
  } catch (error) {
    // An earlier attempt was committed, but its response was lost.
    if (!(error instanceof DatabaseError && error.kind === 'duplicate')) throw error;
  }
}
