import { getRole, updateRole, type Reply, type Role } from '../../../../client/src/operations.ts';
import { ChangeForm } from '../change-form.tsx';
import { useService } from '../../ui/frame.tsx';
import { bodyOf, RoleFields } from './role-fields.tsx';
import { tenantOf } from './role.ts';
import { roleTexts } from './texts.ts';

interface ChangeRoleProps {
  readonly versioned: Reply<Role>;
  readonly onClose: () => void;
}

export function ChangeRole({ versioned, onClose }: ChangeRoleProps) {
  const { session } = useService();
  const texts = roleTexts();
  const role = versioned.data;
  const target = { path: { name: role.name }, query: tenantOf(role) };
  return (
    <ChangeForm
      title={texts.changeRole}
      action={texts.save}
      opened={versioned}
      onClose={onClose}
      read={bodyOf}
      save={(body, headers, reason) => updateRole(session, { ...target, headers, body: { ...body, ...reason } })}
      load={() => getRole(session, target)}
      compare={(mine, saved) => [
        { label: texts.description, mine: mine.description ?? '', saved: saved.description ?? '' },
        { label: texts.permissions, mine: listOf(mine.permissions), saved: listOf(saved.permissions) },
        { label: texts.inherits, mine: listOf(mine.inherits), saved: listOf(saved.inherits) },
      ]}
      done={texts.saved}
      changes={['roles', 'users']}
    >
      <RoleFields role={role} />
    </ChangeForm>
  );
}

const listOf = (names: readonly string[]): string => names.toSorted().join(' ');
