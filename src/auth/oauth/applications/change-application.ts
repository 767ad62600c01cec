// Finds, locks and changes the applications that an administrator manages.
import type { Precondition } from '../../../../proto/gen/authservice/record/v1/record.ts';
import { isId } from '../../../platform/db/ids.ts';
import type { Database, Statements } from '../../../platform/db/types.ts';
import { ServiceError } from '../../../platform/errors.ts';
import type { Call, Principal } from '../../access/principal.ts';
import type { AuditEvent, AuditLog } from '../../audit/trail/audit-log.ts';
import { getAdminScope } from '../../identity/users/administrator.ts';
import type { Application } from './application.ts';
import { findApplication, lockApplication } from './application-store.ts';
import { createWithSettings, isCommandLine, type CommandLineRules } from './command-line.ts';
import { refusal } from '../../access/refusals.ts';

/** The dependencies of changes of applications. */
export interface ChangeDependencies extends CommandLineRules {
  readonly database: Database;
  readonly audit: AuditLog;
}

/** Throws PERMISSION_DENIED if the caller may not have such an application: its users are asked nothing, or it acts as this service. */
export function assertMayHave(
  principal: Principal,
  { firstParty, resources }: Pick<Application, 'firstParty' | 'resources'>,
  audience: string,
): void {
  if (getAdminScope(principal).everyTenant || (!firstParty && !resources.includes(audience))) return;
  throw refusal('applicationTrusted');
}

type AdminScope = ReturnType<typeof getAdminScope>;
/** Adds the applications for all tenants to the scope of a tenant's administrator. */
export const withShared = (scope: AdminScope): AdminScope =>
  scope.everyTenant ? scope : { ...scope, withShared: true };

type FindDependencies = Pick<ChangeDependencies, 'database' | 'audience' | 'hasCommandLine'>;

interface ApplicationId {
  readonly applicationId: string;
}

/** Returns a function that finds an application of the caller's scope, or for all tenants. It throws NOT_FOUND. */
export function createFindApplication({ database, ...rules }: FindDependencies) {
  const withSettings = createWithSettings(rules);
  return async ({ applicationId }: ApplicationId, call: Call): Promise<Application> => {
    const scope = withShared(getAdminScope(call.principal!));
    const stored = isId(applicationId) ? await findApplication(database, scope, applicationId) : undefined;
    const found = stored && withSettings(stored);
    if (found === undefined) throw new ServiceError('NOT_FOUND');
    return found;
  };
}

/** Returns a function that finds an application that the caller may change. It throws NOT_FOUND and PERMISSION_DENIED. */
export function createFindToChange(dependencies: FindDependencies) {
  const find = createFindApplication(dependencies);
  return async (request: ApplicationId, call: Call): Promise<Application> => {
    const found = await find(request, call);
    assertMayChange(call.principal!, found, dependencies.audience);
    return found;
  };
}

function assertMayChange(principal: Principal, application: Application, audience: string): void {
  if (isCommandLine(application)) throw refusal('applicationOfService');
  assertMayHave(principal, application, audience);
  if (application.tenantId === undefined && !getAdminScope(principal).everyTenant)
    throw refusal('applicationOfEveryTenant');
}

type RecordChange = (event: AuditEvent['event'], details: NonNullable<AuditEvent['details']>) => void;

/** An application, locked by the transaction that changes it. */
export interface LockedApplication {
  readonly tx: Statements;
  readonly application: Application;
  /** The caller, as it is now. */
  readonly principal: Principal;
  readonly record: RecordChange;
}

type ChangeWork<T> = (locked: LockedApplication) => Promise<T>;

/** Creates a function that runs a change of an application under its lock. */
export function createChangeApplication({ audit, audience }: Pick<ChangeDependencies, 'audit' | 'audience'>) {
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
        const record: RecordChange = (event, details) =>
          emit({
            event,
            tenantId,
            actorId: principal.account.id,
            details: { application: id, clientId: application.clientId, ...details },
          });
        return work({ tx, application, principal, record });
      });
    },
  };
}
