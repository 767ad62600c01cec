// The choice of roles.
import { listRoles, type Role } from '../../../../client/src/operations.ts';
import { useQuery } from '../../query.ts';
import { CheckField } from '../../ui/field.tsx';
import { useForm, type Values } from '../../ui/form.tsx';
import { useService } from '../../ui/frame.tsx';
import { useConsole } from '../context.ts';
import { isOfShop } from '../roles/permission-texts.ts';
import { describeRole } from '../roles/role-descriptions.ts';
import { userTexts } from './texts.ts';

const MOST = 100;
const NONE: RoleNames = { all: [], toGive: [] };
const PREFIX = 'role:';

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

interface RoleFieldsProps {
  /** All roles to choose from. */
  readonly names: readonly string[];
  readonly held?: readonly string[];
  readonly legend?: string;
}

/** A checkbox for each role. */
export function RoleFields({ names, held = [], legend }: RoleFieldsProps) {
  const { errors } = useForm();
  return (
    <fieldset name="roles">
      <legend>{legend ?? userTexts().roles}</legend>
      <div class="checks described">
        {[...new Set([...held, ...names])].map((name) => (
          <CheckField
            key={name}
            name={PREFIX + name}
            label={name}
            hint={describeRole(name)}
            defaultChecked={held.includes(name)}
          />
        ))}
      </div>
      <p class="field-error" role="alert">
        {errors.get('roles')}
      </p>
    </fieldset>
  );
}

/** Returns the chosen roles: those that are held first, so that the primary role stays. */
export function rolesOf(values: Values, held: readonly string[] = []): string[] {
  const chosen = Object.keys(values)
    .filter((name) => name.startsWith(PREFIX))
    .map((name) => name.slice(PREFIX.length));
  return [...held.filter((name) => chosen.includes(name)), ...chosen.filter((name) => !held.includes(name))];
}
