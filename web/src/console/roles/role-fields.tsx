import { listRoles, type Role } from '../../../../client/src/operations.ts';
import { useQuery } from '../../query.ts';
import { CheckField, Field, TextArea } from '../../ui/field.tsx';
import type { Values } from '../../ui/form.tsx';
import { useService } from '../../ui/frame.tsx';
import { wordsOf } from '../../words.ts';
import { useConsole } from '../context.ts';
import { SUPER_ADMIN, useRoleNames } from '../users/role-names.ts';
import { RoleFields as InheritedRoles, rolesOf } from '../users/roles.tsx';
import { isBuiltIn, PERMISSION_GROUPS, type PermissionGroup } from './permission-groups.ts';
import { permissionText, permissionTexts } from './permission-texts.ts';
import { roleTexts } from './texts.ts';

const PREFIX = 'permission:';
const GROUPS = Object.keys(PERMISSION_GROUPS) as readonly PermissionGroup[];
const MOST = 100;

/** Returns the members of a request. An empty description is none. */
export const bodyOf = (values: Values) => ({
  description: values['description'] || null,
  permissions: [
    ...Object.keys(values)
      .filter((name) => name.startsWith(PREFIX))
      .map((name) => name.slice(PREFIX.length)),
    ...wordsOf(values['permissions'] ?? ''),
  ],
  inherits: rolesOf(values),
});

/**
 * Returns the built-in permissions that a role can have: those of the built-in roles, without those of the whole service, and
 * without those that the account lacks. Without the shop, no role has its permissions.
 */
function useOffered(): readonly string[] {
  const { session } = useService();
  const { account, tenantId } = useConsole();
  const { data = [] } = useQuery(
    async (signal) => (await listRoles(session, { query: { tenantId, perPage: MOST } }, { signal })).data,
    [tenantId],
  );
  const service: readonly string[] = PERMISSION_GROUPS.service;
  const canGive = (permission: string) => account.tenantId === undefined || account.permissions.includes(permission);
  const ofRoles = new Set(data.filter(({ builtIn }) => builtIn).flatMap((role) => role.effectivePermissions));
  return [...ofRoles].filter((permission) => !service.includes(permission) && canGive(permission));
}

/** The fields of a role that can change. */
export function RoleFields({ role }: { readonly role?: Role }) {
  const offered = useOffered();
  const { toGive } = useRoleNames();
  const texts = roleTexts();
  const held = role?.permissions ?? [];
  const shown = (group: PermissionGroup) =>
    PERMISSION_GROUPS[group].filter((permission) => offered.includes(permission) || held.includes(permission));
  return (
    <>
      <Field name="description" label={texts.description} defaultValue={role?.description ?? ''} maxLength={1_000} />
      <fieldset>
        <legend>{texts.permissions}</legend>
        {GROUPS.filter((group) => shown(group).length > 0).map((group) => (
          <details key={group} open={group !== 'shop' || shown(group).some((permission) => held.includes(permission))}>
            <summary>{permissionTexts()[group]}</summary>
            <div class="checks described">
              {shown(group).map((permission) => (
                <CheckField
                  key={permission}
                  name={PREFIX + permission}
                  label={permission}
                  hint={permissionText(permission)}
                  defaultChecked={held.includes(permission)}
                />
              ))}
            </div>
          </details>
        ))}
      </fieldset>
      <TextArea
        name="permissions"
        label={texts.ownPermissions}
        hint={texts.ownPermissionsHint}
        value={held.filter((permission) => !isBuiltIn(permission)).join('\n')}
        maxLength={30_000}
      />
      <InheritedRoles
        legend={texts.inherits}
        names={toGive.filter((name) => name !== role?.name && name !== SUPER_ADMIN)}
        held={role?.inherits ?? []}
      />
    </>
  );
}
