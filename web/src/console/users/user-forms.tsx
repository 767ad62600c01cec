import {
  setUserRoles,
  getUser,
  updateUser,
  type Reply,
  type UpdateUserRequest,
  type User,
} from '../../../../client/src/operations.ts';
import { formatDateTime, fromLocal, toLocal } from '../../format.ts';
import { ChangeForm } from '../change-form.tsx';
import { Field } from '../../ui/field.tsx';
import type { Values } from '../../ui/form.tsx';
import { useService } from '../../ui/frame.tsx';
import { useRoleNames } from './role-names.ts';
import { RoleFields, rolesOf } from './roles.tsx';
import { userTexts } from './texts.ts';

interface UserFormProps {
  readonly versioned: Reply<User>;
  readonly onClose: () => void;
}

export function EditUser({ versioned, onClose }: UserFormProps) {
  const { session } = useService();
  const texts = userTexts();
  const user = versioned.data;
  const path = { userId: user.id };
  return (
    <ChangeForm
      title={texts.edit}
      action={texts.save}
      opened={versioned}
      onClose={onClose}
      read={(values) => changesOf(user, values)}
      save={(body, headers, reason) => updateUser(session, { path, body: { ...body, ...reason }, headers })}
      load={() => getUser(session, { path })}
      compare={(mine, saved) =>
        (Object.keys(mine) as Exclude<keyof UpdateUserRequest, 'reason'>[]).map((name) => ({
          label: texts[name],
          mine: describe(mine[name]),
          saved: describe((saved as UpdateUserRequest)[name]),
        }))
      }
      done={texts.saved}
      changes={['users', 'sessions']}
    >
      <Field
        name="name"
        label={texts.name}
        defaultValue={user.name}
        required
        maxLength={200}
        autocomplete="off"
        autofocus
      />
      <Field
        name="email"
        type="email"
        label={texts.email}
        defaultValue={user.email}
        maxLength={320}
        autocomplete="off"
      />
      <Field
        name="accountExpiresAt"
        type="datetime-local"
        label={texts.accountExpiresAt}
        defaultValue={toLocal(user.accountExpiresAt)}
      />
      <Field
        name="credentialsExpireAt"
        type="datetime-local"
        label={texts.credentialsExpireAt}
        defaultValue={toLocal(user.credentialsExpireAt)}
      />
    </ChangeForm>
  );
}

const ISO_TIME = /^\d{4}-\d\d-\d\dT.*Z$/;
const describe = (value: string | null | undefined): string =>
  value !== undefined && value !== null && ISO_TIME.test(value) ? formatDateTime(value) : (value ?? '');

/** Only what was changed, so that the changes of others remain. */
function changesOf(user: User, values: Values): UpdateUserRequest {
  const { name = '', email = '' } = values;
  const times = (['accountExpiresAt', 'credentialsExpireAt'] as const).filter(
    (field) => values[field] !== toLocal(user[field]),
  );
  return {
    ...(name !== user.name && { name }),
    ...(email !== (user.email ?? '') && { email: email || null }),
    ...Object.fromEntries(times.map((field) => [field, values[field] ? fromLocal(values[field]) : null])),
  };
}

export function ChangeRoles({ versioned, onClose }: UserFormProps) {
  const { session } = useService();
  const { toGive } = useRoleNames();
  const texts = userTexts();
  const { id, tenantId, heldRoles } = versioned.data;
  const path = { userId: id };
  const isSuperAdmin = tenantId === undefined;
  return (
    <ChangeForm
      title={texts.changeRoles}
      action={texts.save}
      opened={versioned}
      onClose={onClose}
      read={(values) => rolesOf(values, heldRoles)}
      save={(roles, headers, reason) => setUserRoles(session, { path, body: { roles, ...reason }, headers })}
      load={() => getUser(session, { path })}
      compare={(mine, saved) => [{ label: texts.roles, mine: mine.join(', '), saved: saved.heldRoles.join(', ') }]}
      done={texts.rolesSaved}
      changes={['users', 'sessions', 'roles']}
    >
      <p>{texts.changeRolesText}</p>
      <RoleFields
        legend={texts.roles}
        names={toGive.filter((name) => (name === 'SUPER_ADMIN') === isSuperAdmin)}
        held={heldRoles}
      />
    </ChangeForm>
  );
}
