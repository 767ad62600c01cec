// The RPCs on roles.
import type {
  CreateRoleRequest,
  CreateRoleResponse,
  DeleteRoleRequest,
  DeleteRoleResponse,
  GetRoleRequest,
  GetRoleResponse,
  ListRolesRequest,
  ListRolesResponse,
  UpdateRoleRequest,
  UpdateRoleResponse,
} from '../../../proto/gen/authservice/tenancy/v1/role_service.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database, Statements } from '../../platform/db/types.ts';
import { ServiceError } from '../../platform/errors.ts';
import { listPageInfo, listPageOf, SHORT_LIST, sliceOf } from '../../platform/rpc/paging.ts';
import { loadThenCheckReferences, loadThenHandle } from '../../platform/rpc/service.ts';
import type { AuditLog } from '../audit/trail/audit-log.ts';
import type { AccountAdministration } from '../identity/users/account-administration.ts';
import { tenantOfNewAccount } from '../identity/users/account-input.ts';
import { getAdminScope, narrowScope } from '../identity/users/administrator.ts';
import { assertCanGive } from '../identity/users/give-roles.ts';
import type { Call } from '../access/principal.ts';
import { isTenantId } from '../tenancy/tenant.ts';
import { isBuiltInRole, ROLES } from '../access/roles/built-in-roles.ts';
import type { DefinitionsReader } from '../access/roles/definitions.ts';
import {
  findGraphViolations,
  findRoleViolations,
  findUnknownInherited,
  MAX_ROLES,
} from '../access/roles/role-limits.ts';
import {
  deleteRole,
  findRole,
  insertRole,
  isRoleUsed,
  selectRoles,
  updateRole,
  type StoredRole,
} from '../access/roles/role-store.ts';
import { createRoleChecks } from '../access/roles/check-role.ts';
import {
  assertChangeable,
  assertValid,
  createChangeRoles,
  differenceOf,
  findCurrent,
  maskedChanges,
  shorten,
  type FoundRole,
} from './change-roles.ts';
import { builtInMessage, countHolders, roleMessage, type RoleCounts } from './role-message.ts';
import { refusal } from '../access/refusals.ts';

export interface RoleDependencies {
  readonly database: Database;
  readonly definitions: DefinitionsReader;
  readonly audit: AuditLog;
  readonly administration: Pick<AccountAdministration, 'countByRoles' | 'selectRoleLists' | 'tenantExists'>;
  readonly clock: Clock;
}

const NO_TENANT = { message: 'must be the id of a tenant', format: 'tenant', props: ['tenantId'] };

interface RoleName {
  readonly name: string;
  readonly tenantId?: string | undefined;
}

