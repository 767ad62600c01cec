// Changes of roles. A change begins with a new version of what the tenant defines, which locks it, so that parallel changes and the
// giving of roles wait. It is judged on the state under that lock, and on the rights that the caller has then.
import type { Precondition } from '../../../proto/gen/authservice/record/v1/record.ts';
import type { UpdateRoleRequest } from '../../../proto/gen/authservice/tenancy/v1/role_service.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database, Statements } from '../../platform/db/types.ts';
import { ServiceError, type Violation } from '../../platform/errors.ts';
import type { Call } from '../access/principal.ts';
import { refusal } from '../access/refusals.ts';
import type { Definitions } from '../access/roles/definitions.ts';
import { findRole, type StoredRole } from '../access/roles/role-store.ts';
import type { AuditEvent, AuditLog } from '../audit/trail/audit-log.ts';
import type { assertCanGive } from '../identity/users/give-roles.ts';
import { beginChangeForAll, beginDefinitionsChange } from '../tenancy/lock-tenant.ts';

/** A role that a request names, and the tenant in which it was found. */
export interface FoundRole {
  readonly name: string;
  /** Undefined for a built-in role. */
  readonly role: StoredRole | undefined;
  /** The tenant of the request; undefined for a SUPER_ADMIN that named none. */
  readonly tenantId: string | undefined;
}

/** A change of the roles of a tenant, or of those for every tenant, under its lock. */
export interface Change {
  readonly tx: Statements;
  readonly now: number;
  readonly actor: Parameters<typeof assertCanGive>[0];
  /** The definitions of the tenant under the lock. */
  readonly defined: Definitions;
  record(event: AuditEvent['event'], details: NonNullable<AuditEvent['details']>): void;
}

/** Creates a function that runs a change. `actor` has the permissions of the caller at that moment. */
export function createChangeRoles(options: {
  readonly database: Database;
  readonly audit: AuditLog;
  readonly clock: Clock;
  readonly definitionsOf: (tenantId: string | undefined, tx: Statements) => Promise<Definitions>;
}) {
  const { database, audit, clock, definitionsOf } = options;
  return <T>(call: Call, tenantId: string | undefined, work: (change: Change) => Promise<T>): Promise<T> =>
    audit.commit(call, async (tx, emit) => {
      const begun = { now: clock(), deadline: call.deadline };
      if (tenantId === undefined) await beginChangeForAll(database, tx, begun);
      else await beginDefinitionsChange(database, tx, { tenantId, ...begun });
      const principal = (await call.recheck(tx))!;
      const record: Change['record'] = (event, details) =>
        emit({ event, tenantId, actorId: principal.account.id, details });
      const defined = await definitionsOf(tenantId, tx);
      return work({ tx, now: begun.now, actor: principal.account.rights.permissions, defined, record });
    });
}

/** Throws CONFLICT for a built-in role, and PERMISSION_DENIED if the caller may not change roles for every tenant. */
export function assertChangeable(call: Call, { role }: FoundRole): StoredRole {
  if (!role) throw refusal('roleBuiltIn');
  if (role.tenantId === undefined && call.principal!.account.tenantId !== undefined) throw refusal('roleOfEveryTenant');
  return role;
}

export async function findCurrent(
  tx: Statements,
  { name, tenantId }: Pick<StoredRole, 'name' | 'tenantId'>,
  precondition: Precondition | undefined,
): Promise<StoredRole> {
  const role = await findRole(tx, tenantId, name);
  if (!role) throw new ServiceError('NOT_FOUND');
  if (precondition !== undefined && !precondition.versions.includes(role.version))
    throw new ServiceError('PRECONDITION_FAILED', { detail: `the role is in version ${role.version}` });
  return role;
}

/** Returns the fields that the mask names. */
export function maskedChanges({
  role,
  updateMask = [],
}: UpdateRoleRequest): Partial<Pick<StoredRole, 'description' | 'permissions' | 'inherits'>> {
  return {
    ...(updateMask.includes('description') && { description: role?.description }),
    ...(updateMask.includes('permissions') && { permissions: role?.permissions ?? [] }),
    ...(updateMask.includes('inherits') && { inherits: role?.inherits ?? [] }),
  };
}

export function assertValid(violations: readonly Violation[]): void {
  if (violations.length > 0) throw new ServiceError('VALIDATION_ERROR', { violations });
}

export function differenceOf(before: readonly string[], after: readonly string[]) {
  return {
    added: shorten(after.filter((name) => !before.includes(name))),
    removed: shorten(before.filter((name) => !after.includes(name))),
  };
}

/** Names in the details of an audit record. The others are counted. */
const MAX_SHOWN = 50;

export function shorten(names: readonly string[]): string {
  const shown = names.slice(0, MAX_SHOWN).join();
  return names.length <= MAX_SHOWN ? shown : `${shown} and ${names.length - MAX_SHOWN} more`;
}
