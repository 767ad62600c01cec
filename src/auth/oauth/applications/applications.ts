// The RPCs on applications.
import type {
  ApplicationFields,
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
import { DatabaseError } from '../../../platform/db/errors.ts';
import { newId } from '../../../platform/db/ids.ts';
import type { Statements } from '../../../platform/db/types.ts';
import { ServiceError } from '../../../platform/errors.ts';
import { listPageInfo, listPageOf } from '../../../platform/rpc/paging.ts';
import type { RequestViolations } from '../../../platform/rpc/request-violations.ts';
import { loadThenCheckReferences, loadThenHandle } from '../../../platform/rpc/service.ts';
import { APPLICATION_SECRETS, endSecrets, issueSecret } from '../../client-credentials/secrets.ts';
import { tenantOfNewAccount, type TenantExists } from '../../identity/users/account-input.ts';
import { narrowScope } from '../../identity/users/administrator.ts';
import type { Call } from '../../access/principal.ts';
import { holdNames, lockNames } from '../../tenancy/claim-username.ts';
import { holdDefinitions } from '../../tenancy/lock-tenant.ts';
import { SCOPES } from '../scopes.ts';
import { APPLICATION, applicationType, hasSecrets, type Application } from './application.ts';
import { applicationMessage } from './application-message.ts';
import {
  APPLICATION_ORDER,
  countApplications,
  deleteApplication,
  isResource,
  insertApplication,
  selectApplications,
  selectClientIds,
  updateApplication,
} from './application-store.ts';
import {
  assertMayHave,
  createChangeApplication,
  createFindApplication,
  createFindToChange,
  withShared,
  type ChangeDependencies,
} from './change-application.ts';
import { checkApplication, checkClientId, readLogo, type ApplicationRules } from './check-application.ts';

export interface ApplicationDependencies extends ChangeDependencies {
  readonly rules: ApplicationRules;
  readonly tenantExists: TenantExists;
  /** Whether an account, or the service itself, has this username or client id. */
  readonly isNameTaken: (tx: Statements, name: string) => Promise<boolean>;
  /** Returns those of some names that are client ids of service accounts. */
  readonly selectServiceAccounts: (tx: Statements, names: readonly string[]) => Promise<ReadonlySet<string>>;
  readonly clock: Clock;
}

/** Of each tenant, and of those for all tenants. */
const MAX_APPLICATIONS = 1_000;

/** The RPCs of ApplicationService on applications. */
export function applicationHandlers(dependencies: ApplicationDependencies) {
  const { database, rules, audience, tenantExists, isNameTaken, selectServiceAccounts, audit, clock } = dependencies;
  const findToRead = createFindApplication(database);
  const findToChange = createFindToChange(dependencies);
  const { change } = createChangeApplication(dependencies);

  /** Throws VALIDATION_ERROR if an audience is a client id, which ID tokens have as their audience. */
  async function assertNoClientIds(
    tx: Statements,
    { clientId, resources }: Pick<Application, 'clientId' | 'resources'>,
  ) {
    if (resources.length === 0) return;
    const applications = await selectClientIds(tx, resources);
    const serviceAccounts = await selectServiceAccounts(tx, resources);
    const violations = resources.flatMap((resource, index) =>
      resource === clientId || applications.has(resource) || serviceAccounts.has(resource)
        ? [{ message: 'must not be a client id', format: 'resource', props: ['resources', `${index}`] }]
        : [],
    );
    if (violations.length > 0) throw new ServiceError('VALIDATION_ERROR', { violations });
  }

  return {
    async listApplications(request: ListApplicationsRequest, call: Call): Promise<ListApplicationsResponse> {
      const page = listPageOf(request, call, APPLICATION_ORDER);
      const { query, disabled } = request;
      const scope = withShared(narrowScope(call.principal!, request.tenantId));
      const found = await selectApplications(database, scope, { query, disabled }, page);
      return { applications: found.items.map(applicationMessage), page: listPageInfo(page, found) };
    },

    createApplication: loadThenCheckReferences(
      async () => {},
      async (request: CreateApplicationRequest, call: Call, _found, violations): Promise<CreateApplicationResponse> => {
        const fields = request.application ?? NO_FIELDS;
        const now = clock();
        const id = newId();
        const draft: Omit<Application, 'tenantId'> = {
          id,
          clientId: request.clientId ?? id,
          ...DEFAULTS,
          type: applicationType(request.type),
          ...storedFields(fields, violations),
          createdAt: now,
          updatedAt: now,
          version: 1,
        };
        checkClientId(request.clientId, violations);
        checkApplication(draft, rules, violations);
        violations.assertNone();
        assertMayHave(call.principal!, draft, audience);
        const tenantId = await tenantOfNewAccount(call.principal!, request.tenantId, tenantExists);
        if (request.clientId !== undefined && (await isResource(database, draft.clientId))) throw taken();
        const application = { ...draft, tenantId };
        const clientSecret = await audit.commit(call, async (tx, record) => {
          if (tenantId !== undefined) await holdDefinitions(database, tx, tenantId);
          const principal = (await call.recheck(tx))!;
          assertMayHave(principal, draft, audience);
          // Creations of applications follow one another, so that they count right.
          await lockNames(database, tx, call.deadline);
          if ((await countApplications(tx, tenantId)) >= MAX_APPLICATIONS)
            throw new ServiceError('CONFLICT', { publicMessage: `${MAX_APPLICATIONS} applications exist` });
          if (await isNameTaken(tx, draft.clientId)) throw taken();
          await assertNoClientIds(tx, draft);
          await insertApplication(tx, application).catch((error: unknown) => {
            throw error instanceof DatabaseError && error.kind === 'duplicate' ? taken() : error;
          });
          const { clientId, type } = draft;
          record({
            event: 'application.created',
            tenantId,
            actorId: principal.account.id,
            details: { application: draft.id, clientId, type },
          });
          return hasSecrets(draft)
            ? (await issueSecret(tx, APPLICATION_SECRETS, application, { createdAt: now })).value
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
        checkApplication({ ...found, ...changes }, rules, violations);
        violations.assertNone();
        const application = await change(call, found, request.precondition, async (locked) => {
          const { tx, application: before, principal, record } = locked;
          const after = { ...before, ...changes };
          assertMayHave(principal, after, audience);
          const names = Object.keys(changes).filter((name) => isChanged(before, after, name as keyof Application));
          if (names.length === 0) return before;
          if (names.includes('resources')) {
            await holdNames(database, tx);
            await assertNoClientIds(tx, after);
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
          record('application.deleted', { clientId: application.clientId });
        });
        return {};
      },
    ),
  };
}

const taken = () => new ServiceError('CONFLICT', { publicMessage: 'The client id is taken' });

const NO_FIELDS: ApplicationFields = {
  redirectUris: [],
  postLogoutRedirectUris: [],
  scopes: [],
  resources: [],
  idTokenAlgorithm: 0,
  usernameForm: 0,
};

/** The fields that a request can leave out. Those with another default have it in the proto. */
const DEFAULTS = {
  firstParty: false,
  requirePar: false,
  deviceGrant: false,
  disabled: false,
  backchannelLogoutUri: undefined,
  homeUrl: undefined,
  jwks: undefined,
  requiredPermission: undefined,
  requiredAcr: undefined,
} as const;

type StoredFields = Pick<
  Application,
  Exclude<keyof ApplicationFields, 'disabled' | 'firstParty' | 'requirePar' | 'deviceGrant'> & keyof Application
>;

/** Converts the fields of a message. An empty list of scopes means all. */
function storedFields(fields: ApplicationFields, violations: RequestViolations): StoredFields {
  const { logo, scopes, ...others } = fields;
  return {
    ...(APPLICATION.fromMessage(others) as unknown as StoredFields),
    logo: readLogo(logo, violations),
    scopes: SCOPES.filter((scope) => scopes.length === 0 || scopes.includes(scope)),
  };
}

/** Returns the fields that the mask names. */
function maskedChanges(
  { application = NO_FIELDS, updateMask = [] }: UpdateApplicationRequest,
  violations: RequestViolations,
): Partial<Application> {
  const all: Partial<Application> = { ...DEFAULTS, ...storedFields(application, violations) };
  const names = updateMask.map((path) => path.replaceAll(/_(\w)/g, (_all, letter: string) => letter.toUpperCase()));
  return Object.fromEntries(names.map((name) => [name, all[name as keyof Application]]));
}

function isChanged(before: Application, after: Application, name: keyof Application): boolean {
  return JSON.stringify(before[name]) !== JSON.stringify(after[name]);
}
