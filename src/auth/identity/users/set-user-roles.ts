import type {
  SetUserRolesRequest,
  SetUserRolesResponse,
} from '../../../../proto/gen/authservice/identity/v1/identity_service.ts';
import { Permission } from '../../../../proto/gen/authservice/access/v1/access.ts';
import { loadThenCheckReferences } from '../../../platform/rpc/service.ts';
import type { Call } from '../../../platform/rpc/types.ts';
import { checkRoles, assertCanGrantRoles, ROLES_OF_TENANTS, SUPER_ADMIN_ONLY } from './account-input.ts';
import { assertNotSelf } from './administrator.ts';
import { permissionsOf } from '../authentication/permissions.ts';
import type { UserDependencies } from './user-dependencies.ts';
import { userMessage } from './user-message.ts';

/**
 * IdentityService.SetUserRoles. Ends the user's sessions, because they may hold permissions that the user no longer
 * has.
 */
export function createSetUserRoles(options: Pick<UserDependencies, 'administration' | 'endSessions' | 'clock'>) {
  const { administration, endSessions, clock } = options;

  return loadThenCheckReferences(
    ({ userId }: SetUserRolesRequest, call: Call) => administration.findUser(call.principal!, userId),
    async (request, call, user, violations): Promise<SetUserRolesResponse> => {
      const principal = call.principal!;
      const holdable = user.tenantId === undefined ? SUPER_ADMIN_ONLY : ROLES_OF_TENANTS;
      const roles = checkRoles(violations, principal, request.roles, holdable);
      violations.assertNone();
      assertCanGrantRoles(principal, roles);
      if (!permissionsOf({ roles, tenantId: user.tenantId }).has(Permission.PERMISSION_MANAGE_USERS))
        assertNotSelf(call, user, 'demote');

      const changed = await administration.change(call, user, async (locked) => {
        const from = locked.account.roles.join();
        if (from === roles.join()) return;
        await locked.update({ roles });
        const sessionsEnded = await endSessions(locked.tx, user, call.deadline);
        locked.record('account.roles-changed', { from, to: roles.join(), sessionsEnded });
      });
      return { user: userMessage(changed, clock()) };
    },
  );
}
