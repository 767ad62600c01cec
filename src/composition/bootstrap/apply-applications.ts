// Creates the applications of a bootstrap plan that are missing. Existing ones are not changed.
import type { Logger } from 'pino';
import type { AuditEvent, AuditLog } from '../../auth/audit/trail/audit-log.ts';
import { insertClientSecret } from '../../auth/client-credentials/client-secret-store.ts';
import { APPLICATION_SECRETS } from '../../auth/client-credentials/secrets.ts';
import { addApplication, type ApplicationChecks } from '../../auth/oauth/applications/add-application.ts';
import { findApplicationByName } from '../../auth/oauth/applications/application-store.ts';
import { isCommandLine } from '../../auth/oauth/applications/command-line.ts';
import { UNLIMITED, type Clock } from '../../platform/clock.ts';
import { newId } from '../../platform/db/ids.ts';
import { repeatRolledBack } from '../../platform/db/repeat-rolled-back.ts';
import type { Statements } from '../../platform/db/types.ts';
import { ServiceError } from '../../platform/errors.ts';
import type { BootstrapPlan } from './plan.ts';
import { plannedApplication, plannedApplications, secretOf } from './planned-applications.ts';

type Outcome = 'created' | 'existing' | 'skipped';

/** Recorded in audit records instead of an actor's account and a client's address. */
const BOOTSTRAP = 'bootstrap';

/** Creates the applications of a plan that are missing, one after the other: each locks all names. */
export async function applyApplications(
  plan: BootstrapPlan,
  checks: ApplicationChecks,
  { audit, clock, log }: { readonly audit: AuditLog; readonly clock: Clock; readonly log: Logger },
): Promise<readonly Outcome[]> {
  const context = { requestId: newId(), clientAddress: BOOTSTRAP, deadline: UNLIMITED, log };
  const outcomes: Outcome[] = [];
  for (const planned of plannedApplications(plan)) outcomes.push(await create(planned));
  return outcomes;

  async function create(planned: ReturnType<typeof plannedApplications>[number]): Promise<Outcome> {
    const { database } = checks;
    const application = plannedApplication(planned, clock());
    const { clientId, type, tenantId, id: ownerId, createdAt } = application;
    const secret = secretOf(planned, application);
    const skip = (why: string): Outcome => {
      log.error({ place: planned.place, clientId, tenantId }, `bootstrap application skipped: ${why}`);
      return 'skipped';
    };
    const work = async (tx: Statements, record: (event: AuditEvent) => void) => {
      await addApplication(checks, tx, application, UNLIMITED);
      const details = { application: ownerId, clientId, type, actor: BOOTSTRAP };
      record({ event: 'application.created', tenantId, details });
      if (secret !== undefined)
        await insertClientSecret(tx, { tenantId, ownerId, secret, createdAt }, APPLICATION_SECRETS);
    };
    const existing = await findApplicationByName(database, clientId);
    if (existing)
      return existing.tenantId === tenantId && !isCommandLine(existing)
        ? 'existing'
        : skip('its client id is that of another application');
    try {
      await repeatRolledBack(() => audit.commit(context, work));
      return 'created';
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      // Another process that starts at the same moment may have created it.
      if (await findApplicationByName(database, clientId)) return create(planned);
      return skip(error.publicMessage ?? 'one of its resources is a client id');
    }
  }
}
