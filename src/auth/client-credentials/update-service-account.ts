import { Permission } from '../../../proto/gen/authservice/access/v1/access.ts';
import type { UpdateServiceAccountRequest } from '../../../proto/gen/authservice/clientcredentials/v1/client_credentials_service.ts';
import type { RequireFresh } from '../../platform/rpc/pipeline/admission.ts';
import type { RequestViolations } from '../../platform/rpc/request-violations.ts';
import type { Account } from '../access/account.ts';
import type { Call, Principal } from '../access/principal.ts';
import type { DefinitionsReader } from '../access/roles/definitions.ts';
import type { LockedAccount } from '../identity/users/account-administration.ts';
import { assertCanGrantRoles, checkRoles, EVERY_ROLE, ROLES_OF_TENANTS } from '../identity/users/account-input.ts';
import { assertCanAdminister, assertNotSelf } from '../identity/users/administrator.ts';
import { assertHoldable } from '../identity/users/give-roles.ts';

type Changes = Partial<Pick<Account, 'name' | 'resourceServer' | 'roles'>>;

const FIELDS = ['name', 'resourceServer'] as const;

/** The dependencies of a change of a service account. */
export interface UpdateServiceAccountDependencies {
  readonly definitions: DefinitionsReader;
  readonly requireFresh: RequireFresh<Principal>;
}

/** Creates a function that checks an update before its transaction, and returns the work of that transaction. */
export function createUpdateServiceAccount({ definitions, requireFresh }: UpdateServiceAccountDependencies) {
  return async (
    request: UpdateServiceAccountRequest,
    call: Call,
    { tenantId }: Pick<Account, 'tenantId'>,
    violations: RequestViolations,
  ): Promise<(locked: LockedAccount) => Promise<void>> => {
    const principal = call.principal!;
    const changes = maskedChanges(request);
    const { roles } = changes;
    if (roles !== undefined) {
      const holdable = tenantId === undefined ? EVERY_ROLE : ROLES_OF_TENANTS;
      await checkRoles(violations, definitions, principal, { tenantId, roles }, holdable);
    }
    violations.assertNone();
    if (roles !== undefined) {
      await requireFresh(principal);
      assertCanGrantRoles(principal, roles);
    }
    return (locked) => update(locked, changes, call);
  };

  /** Throws PERMISSION_DENIED if it would become a resource server and the caller may not make one. */
  async function update(locked: LockedAccount, changes: Changes, call: Call): Promise<void> {
    const { account, record } = locked;
    const { roles } = changes;
    if (roles !== undefined) {
      const { permissions } = await assertHoldable(locked.tx, definitions, { ...account, roles }, locked.actor);
      if (!permissions.has(Permission.PERMISSION_MANAGE_CLIENTS)) assertNotSelf(call, account, 'demote');
    }
    const [from, to] = [account.roles.join(), roles?.join()];
    const hasNewRoles = to !== undefined && to !== from;
    const fields = FIELDS.filter((field) => field in changes && changes[field] !== account[field]);
    if (fields.length === 0 && !hasNewRoles) return;
    assertCanAdminister(call.principal!, { resourceServer: changes.resourceServer === true });
    await locked.update(changes);
    const isGiven = fields.includes('resourceServer');
    if (fields.length > 0)
      record('account.updated', {
        fields: fields.join(),
        ...(isGiven && { resourceServer: String(changes.resourceServer) }),
      });
    if (hasNewRoles) record('account.roles-changed', { from, to });
  }
}

/** Returns the fields that the mask names. */
function maskedChanges({ serviceAccount, updateMask = [] }: UpdateServiceAccountRequest): Changes {
  return {
    ...(updateMask.includes('name') && { name: serviceAccount?.name as string }),
    ...(updateMask.includes('resource_server') && { resourceServer: serviceAccount?.resourceServer === true }),
    ...(updateMask.includes('roles') && { roles: serviceAccount?.roles ?? [] }),
  };
}