/** The RPCs of RoleService. */
export function roleHandlers({ database, definitions, audit, administration, clock }: RoleDependencies) {
  const definitionsOf = (tenantId: string | undefined, tx?: Statements) =>
    tenantId === undefined ? definitions.loadShared(tx) : definitions.load({ tenantId, version: null }, tx);

  /** Returns the tenant whose roles a request names: undefined for those for every tenant, null if there is no such tenant. */
  async function tenantOf(call: Call, requested: string | undefined): Promise<string | undefined | null> {
    const scope = narrowScope(call.principal!, requested);
    if (scope.everyTenant) return undefined;
    const isOwn = requested === undefined || requested === call.principal!.account.tenantId;
    return isOwn || (await administration.tenantExists(requested)) ? scope.tenantId : null;
  }

  async function find({ name, tenantId: requested }: RoleName, call: Call): Promise<FoundRole> {
    if (requested !== undefined && !isTenantId(requested)) assertValid([NO_TENANT]);
    const tenantId = await tenantOf(call, requested);
    if (tenantId === null) throw new ServiceError('NOT_FOUND');
    const own = tenantId === undefined ? undefined : await findRole(database, tenantId, name);
    const role = own ?? (await findRole(database, undefined, name));
    if (!role && !isBuiltInRole(name)) throw new ServiceError('NOT_FOUND');
    return { name, role, tenantId };
  }

  /** Finds a role to change. With a tenant, a role for every tenant does not exist for a SUPER_ADMIN: the change would reach all tenants. */
  async function findForChange(request: RoleName, call: Call): Promise<FoundRole> {
    const found = await find(request, call);
    const isBeyond = found.tenantId !== undefined && found.role !== undefined && found.role.tenantId === undefined;
    if (isBeyond && getAdminScope(call.principal!).everyTenant) throw new ServiceError('NOT_FOUND');
    return found;
  }

  async function describe(call: Call, tenantId: string | undefined, roles: readonly (StoredRole | string)[]) {
    const [defined, counts] = await Promise.all([definitionsOf(tenantId), countAccounts(call, tenantId)]);
    return roles.map((role) =>
      typeof role === 'string' ? builtInMessage(role, defined, counts) : roleMessage(role, defined, counts),
    );
  }

  async function countAccounts(call: Call, tenantId: string | undefined): Promise<RoleCounts> {
    const scope = narrowScope(call.principal!, tenantId);
    const reader = { deadline: call.deadline, tenantId: call.principal!.account.tenantId };
    return countHolders(await administration.countByRoles(scope, reader));
  }

  const change = createChangeRoles({ database, audit, clock, definitionsOf });
  const { assertFits, assertUnused } = createRoleChecks(administration);

  return {
    async listRoles(request: ListRolesRequest, call: Call): Promise<ListRolesResponse> {
      const page = listPageOf(request, call, SHORT_LIST);
      const tenantId = await tenantOf(call, request.tenantId);
      if (tenantId === null) return { roles: [], page: listPageInfo(page, sliceOf([], page)) };
      const shared = await selectRoles(database, undefined);
      const own = tenantId === undefined ? [] : await selectRoles(database, tenantId);
      const text = request.query?.toLowerCase() ?? '';
      const matches = (...texts: readonly string[]) => texts.some((one) => one.toLowerCase().includes(text));
      const stored = [...shared, ...own];
      const all = [
        ...ROLES.filter((name) => matches(name) && !stored.some((role) => role.name === name)),
        ...stored
          .filter(({ name, description = '' }) => matches(name, description))
          .toSorted((a, b) => (a.name < b.name ? -1 : 1)),
      ];
      const found = sliceOf<StoredRole | string>(all, page);
      return { roles: await describe(call, tenantId, found.items), page: listPageInfo(page, found) };
    },

    getRole: loadThenHandle(find, async (_request: GetRoleRequest, call, found): Promise<GetRoleResponse> => {
      const [role] = await describe(call, found.tenantId, [found.role ?? found.name]);
      return { role };
    }),

    createRole: loadThenCheckReferences(
      async () => {},
      async (request: CreateRoleRequest, call: Call, _found, violations): Promise<CreateRoleResponse> => {
        for (const violation of findRoleViolations(request, definitions)) violations.add(violation);
        violations.assertNone();
        const { name, description, permissions, inherits } = request;
        const tenantId = await tenantOfNewAccount(call.principal!, request.tenantId, administration.tenantExists);
        const created = await change(call, tenantId, async ({ tx, now, actor, defined, record }) => {
          const isTaken = defined.ownRoles.has(name) || (tenantId === undefined && (await isRoleUsed(tx, name)));
          const role = {
            tenantId,
            name,
            description,
            permissions,
            inherits,
            createdAt: now,
            updatedAt: now,
            version: 1,
          };
          const after = defined.withRoles([[name, { permissions, inherits, isShared: tenantId === undefined }]]);
          // A taken name has heirs, which this role does not change.
          assertValid(isTaken ? findUnknownInherited(after, name) : findGraphViolations(after, name, defined));
          assertCanGive(actor, after.rightsOf([name]).permissions);
          if (isTaken) throw refusal('roleNameTaken');
          const count = [...defined.ownRoles.values()].filter(({ isShared }) => isShared === (tenantId === undefined));
          if (count.length >= MAX_ROLES) throw refusal('tooManyRoles', { maximum: MAX_ROLES });
          await assertFits(tx, { tenantId, names: [name], before: defined, after, deadline: call.deadline });
          await insertRole(tx, role);
          record('role.created', { role: name, permissions: shorten(permissions), inherits: shorten(inherits) });
          return { role, after };
        });
        return { role: roleMessage(created.role, created.after, new Map()) };
      },
    ),

    updateRole: loadThenHandle(
      findForChange,
      async (request: UpdateRoleRequest, call, found): Promise<UpdateRoleResponse> => {
        const changes = maskedChanges(request);
        assertValid(findRoleViolations(changes, definitions));
        const { name, tenantId } = assertChangeable(call, found);
        await change(call, tenantId, async ({ tx, now, actor, defined, record }) => {
          const before = await findCurrent(tx, { name, tenantId }, request.precondition);
          if (Object.keys(changes).length === 0) return;
          const role = { ...before, ...changes, updatedAt: now, version: before.version + 1 };
          const { permissions, inherits } = role;
          const after = defined.withRoles([[name, { permissions, inherits, isShared: tenantId === undefined }]]);
          assertValid(findGraphViolations(after, name, defined));
          assertCanGive(actor, defined.rightsOf([name]).permissions);
          assertCanGive(actor, after.rightsOf([name]).permissions);
          if (changes.permissions ?? changes.inherits)
            await assertFits(tx, { tenantId, names: [name], before: defined, after, deadline: call.deadline });
          await updateRole(tx, role);
          record('role.changed', {
            role: name,
            fields: Object.keys(changes).join(),
            ...(changes.permissions && differenceOf(before.permissions, role.permissions)),
            ...(changes.inherits && { inherits: shorten(role.inherits) }),
          });
        });
        const role = await findRole(database, tenantId, name);
        if (!role) throw new ServiceError('NOT_FOUND');
        const [message] = await describe(call, found.tenantId, [role]);
        return { role: message };
      },
    ),

    deleteRole: loadThenHandle(
      findForChange,
      async (request: DeleteRoleRequest, call, found): Promise<DeleteRoleResponse> => {
        const { name, tenantId } = assertChangeable(call, found);
        await change(call, tenantId, async ({ tx, actor, defined, record }) => {
          const before = await findCurrent(tx, { name, tenantId }, request.precondition);
          assertCanGive(actor, defined.rightsOf([name]).permissions);
          await assertUnused(tx, before);
          await deleteRole(tx, before);
          record('role.deleted', { role: name });
        });
        return {};
      },
    ),
  };
}
