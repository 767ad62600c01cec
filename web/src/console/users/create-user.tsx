import { useState } from 'preact/hooks';
import { useLocation } from 'wouter-preact';
import { createUser } from '../../../../client/src/operations.ts';
import { CheckField, Field, PasswordField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { useService } from '../../ui/frame.tsx';
import { notify } from '../../ui/notices.tsx';
import { useConsole } from '../context.ts';
import { RoleFields, rolesOf } from './roles.tsx';
import { userTexts } from './texts.ts';

/** The role of accounts without a tenant. */
const SUPER_ADMIN = 'SUPER_ADMIN';

interface CreateUserProps {
  readonly roleNames: readonly string[];
  readonly onClose: () => void;
}

export function CreateUser({ roleNames, onClose }: CreateUserProps) {
  const { options, session } = useService();
  const { tenantId, linkTo } = useConsole();
  const [, navigate] = useLocation();
  const texts = userTexts();
  const isSuperAdmin = tenantId === undefined;
  // A SUPER_ADMIN gets no password by mail.
  const canInvite = options.recovery && !isSuperAdmin;
  const [isInvited, setInvited] = useState(canInvite);
  return (
    <FormDialog
      title={texts.create}
      action={texts.create}
      onClose={onClose}
      conflict={['username', texts.taken]}
      onSubmit={async (values) => {
        const { username = '', name = '', email = '', password = '' } = values;
        const roles = isSuperAdmin ? [SUPER_ADMIN] : rolesOf(values);
        const credentials = isInvited ? { invite: true } : { password };
        const body = { tenantId, username, name, email: email || undefined, roles, ...credentials };
        const { data } = await createUser(session, { body });
        notify(isInvited ? texts.invitedNotice : texts.createdNotice);
        navigate(linkTo(`/users/${data.id}`));
      }}
    >
      <p>{isSuperAdmin ? texts.createSuperAdmin : texts.createIn(tenantId)}</p>
      <Field name="name" label={texts.name} required maxLength={200} autocomplete="off" autofocus />
      <Field
        name="username"
        label={texts.username}
        hint={texts.usernameHint}
        required
        maxLength={254}
        autocomplete="off"
        autocapitalize="off"
        spellcheck={false}
      />
      <Field name="email" type="email" label={texts.email} required={isInvited} maxLength={320} autocomplete="off" />
      {canInvite && (
        <CheckField
          name="invite"
          label={texts.invite}
          hint={texts.inviteHint}
          checked={isInvited}
          onInput={({ currentTarget }) => setInvited(currentTarget.checked)}
        />
      )}
      {!isInvited && (
        <PasswordField
          name="password"
          label={texts.password}
          hint={texts.passwordHint}
          required
          maxLength={1024}
          autocomplete="new-password"
        />
      )}
      {!isSuperAdmin && <RoleFields names={roleNames.filter((name) => name !== SUPER_ADMIN)} />}
    </FormDialog>
  );
}
