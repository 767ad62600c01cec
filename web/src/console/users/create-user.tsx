import { useState } from 'preact/hooks';
import { useLocation } from 'wouter-preact';
import { createUser, setUserPassword } from '../../../../client/src/operations.ts';
import { changed } from '../../changes.ts';
import { CheckField, Field } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { useService } from '../../ui/frame.tsx';
import { notify } from '../../ui/notices.tsx';
import { useConsole } from '../context.ts';
import { MailLanguage, mailLanguageOf } from '../mail-language.tsx';
import { SecretDialog } from '../secret-dialog.tsx';
import { TenantField } from '../tenant-field.tsx';
import { userActTexts } from './act-texts.ts';
import { SUPER_ADMIN } from './role-names.ts';
import { RoleFields, rolesOf } from './roles.tsx';
import { userTexts } from './texts.ts';

/** A password that nobody learns. A temporary one replaces it at once. */
const unknownPassword = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(24)), (byte) => byte.toString(36).padStart(2, '0')).join('');

interface CreateUserProps {
  readonly roleNames: readonly string[];
  /** Roles that are chosen at first. */
  readonly roles?: readonly string[];
  readonly onClose: () => void;
}

export function CreateUser({ roleNames, roles: chosenRoles = [], onClose }: CreateUserProps) {
  const { options, session } = useService();
  const { choosesTenant, linkTo, tenantId: chosen } = useConsole();
  const [, navigate] = useLocation();
  const [tenantId, setTenant] = useState(chosen ?? '');
  const texts = userTexts();
  const isSuperAdmin = tenantId === '';
  // A SUPER_ADMIN gets no password by mail.
  const canInvite = options.recovery && !isSuperAdmin;
  const [wantsInvitation, setInvited] = useState(true);
  const isInvited = canInvite && wantsInvitation;
  const [created, setCreated] = useState<{ readonly show: () => void; readonly password: string }>();
  if (created) {
    const { password, show } = created;
    const { temporaryPassword, passwordShown } = userActTexts();
    return <SecretDialog title={temporaryPassword} text={passwordShown} secret={password} onClose={show} />;
  }
  return (
    <FormDialog
      title={texts.create}
      action={texts.create}
      onClose={onClose}
      onSubmit={async (values) => {
        const { username = '', name = '', email = '' } = values;
        const roles = isSuperAdmin ? [SUPER_ADMIN] : rolesOf(values);
        const credentials = isInvited ? { invite: true, ...mailLanguageOf(values) } : { password: unknownPassword() };
        const tenant = isSuperAdmin ? {} : { tenantId };
        const body = { ...tenant, username, name, email: email || undefined, roles, ...credentials };
        const { data } = await createUser(session, { body });
        changed(['users']);
        const show = () => navigate(linkTo(`/users/${data.id}`));
        if (isInvited) {
          notify(texts.invitedNotice);
          return show();
        }
        const reply = await setUserPassword(session, { path: { userId: data.id }, body: { temporary: true } }).catch(
          show,
        );
        if (reply) setCreated({ show, password: (reply.data as { readonly password: string }).password });
      }}
    >
      {choosesTenant && <TenantField none={texts.noTenant} onChoose={setTenant} />}
      {isSuperAdmin && <p>{texts.createSuperAdmin}</p>}
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
      {isInvited && <MailLanguage />}
      {!isInvited && <p>{texts.passwordFollows}</p>}
      {!isSuperAdmin && (
        <RoleFields legend={texts.roles} names={roleNames.filter((name) => name !== SUPER_ADMIN)} held={chosenRoles} />
      )}
    </FormDialog>
  );
}
