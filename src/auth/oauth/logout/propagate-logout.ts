// The job that finds the ends of sessions, and makes a delivery for each application that has had a grant of one. An end of a session
// alone sets `check_at` in its own transaction, so it survives a crash. The job finds those that write only an account or a tenant by their
// revocations, and all others by looking at each session now and then: nothing depends on a message between processes.
import type { Logger } from 'pino';
import { UNLIMITED, type Clock } from '../../../platform/clock.ts';
import { newId } from '../../../platform/db/ids.ts';
import { repeatRolledBack } from '../../../platform/db/repeat-rolled-back.ts';
import type { Database, Statements } from '../../../platform/db/types.ts';
import { backgroundOf } from '../../../platform/jobs/background.ts';
import { intervalJob, OutdatedBatchError, type Batch } from '../../../platform/jobs/interval-job.ts';
import type { AuditEvent, AuditLog } from '../../audit/trail/audit-log.ts';
import { enqueue } from '../../delivery/outbox.ts';
import type { FindOwningApplication } from '../applications/application-loader-store.ts';
import type { SessionReader } from '../authorize/session-facts.ts';
import { LOGOUT_EVENT, logoutPayload } from './logout-receiver.ts';
import { createRevokedSubjects } from './revoked-subjects.ts';
import {
  checkLater,
  ENDED,
  selectDue,
  takeSessionApplications,
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
/** Recorded instead of a client's address. */
const LOGOUT_JOB = 'logout-job';

/** Creates the job of this process. */
export function createPropagateLogout(options: PropagateLogoutOptions) {
  const { sessionReader, findApplication, audit, clock, log, onDeliveries } = options;
  const database = backgroundOf(options.database);
  const revoked = createRevokedSubjects({ database, clock });

  /** First what is known to have ended: at a start after hours, all other sessions are due. */
  async function select(limit: number): Promise<readonly SessionApplication[]> {
    const ended = await selectDue(database, ENDED, limit);
    const found = ended.length > 0 ? ended : await revoked.select(limit);
    return found.length > 0 ? found : selectDue(database, clock(), limit);
  }

  async function batch(): Promise<Batch> {
    const found = await select(BATCH_SIZE);
    const now = clock();
    const sessions = [...Map.groupBy(found, ({ sessionId }) => sessionId).values()];
    const isLive = await Promise.all(
      sessions.map(async ([one]) => {
        const live = await sessionReader.ofId({ tenantId: one!.tenantId, id: one!.sessionId });
        return live?.session.accountId === one!.accountId;
      }),
    );
    await checkLater(
      database,
      sessions.filter((_, index) => isLive[index]).map(([one]) => one!),
      now,
    );
    const ended = sessions.filter((_, index) => !isLive[index]).flat();
    if (ended.length > 0) {
      await repeatRolledBack(() => propagate(ended));
      onDeliveries();
    }
    return { count: ended.length, hasMore: found.length > 0 };
  }

  async function propagate(ended: readonly SessionApplication[]): Promise<void> {
    const applicationIds = [...new Set(ended.map(({ applicationId }) => applicationId))];
    const found = await Promise.all(applicationIds.map((applicationId) => findApplication({ applicationId })));
    const receivers = new Map(
      found.flatMap((one) => (one?.application.backchannelLogoutUri ? [[one.application.id, one.application]] : [])),
    );
    const told = ended.filter(({ applicationId }) => receivers.has(applicationId));
    const context = { requestId: newId(), clientAddress: LOGOUT_JOB, deadline: UNLIMITED, log };
    await database.slices.run(() =>
      audit.commit(context, async (tx: Statements, record: (event: AuditEvent) => void) => {
        for (const ofSession of Map.groupBy(ended, ({ sessionId }) => sessionId).values())
          if ((await takeSessionApplications(tx, ofSession)) !== ofSession.length) throw new OutdatedBatchError();
        const now = clock();
        const deliveries = told.map((one) => ({
          id: newId(),
          receiver: receivers.get(one.applicationId)!,
          sequence: 0,
          event: LOGOUT_EVENT,
          content: { payload: logoutPayload(one) },
          createdAt: now,
        }));
        await enqueue(tx, database, deliveries, { now, createsQueues: true });
        for (const [sessionId, sent] of Map.groupBy(told, (one) => one.sessionId)) {
          const { tenantId, accountId } = sent[0]!;
          const details = { sessionId, applications: sent.length };
          record({ event: 'logout.propagated', tenantId, accountId, details });
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
      await revoked.refresh();
      return (await select(1)).length > 0 || undefined;
    },
    batch,
    failure: 'ends of sessions could not be propagated, the next interval tries again',
  });
}
