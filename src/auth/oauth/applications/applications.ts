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
import type { Precondition } from '../../../../proto/gen/authservice/record/v1/record.ts';
import type { Clock } from '../../../platform/clock.ts';
import { DatabaseError } from '../../../platform/db/errors.ts';
import { isId, newId } from '../../../platform/db/ids.ts';
import type { Database, Statements } from '../../../platform/db/types.ts';
import { ServiceError } from '../../../platform/errors.ts';
import { listPageInfo, listPageOf } from '../../../platform/rpc/paging.ts';
import type { RequestViolations } from '../../../platform/rpc/request-violations.ts';
import { loadThenCheckReferences, loadThenHandle } from '../../../platform/rpc/service.ts';
import type { AuditEvent, AuditLog } from '../../audit/trail/audit-log.ts';
import { APPLICATION_SECRETS, issueSecret } from '../../client-credentials/secrets.ts';
import { tenantOfNewAccount, type TenantExists } from '../../identity/users/account-input.ts';
import { getAdminScope, narrowScope } from '../../identity/users/administrator.ts';
import type { Call, Principal } from '../../access/principal.ts';
import { lockTenant } from '../../tenancy/lock-tenant.ts';
import { SCOPES } from '../scopes.ts';
import { APPLICATION, applicationType, hasSecrets, type Application } from './application.ts';
import { applicationMessage } from './application-message.ts';
import {
  APPLICATION_ORDER,
  countApplications,
  deleteApplication,
  findApplication,
  insertApplication,
  lockApplication,
  selectApplications,
  updateApplication,
} from './application-store.ts';
import { checkApplication, checkClientId, readLogo, type ApplicationRules } from './check-application.ts';

export interface ApplicationDependencies {
  readonly database: Database;
  readonly rules: ApplicationRules;
  /** The audience of this service's own access tokens. */
  readonly audience: string;
  readonly tenantExists: TenantExists;
  /** Whether an account has this username or client id. It stays so until the transaction ends. */
  readonly isNameTaken: (tx: Statements, name: string) => Promise<boolean>;
  readonly audit: AuditLog;
  readonly clock: Clock;
}

/** Of each tenant, and of those for all tenants. */
const MAX_APPLICATIONS = 1_000;

/** The RPCs of ApplicationService on applications. */
export function applicationHandlers(dependencies: ApplicationDependencies) {
  const { database, rules, audience, tenantExists, isNameTaken, audit, clock } = dependencies;
  const findToRead = createFindApplication(database);
  const findToChange = createFindToChange(dependencies);
  const { change } = createChangeApplication(dependencies);

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
        const draft: Omit<Application, 'tenantId'> = {
          id: newId(),
          clientId: request.clientId ?? newId(),
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
        const application = { ...draft, tenantId };
        const clientSecret = await audit.commit(call, async (tx, record) => {
          if (tenantId !== undefined) await lockTenant(tx, tenantId);
          const principal = (await call.recheck(tx))!;
          assertMayHave(principal, draft, audience);
          if ((await countApplications(tx, tenantId)) >= MAX_APPLICATIONS)
            throw new ServiceError('CONFLICT', { publicMessage: `${MAX_APPLICATIONS} applications exist` });
          if (await isNameTaken(tx, draft.clientId)) throw taken();
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
        const application = await change(call, found, request.precondition, async (tx, before, record) => {
          const after = { ...before, ...changes };
          assertMayHave(call.principal!, after, audience);
          const names = Object.keys(changes).filter((name) => isChanged(before, after, name as keyof Application));
          if (names.length === 0) return before;
          const changed = { ...after, updatedAt: clock(), version: before.version + 1 };
          await updateApplication(tx, changed);
          record('application.changed', { fields: names.join() });
          return changed;
        });
        return { application: applicationMessage(application) };
      },
    ),

    deleteApplication: loadThenHandle(
      findToChange,
      async (request: DeleteApplicationRequest, call, found): Promise<DeleteApplicationResponse> => {
        await change(call, found, request.precondition, async (tx, application, record) => {
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

/** Throws PERMISSION_DENIED if the caller may not have such an application: its users are asked nothing, or it acts as this service. */
function assertMayHave(
  principal: Principal,
  { firstParty, resources }: Pick<Application, 'firstParty' | 'resources'>,
  audience: string,
): void {
  if (getAdminScope(principal).everyTenant || (!firstParty && !resources.includes(audience))) return;
  const detail = 'only a SUPER_ADMIN has applications without consent, or with the audience of this service';
  throw new ServiceError('PERMISSION_DENIED', { detail });
}

type AdminScope = ReturnType<typeof getAdminScope>;
const withShared = (scope: AdminScope): AdminScope => (scope.everyTenant ? scope : { ...scope, withShared: true });

interface ApplicationId {
  readonly applicationId: string;
}

/** Returns a function that finds an application of the caller's scope, or for all tenants. It throws NOT_FOUND. */
export function createFindApplication(database: Database) {
  return async ({ applicationId }: ApplicationId, call: Call): Promise<Application> => {
    const scope = withShared(getAdminScope(call.principal!));
    const found = isId(applicationId) ? await findApplication(database, scope, applicationId) : undefined;
    if (found === undefined) throw new ServiceError('NOT_FOUND');
    return found;
  };
}

/** Returns a function that finds an application that the caller may change. It throws NOT_FOUND and PERMISSION_DENIED. */
export function createFindToChange({ database, audience }: Pick<ApplicationDependencies, 'database' | 'audience'>) {
  const find = createFindApplication(database);
  return async (request: ApplicationId, call: Call): Promise<Application> => {
    const found = await find(request, call);
    assertMayChange(call.principal!, found, audience);
    return found;
  };
}

function assertMayChange(principal: Principal, application: Application, audience: string): void {
  assertMayHave(principal, application, audience);
  if (application.tenantId === undefined && !getAdminScope(principal).everyTenant)
    throw new ServiceError('PERMISSION_DENIED', { detail: 'the application is for all tenants' });
}

type RecordChange = (event: AuditEvent['event'], details: NonNullable<AuditEvent['details']>) => void;
type ChangeWork<T> = (tx: Statements, application: Application, record: RecordChange) => Promise<T>;

/** Creates a function that runs a change of an application under its lock. */
export function createChangeApplication({ audit, audience }: Pick<ApplicationDependencies, 'audit' | 'audience'>) {
  return {
    change<T>(
      call: Call,
      { tenantId, id }: Application,
      precondition: Precondition | undefined,
      work: ChangeWork<T>,
    ): Promise<T> {
      return audit.commit(call, async (tx, emit) => {
        const application = await lockApplication(tx, { tenantId, id });
        const principal = (await call.recheck(tx))!;
        if (application === undefined) throw new ServiceError('NOT_FOUND');
        assertMayChange(principal, application, audience);
        if (precondition !== undefined && !precondition.versions.includes(application.version)) {
          const detail = `the application is in version ${application.version}`;
          throw new ServiceError('PRECONDITION_FAILED', { detail });
        }
        return work(tx, application, (event, details) =>
          emit({ event, tenantId, actorId: principal.account.id, details: { application: id, ...details } }),
        );
      });
    },
  };
}
