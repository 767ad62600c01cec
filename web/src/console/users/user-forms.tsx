import {
  setUserPassword,
  setUserRoles,
  updateUser,
  type UpdateUserRequest,
  type User,
} from '../../../../client/src/operations.ts';
import { Field, PasswordField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import type { Values } from '../../ui/form.tsx';
import { useService } from '../../ui/frame.tsx';
import { notify } from '../../ui/notices.tsx';
import { RoleFields, rolesOf, useRoleNames } from './roles.tsx';
import { userTexts } from './texts.ts';

interface UserFormProps {
  readonly user: User;
  readonly onChange: () => void;
  readonly onClose: () => void;
}

export function EditUser({ user, onChange, onClose }: UserFormProps) {
  const { session } = useService();
  const texts = userTexts();
  return (
    <FormDialog
      title={texts.edit}
      action={texts.save}
      onClose={onClose}
      onSubmit={async (values) => {
        await updateUser(session, { path: { userId: user.id }, body: changesOf(user, values) });
        notify(texts.saved);
        onClose();
        onChange();
      }}
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
        label={texts.accountExpires}
        defaultValue={toLocal(user.accountExpiresAt)}
      />
      <Field
        name="credentialsExpireAt"
        type="datetime-local"
        label={texts.passwordExpires}
        defaultValue={toLocal(user.credentialsExpireAt)}
      />
    </FormDialog>
  );
}

/** Only what was changed, so that the changes of others remain. */
function changesOf(user: User, values: Values): UpdateUserRequest {
  const { name = '', email = '', accountExpiresAt = '', credentialsExpireAt = '' } = values;
  return {
    ...(name !== user.name && { name }),
    ...(email !== (user.email ?? '') && { email: email || null }),
    ...(accountExpiresAt !== toLocal(user.accountExpiresAt) && { accountExpiresAt: fromLocal(accountExpiresAt) }),
    ...(credentialsExpireAt !== toLocal(user.credentialsExpireAt) && {
      credentialsExpireAt: fromLocal(credentialsExpireAt),
    }),
  };
}

/** Returns a time as fields of the browser want it: local, to the minute. */
function toLocal(time: string | undefined): string {
  if (time === undefined) return '';
  const date = new Date(time);
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

const fromLocal = (time: string): string | null => (time === '' ? null : new Date(time).toISOString());

export function ChangeRoles({ user, onChange, onClose }: UserFormProps) {
  const { session } = useService();
  const names = useRoleNames();
  const texts = userTexts();
  const isSuperAdmin = user.tenantId === undefined;
  return (
    <FormDialog
      title={texts.changeRoles}
      action={texts.save}
      onClose={onClose}
      onSubmit={async (values) => {
        const roles = rolesOf(values, user.heldRoles);
        await setUserRoles(session, { path: { userId: user.id }, body: { roles } });
        notify(texts.rolesSaved);
        onClose();
        onChange();
      }}
    >
      <p>{texts.changeRolesText}</p>
      <RoleFields names={names.filter((name) => (name === 'SUPER_ADMIN') === isSuperAdmin)} held={user.heldRoles} />
    </FormDialog>
  );
}

export function SetPassword({ user, onChange, onClose }: UserFormProps) {
  const { session } = useService();
  const texts = userTexts();
  return (
    <FormDialog
      title={texts.setPassword}
      action={texts.setPassword}
      onClose={onClose}
      onSubmit={async ({ password = '' }) => {
        await setUserPassword(session, { path: { userId: user.id }, body: { password } });
        notify(texts.passwordSaved);
        onClose();
        onChange();
      }}
    >
      <p>{texts.setPasswordText}</p>
      <PasswordField
        name="password"
        label={texts.password}
        hint={texts.passwordHint}
        autocomplete="new-password"
        required
        maxLength={1024}
        autofocus
      />
    </FormDialog>
  );
}
