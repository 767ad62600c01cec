// The RPCs on applications.
import type {
  CreateApplicationRequest,
  CreateApplicationResponse,
  DeleteApplicationRequest,
  DeleteApplicationResponse,
  GetApplicationRequest,
  GetApplicationResponse,
  ListApplicationsRequest,
  ListApplicationsResponse,
  UpdateApplicationRequest,
  UpdateApplicationResponse,
} from '../../../../proto/gen/authservice/oauth/v1/application_service.ts';
import type { Clock } from '../../../platform/clock.ts';
import { listPageInfo, listPageOf } from '../../../platform/rpc/paging.ts';
import { loadThenCheckReferences, loadThenHandle } from '../../../platform/rpc/service.ts';
import { APPLICATION_SECRETS, endSecrets, issueSecret } from '../../client-credentials/secrets.ts';
import { tenantOfNewAccount, type TenantExists } from '../../identity/users/account-input.ts';
import { narrowScope } from '../../identity/users/administrator.ts';
import type { Call } from '../../access/principal.ts';
import type { Revocations } from '../../token/revocations.ts';
import { deleteQueue } from '../../delivery/outbox.ts';
import { holdNames } from '../../tenancy/claim-username.ts';
import { holdDefinitions } from '../../tenancy/lock-tenant.ts';
import { hasSecrets, type Application } from './application.ts';
import { applicationMessage } from './application-message.ts';
import { APPLICATION_ORDER, deleteApplication, selectApplications, updateApplication } from './application-store.ts';
import {
  assertMayHave,
  createChangeApplication,
  createFindApplication,
  createFindToChange,
  withShared,
  type ChangeDependencies,
} from './change-application.ts';
import { COMMAND_LINE_ID, createWithSettings } from './command-line.ts';
import { addApplication, assertNoClientIds, type ApplicationChecks } from './add-application.ts';
import { isChanged, maskedChanges, newApplication } from './application-fields.ts';
import { checkApplication, checkClientId } from './check-application.ts';

export interface ApplicationDependencies extends ChangeDependencies, ApplicationChecks {
  readonly tenantExists: TenantExists;
  readonly revocations: Pick<Revocations, 'revokeGrants'>;
  readonly clock: Clock;
}

/** The RPCs of ApplicationService on applications. */
export function applicationHandlers(dependencies: ApplicationDependencies) {
  const { database, rules, audience, hasCommandLine, tenantExists, revocations, audit, clock } = dependencies;
  const withSettings = createWithSettings(dependencies);
  const findToRead = createFindApplication(dependencies);
  const findToChange = createFindToChange(dependencies);
  const { change } = createChangeApplication(dependencies);

  return {
    async listApplications(request: ListApplicationsRequest, call: Call): Promise<ListApplicationsResponse> {
      const page = listPageOf(request, call, APPLICATION_ORDER);
      const { query, disabled } = request;
      const scope = withShared(narrowScope(call.principal!, request.tenantId));
      const except = hasCommandLine ? undefined : COMMAND_LINE_ID;
      const found = await selectApplications(database, scope, { query, disabled, except }, page);
      const applications = found.items.flatMap((item) => withSettings(item) ?? []);
      return { applications: applications.map(applicationMessage), page: listPageInfo(page, found) };
    },

    createApplication: loadThenCheckReferences(
      async () => {},
      async (request: CreateApplicationRequest, call: Call, _found, violations): Promise<CreateApplicationResponse> => {
        const draft = newApplication(request, clock(), violations);
        checkClientId(request.clientId, violations);
        checkApplication(draft, rules, violations);
        violations.assertNone();
        assertMayHave(call.principal!, draft, audience);
        const tenantId = await tenantOfNewAccount(call.principal!, request.tenantId, tenantExists);
        const application = { ...draft, tenantId };
        const clientSecret = await audit.commit(call, async (tx, record) => {
          if (tenantId !== undefined) await holdDefinitions(database, tx, tenantId);
          const principal = (await call.recheck(tx))!;
          assertMayHave(principal, draft, audience);
          await addApplication(dependencies, tx, application, call.deadline);
          const { clientId, type } = draft;
          record({
            event: 'application.created',
            tenantId,
            actorId: principal.account.id,
            details: { application: draft.id, clientId, type },
          });
          return hasSecrets(draft)
            ? (await issueSecret(tx, APPLICATION_SECRETS, application, { createdAt: draft.createdAt })).value
            : undefined;
        });
        return { application: applicationMessage(application), ...(clientSecret !== undefined && { clientSecret }) };
      },
    ),

    getApplication: loadThenHandle(
      findToRead,
      async (_request: GetApplicationRequest, _call, application): Promise<GetApplicationResponse> => ({
        application: applicationMessage(application),
      }),
    ),

    updateApplication: loadThenCheckReferences(
      findToChange,
      async (request: UpdateApplicationRequest, call, found, violations): Promise<UpdateApplicationResponse> => {
        const changes = maskedChanges(request, violations);
        const check = (before: Application): Application => {
          const after = { ...before, ...changes };
          checkApplication(after, rules, violations, changes);
          violations.assertNone();
          return after;
        };
        check(found);
        const application = await change(call, found, request.precondition, async (locked) => {
          const { tx, application: before, principal, record } = locked;
          const after = check(before);
          assertMayHave(principal, after, audience);
          const names = Object.keys(changes).filter((name) => isChanged(before, after, name as keyof Application));
          if (names.length === 0) return before;
          if (names.includes('resources')) {
            await holdNames(database, tx);
            await assertNoClientIds(dependencies, tx, after);
          }
          const now = clock();
          const changed = { ...after, updatedAt: now, version: before.version + 1 };
          await updateApplication(tx, changed);
          record('application.changed', { fields: names.join() });
          // Otherwise they would be accepted again as soon as the keys are removed.
          if (!hasSecrets(changed)) await endSecrets(tx, APPLICATION_SECRETS, changed, now);
          return changed;
        });
        return { application: applicationMessage(application) };
      },
    ),

    deleteApplication: loadThenHandle(
      findToChange,
      async (request: DeleteApplicationRequest, call, found): Promise<DeleteApplicationResponse> => {
        await change(call, found, request.precondition, async ({ tx, application, record }) => {
          await deleteApplication(tx, application);
          await deleteQueue(tx, application);
          await revocations.revokeGrants(tx, application.id);
          record('application.deleted', {});
        });
        return {};
      },
    ),
  };
}
