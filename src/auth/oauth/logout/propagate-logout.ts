// The job that finds the ends of sessions, and makes a delivery for each application that has had a grant of one. An end of a session
// alone sets `check_at` in its own transaction, so it survives a crash. The job finds those that write only an account or a tenant by their
// revocations, and all others by looking at each session now and then: nothing depends on a message between processes.
import type { Logger } from 'pino';
import { UNLIMITED, type Clock } from '../../../platform/clock.ts';
import { newId } from '../../../platform/db/ids.ts';
import type { Database, Statements } from '../../../platform/db/types.ts';
import { backgroundOf } from '../../../platform/jobs/background.ts';
import { intervalJob } from '../../../platform/jobs/interval-job.ts';
import type { AuditEvent, AuditLog } from '../../audit/trail/audit-log.ts';
import { insertDeliveries } from '../../webhook/delivery-store.ts';
import { insertQueueOnce, wakeQueues } from '../../webhook/queue-store.ts';
import type { FindOwningApplication } from '../applications/application-loader-store.ts';
import type { LiveSession, SessionReader } from '../authorize/session-facts.ts';
import { LOGOUT_EVENT, logoutPayload } from './logout-target.ts';
import {
  CHECK_INTERVAL_MS,
  checkLater,
  noticeRevocations,
  selectToCheck,
  takeSessionApplication,
  type SessionApplication,
} from './session-application-store.ts';

export interface PropagateLogoutOptions {
  readonly database: Database;
  readonly sessionReader: Pick<SessionReader, 'ofId'>;
  readonly findApplication: FindOwningApplication;
  readonly audit: Pick<AuditLog, 'commit'>;
  readonly clock: Clock;
  readonly log: Logger;
  /** Sends new deliveries soon. */
  readonly onDeliveries: () => void;
}

const INTERVAL_MS = 1_000;
const LEASE_MS = 10_000;
const BATCH_SIZE = 200;
/** Longer than the longest transaction, and the difference of clocks: revocations of this age are looked at again. */
const WINDOW_MS = 30_000;
/** Recorded instead of a client's address. */
const LOGOUT_JOB = 'logout-job';

/** Creates the job of this process. */
export function createPropagateLogout(options: PropagateLogoutOptions) {
  const { sessionReader, findApplication, audit, clock, log, onDeliveries } = options;
  const database = backgroundOf(options.database);
  let isFirst = true;

  async function batch(): Promise<{ readonly count: number; readonly hasMore: boolean }> {
    const due = await selectToCheck(database, clock(), BATCH_SIZE);
    const sessions = Map.groupBy(due, ({ sessionId }) => sessionId);
    const ended: SessionApplication[] = [];
    for (const [id, applications] of sessions) {
      const live = await sessionReader.ofId({ tenantId: applications[0]!.tenantId, id });
      if (live?.session.accountId !== applications[0]!.accountId) ended.push(...applications);
      else for (const one of applications) await checkLater(database, one, nextCheck(live));
    }
    if (ended.length > 0) await propagate(ended);
    return { count: ended.length, hasMore: due.length === BATCH_SIZE };
  }

  const nextCheck = ({ session }: LiveSession) =>
    Math.max(Math.min(session.expiresAt, clock() + CHECK_INTERVAL_MS), clock() + INTERVAL_MS);

  async function propagate(ended: readonly SessionApplication[]): Promise<void> {
    const applications = new Map(
      await Promise.all(
        [...new Set(ended.map(({ applicationId }) => applicationId))].map(
          async (applicationId) => [applicationId, (await findApplication({ applicationId }))?.application] as const,
        ),
      ),
    );
    const context = { requestId: newId(), clientAddress: LOGOUT_JOB, deadline: UNLIMITED, log };
    await database.slices.run(() =>
      audit.commit(context, async (tx: Statements, record: (event: AuditEvent) => void) => {
        const now = clock();
        const deliveries = [];
        for (const one of ended) {
          if (!(await takeSessionApplication(tx, one))) continue;
          const application = applications.get(one.applicationId);
          if (application?.backchannelLogoutUri === undefined) continue;
          const { tenantId, id } = application;
          deliveries.push({ one, webhook: { tenantId, id } });
        }
        // In one order in all transactions, so that they do not deadlock.
        const queues = [...new Map(deliveries.map(({ webhook }) => [webhook.id, webhook])).values()].toSorted((a, b) =>
          a.id < b.id ? -1 : 1,
        );
        for (const queue of queues) await insertQueueOnce(database, tx, queue);
        await wakeQueues(tx, database, queues, now);
        await insertDeliveries(
          tx,
          deliveries.map(({ one, webhook }) => ({
            id: newId(),
            webhook,
            sequence: 0,
            event: LOGOUT_EVENT,
            content: { payload: logoutPayload(one) },
            createdAt: now,
          })),
        );
        for (const [sessionId, sent] of Map.groupBy(deliveries, ({ one }) => one.sessionId)) {
          const { tenantId, accountId } = sent[0]!.one;
          record({
            event: 'logout.propagated',
            tenantId,
            accountId,
            details: { sessionId, applications: sent.length },
          });
        }
      }),
    );
  }

  return intervalJob({
    name: 'logouts',
    database,
    clock,
    intervalMs: INTERVAL_MS,
    lease: { durationMs: LEASE_MS, heldFor: 'job' },
    async begin() {
      // The first run after a start knows nothing of the time before.
      await noticeRevocations(database, isFirst ? 0 : Date.now() - WINDOW_MS);
      isFirst = false;
      const due = await selectToCheck(database, clock(), 1);
      return due.length > 0 ? true : undefined;
    },
    batch,
    onRun: (count) => count > 0 && onDeliveries(),
    failure: 'ends of sessions could not be propagated, the next interval tries again',
  });
}
