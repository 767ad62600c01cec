// The names of the roles, for filters and choices.
import { listRoles, type Role } from '../../../../client/src/operations.ts';
import { useQuery } from '../../query.ts';
import { useService } from '../../ui/frame.tsx';
import { useConsole } from '../context.ts';
import { isOfShop } from '../roles/permission-groups.ts';

const MOST = 100;
const NONE: RoleNames = { all: [], toGive: [] };

/** The roles of accounts without a tenant. */
export const SUPER_ADMIN = 'SUPER_ADMIN';

/** Own roles first, then the built-in ones; those of the shop at the end, and none of it where it is off. */
export const rankOf = ({ builtIn, effectivePermissions }: Role): number =>
  builtIn ? (effectivePermissions.every(isOfShop) ? 2 : 1) : 0;

interface RoleNames {
  readonly all: readonly string[];
  /** Those that the account can give: a role with a permission that the account lacks would be refused. */
  readonly toGive: readonly string[];
}

/** Returns the names of the roles. Without the permission to list roles, those of the own account. */
export function useRoleNames(): RoleNames {
  const { session } = useService();
  const { account, canOpen, tenantId } = useConsole();
  const query = useQuery(
    async (signal) => {
      if (!canOpen('/roles')) {
        const own = account.roles.map((name) => name.replace(/^ROLE_/, ''));
        return { all: own, toGive: own };
      }
      const { data } = await listRoles(session, { query: { tenantId, perPage: MOST } }, { signal });
      const canGive = ({ effectivePermissions }: Role) =>
        account.tenantId === undefined ||
        effectivePermissions.every((permission) => account.permissions.includes(permission));
      const roles = data
        .filter((role) => role.effectivePermissions.length > 0 || !role.builtIn)
        .toSorted((one, other) => rankOf(one) - rankOf(other));
      const namesOf = (some: readonly Role[]) => some.map(({ name }) => name);
      return { all: namesOf(roles), toGive: namesOf(roles.filter(canGive)) };
    },
    [tenantId],
    ['roles'],
  );
  return query.data ?? NONE;
}
