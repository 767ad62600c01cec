// Decides which refusals of a credential get their own audit record, and counts the others. Anyone can cause any number of
// refusals, so the number of records per minute is bounded. Nothing here reads or writes the database.
import { newId } from '../../../platform/db/ids.ts';
import { networkOf } from '../../../platform/formats/network.ts';
import type { NewAuditRecord } from './audit-store.ts';

/** The kind of credential that was presented. */
export type RefusalKind = 'username' | 'client-id' | 'refresh-token' | 'api-key' | 'second-factor';

/** A refusal, and the record that it gets if it is not counted. Its subject is the account or the application, if one is known. */
export interface Refusal {
  readonly kind: RefusalKind;
  readonly record: NewAuditRecord;
}

/** The event of a record that counts refusals. */
export const COUNTED = 'refusals.counted';
export const MINUTE_MS = 60_000;
/** Refusals of an account with their own record, per kind and minute. */
const SINGLES_PER_MINUTE = 5;
/** Recorded instead of a network if there are several, or if there are too many counts. */
const OTHERS = 'others';

interface Entry {
  readonly kind: RefusalKind;
  /** Start of the minute, Unix milliseconds. */
  readonly minute: number;
  readonly subject?: Pick<NewAuditRecord, 'tenantId' | 'accountId' | 'username'> | undefined;
  readonly application?: string | undefined;
  readonly reason?: string | undefined;
  network: string;
  count: number;
}

/**
 * @param options.maxCounts Maximum number of counts, half of them of networks. Further networks and subjects of a minute are
 *   counted together.
 * @param options.maxAccounts Maximum number of subjects with single records in a minute.
 */
export function createRefusalCounts(options: { readonly maxCounts: number; readonly maxAccounts: number }) {
  const { maxCounts, maxAccounts } = options;
  const entries = new Map<string, Entry>();
  /** The number of single records of each subject in `singlesMinute`. */
  const singles = new Map<string, number>();
  let singlesMinute = 0;

  function entryOf(key: string, created: Omit<Entry, 'count'>): Entry {
    const entry = entries.get(key) ?? { ...created, count: 0 };
    entries.set(key, entry);
    return entry;
  }

  return {
    /** The number of counts. */
    get size() {
      return entries.size;
    },
    /**
     * Whether a refusal gets its own record: each subject has few per kind and minute. Refusals without a known subject
     * get none.
     */
    takeSingle({ kind, record }: Refusal): boolean {
      const { at } = record;
      const id = subjectOf(record);
      if (id === undefined) return false;
      if (singlesMinute !== minuteOf(at)) {
        singlesMinute = minuteOf(at);
        singles.clear();
      }
      const key = `${kind} ${id}`;
      const taken = singles.get(key);
      if (taken === SINGLES_PER_MINUTE || (taken === undefined && singles.size >= maxAccounts)) return false;
      singles.set(key, (taken ?? 0) + 1);
      return true;
    },
    /**
     * Counts a refusal by subject and reason, or by network if the subject is unknown.
     *
     * @param waiting The number of records that are not stored yet.
     */
    count({ kind, record }: Refusal, waiting: number): void {
      const { tenantId, accountId, username, at, details } = record;
      const network = networkOf(record.clientAddress);
      const minute = minuteOf(at);
      const id = subjectOf(record);
      const reason = id === undefined ? undefined : String(details?.['reason'] ?? '');
      const key = `${minute} ${kind} ${id === undefined ? network : `${id} ${reason}`}`;
      // Anyone can refuse from many networks. So networks leave room for the counts of subjects.
      const room = id === undefined ? maxCounts / 2 : maxCounts;
      const isFull = !entries.has(key) && entries.size + waiting >= room;
      const subject = id === undefined ? undefined : { tenantId, accountId, username };
      const application = applicationOf(record);
      const entry = isFull
        ? entryOf(`${minute} ${kind} ${OTHERS}`, { kind, minute, network: OTHERS })
        : entryOf(key, { kind, minute, subject, application, reason, network });
      entry.count += 1;
      if (entry.network !== network) entry.network = OTHERS;
    },
    /** Removes the counts of minutes that ended before `time` and returns their records. */
    takeEnded(time: number): NewAuditRecord[] {
      const ended = [...entries].filter(([, { minute }]) => minute + MINUTE_MS <= time);
      for (const [key] of ended) entries.delete(key);
      return ended.map(([, entry]) => recordOf(entry, entry.minute + MINUTE_MS));
    },
    /** Removes all counts and returns their records, none later than `time`. */
    takeAll(time: number): NewAuditRecord[] {
      const all = [...entries.values()];
      entries.clear();
      return all.map((entry) => recordOf(entry, Math.min(time, entry.minute + MINUTE_MS)));
    },
  };
}

/** Returns the id of the account or the application; undefined if none is known. */
function subjectOf(record: NewAuditRecord): string | undefined {
  return record.accountId ?? applicationOf(record);
}

function applicationOf({ details }: NewAuditRecord): string | undefined {
  const application = details?.['application'];
  return application === undefined ? undefined : String(application);
}

function minuteOf(time: number): number {
  return time - (time % MINUTE_MS);
}

/** @param at The end of the minute, so that the record is as new as its id, or the end of the process. */
function recordOf({ kind, minute, subject, application, reason, network, count }: Entry, at: number): NewAuditRecord {
  return {
    id: newId(),
    tenantId: undefined,
    ...subject,
    at,
    event: COUNTED,
    clientAddress: network,
    requestId: '',
    details: {
      kind,
      ...(application !== undefined && { application }),
      ...(reason !== undefined && { reason }),
      minute: new Date(minute).toISOString(),
      count,
    },
  };
}
