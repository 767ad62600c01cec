// The mail about a webhook that has failed for an hour: once, until a delivery succeeds, to the administrators of its tenant who may
// manage it.
import { UNLIMITED, type Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/db/types.ts';
import { backgroundOf } from '../../platform/jobs/background.ts';
import { intervalJob } from '../../platform/jobs/interval-job.ts';
import { markFailureTold } from '../delivery/outbox.ts';
import type { Notified, Notify } from '../mail/notices.ts';
import { selectFailing } from './webhook-store.ts';

export interface FailureMailOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly notify: Notify;
  /** Returns the administrators of a tenant who may manage its webhooks; without a tenant, those of all tenants. */
  readonly findAdministrators: (tenantId: string | undefined) => Promise<readonly Notified[]>;
}

const INTERVAL_MS = 60_000;
const LEASE_MS = 30_000;
const FAILS_FOR_MS = 3_600_000;

/** Creates the job of this process. */
export function createFailureMails({ clock, notify, findAdministrators, ...options }: FailureMailOptions) {
  const database = backgroundOf(options.database);
  const next = () => selectFailing(database, clock() - FAILS_FOR_MS);
  return intervalJob({
    name: 'webhook-failure-mails',
    database,
    clock,
    intervalMs: INTERVAL_MS,
    lease: { durationMs: LEASE_MS, heldFor: 'run' },
    begin: next,
    async batch() {
      const failing = await next();
      if (failing === undefined) return { count: 0, hasMore: false };
      const administrators = await findAdministrators(failing.tenantId);
      await database.transaction(UNLIMITED, async (tx) => {
        if (!(await markFailureTold(tx, failing, clock()))) return;
        const values = { webhook: new URL(failing.url).host };
        for (const administrator of administrators)
          await notify(tx, 'webhook-failing', administrator, failing.failingSince, values);
      });
      return { count: 1, hasMore: true };
    },
    failure: 'administrators could not be told of failing webhooks, the next interval tries again',
  });
}
