// The choice of roles.
import { listRoles } from '../../../../client/src/operations.ts';
import { useQuery } from '../../query.ts';
import { CheckField } from '../../ui/field.tsx';
import { useForm, type Values } from '../../ui/form.tsx';
import { useService } from '../../ui/frame.tsx';
import { useConsole } from '../context.ts';
import { userTexts } from './texts.ts';

const MOST = 100;
const PREFIX = 'role:';

/** Returns the names of the roles. Without the permission to list them, those of the own account, which it can give. */
export function useRoleNames(): readonly string[] {
  const { session } = useService();
  const { account, holds, tenantId } = useConsole();
  const query = useQuery(
    async (signal) => {
      if (!holds('MANAGE_ROLES')) return account.roles.map((name) => name.replace(/^ROLE_/, ''));
      const { data } = await listRoles(session, { query: { tenantId, perPage: MOST } }, { signal });
      return data.map(({ name }) => name);
    },
    [tenantId],
  );
  return query.data ?? [];
}

interface RoleFieldsProps {
  /** All roles to choose from. */
  readonly names: readonly string[];
  readonly held?: readonly string[];
}

/** A checkbox for each role. */
export function RoleFields({ names, held = [] }: RoleFieldsProps) {
  const texts = userTexts();
  const error = useForm().errors.get('roles');
  return (
    <fieldset name="roles">
      <legend>{texts.roles}</legend>
      <div class="checks">
        {[...new Set([...held, ...names])].map((name) => (
          <CheckField key={name} name={PREFIX + name} label={name} defaultChecked={held.includes(name)} />
        ))}
      </div>
      <p class="field-error" role="alert">
        {error}
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
