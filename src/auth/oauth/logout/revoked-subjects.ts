// Accounts and tenants whose sessions have just ended together: their revocations say so. Each process reads the revocations of the last
// seconds, and keeps those in mind whose sessions have not all been looked at.
import type { Clock } from '../../../platform/clock.ts';
import type { Database } from '../../../platform/db/types.ts';
import { selectStopped } from '../../token/revocations.ts';
import {
  CHECK_INTERVAL_MS,
  selectOfAccounts,
  selectOfTenant,
  type SessionApplication,
} from './session-application-store.ts';

/** Longer than the longest call, which can commit so long after the time that it has written. */
const WINDOW_MS = 15_000;
/** Revocations that are read at a time, and accounts of a statement. */
const [READ_AT_ONCE, ACCOUNTS_AT_ONCE] = [10_000, 100];

interface Notice {
  /** When it was read: their sessions have ended before. */
  readonly at: number;
  readonly accountIds: readonly string[];
  readonly tenantId: string | undefined;
}

export function createRevokedSubjects({ database, clock }: { readonly database: Database; readonly clock: Clock }) {
  /** Times of revocations that were read, by subject. */
  const known = new Map<string, number>();
  const notices: Notice[] = [];
  // All sessions are looked at within this time, so older ones need no notice.
  let windowMs = CHECK_INTERVAL_MS;

  return {
    /** Reads new revocations. */
    async refresh(): Promise<void> {
      const at = clock();
      const found = await selectStopped(database, windowMs, READ_AT_ONCE);
      windowMs = WINDOW_MS;
      const fresh = found.filter(({ kind, id, changedAt }) => known.get(`${kind}:${id}`) !== changedAt);
      known.clear();
      for (const { kind, id, changedAt } of found) known.set(`${kind}:${id}`, changedAt);
      const accounts = fresh.flatMap(({ kind, id }) => (kind === 'tenant' ? [] : [id]));
      for (let start = 0; start < accounts.length; start += ACCOUNTS_AT_ONCE)
        notices.push({ at, accountIds: accounts.slice(start, start + ACCOUNTS_AT_ONCE), tenantId: undefined });
      for (const { kind, id } of fresh) if (kind === 'tenant') notices.push({ at, accountIds: [], tenantId: id });
    },

    /** Returns applications of their sessions that were not looked at since; none if there are no others. */
    async select(limit: number): Promise<readonly SessionApplication[]> {
      for (let notice = notices[0]; notice !== undefined; notice = notices[0]) {
        const { tenantId, accountIds, at } = notice;
        const found =
          tenantId === undefined
            ? await selectOfAccounts(database, accountIds, at, limit)
            : await selectOfTenant(database, tenantId, at, limit);
        if (found.length > 0) return found;
        notices.shift();
      }
      return [];
    },
  };
}
