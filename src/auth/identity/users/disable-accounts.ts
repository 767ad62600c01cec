// The job that disables accounts at the time that an administrator has set. Their credentials are refused from that time on anyway: the
// job ends their sessions, tells the revocation feed, and records it.
import type { Logger } from 'pino';
import { UNLIMITED, type Clock } from '../../../platform/clock.ts';
import { newId } from '../../../platform/db/ids.ts';
import type { Database } from '../../../platform/db/types.ts';
import { ServiceError } from '../../../platform/errors.ts';
import { backgroundOf } from '../../../platform/jobs/background.ts';
import { intervalJob } from '../../../platform/jobs/interval-job.ts';
import type { AuditLog } from '../../audit/trail/audit-log.ts';
import { selectDueToDisable, type AccountKey } from '../account-store.ts';
import type { AccountAdministration, EndSessions } from './account-administration.ts';
import { settleDisabled } from './settle-disabled.ts';

const INTERVAL_MS = 2_000;
const LEASE_MS = 60_000;
const BATCH = 50;
/** Recorded instead of a client's address. */
const ADDRESS = 'disable-job';

/** Creates the job of this process. */
export function createDisableAccounts(options: {
  readonly database: Database;
  readonly administration: Pick<AccountAdministration, 'changeByToken'>;
  readonly endSessions: EndSessions;
  readonly audit: Pick<AuditLog, 'commit'>;
  readonly clock: Clock;
  readonly log: Logger;
}) {
  const { administration, endSessions, audit, clock, log } = options;
  const database = backgroundOf(options.database);

  async function disable(account: AccountKey): Promise<void> {
    const context = { requestId: newId(), clientAddress: ADDRESS, deadline: UNLIMITED, log };
    await audit.commit(context, (tx, emit) =>
      administration.changeByToken(tx, emit, context, account, (locked) =>
        settleDisabled(locked, endSessions, context.deadline),
      ),
    );
  }

  return intervalJob({
    name: 'disable-accounts',
    database,
    clock,
    intervalMs: INTERVAL_MS,
    lease: { durationMs: LEASE_MS, heldFor: 'run' },
    async begin() {
      const due = await selectDueToDisable(database, clock(), BATCH);
      return due.length > 0 ? due : undefined;
    },
    async batch(due) {
      for (const account of due) {
        await disable(account).catch((error: unknown) => {
          // It was deleted meanwhile.
          if (!(error instanceof ServiceError && error.reason === 'MAIL_TOKEN_INVALID')) throw error;
        });
      }
      return { count: due.length, hasMore: false };
    },
    failure: 'accounts could not be disabled at their time, the next interval tries again',
  });
}
