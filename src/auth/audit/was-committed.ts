import { setTimeout as sleep } from 'node:timers/promises';
import { isOver, type Deadline } from '../../platform/clock.ts';
import { isOutcomeUnknown } from '../../platform/db/errors.ts';
import type { Database } from '../../platform/db/types.ts';
import { DependencyUnavailableError } from '../../platform/errors.ts';
import { auditRecordExists, type NewAuditRecord } from './audit-store.ts';

const FIRST_PAUSE_MS = 25;
const LONGEST_PAUSE_MS = 400;
/** Some writes have no deadline of their own. */
const LONGEST_SEARCH_MS = 10_000;
/** A server may still be committing after its connection was lost. */
const READS_WITHOUT_RECORD = 3;

/**
 * Whether a write was committed although it failed with this error, because its response was lost. Its audit records
 * show that. Returns false if that is not known before the deadline or within 10 s.
 */
export async function wasCommitted(
  database: Database,
  error: unknown,
  records: readonly NewAuditRecord[],
  deadline: Deadline,
): Promise<boolean> {
  const [record] = records;
  if (!record || !isOutcomeUnknown(error)) return false;
  const giveUpAt = Date.now() + LONGEST_SEARCH_MS;
  let reads = 0;
  for (
    let pause = FIRST_PAUSE_MS;
    !isOver(deadline) && Date.now() < giveUpAt;
    pause = Math.min(2 * pause, LONGEST_PAUSE_MS)
  ) {
    try {
      if (await auditRecordExists(database, record)) return !isOver(deadline);
      reads += 1;
      if (reads === READS_WITHOUT_RECORD) return false;
    } catch (failure) {
      if (!(failure instanceof DependencyUnavailableError)) throw failure;
    }
    await sleep(pause);
  }
  return false;
}
