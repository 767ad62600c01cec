// What can be done with a service account.
import { useState } from 'preact/hooks';
import { Link, useLocation } from 'wouter-preact';
import {
  deleteServiceAccount,
  disableServiceAccount,
  enableServiceAccount,
  updateServiceAccount,
  type ServiceAccount,
} from '../../../../client/src/operations.ts';
import { changed } from '../../changes.ts';
import { CheckField, Field } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { useService } from '../../ui/frame.tsx';
import { notify } from '../../ui/notices.tsx';
import { Acts, type Act } from '../act-button.tsx';
import { useConsole } from '../context.ts';
import { ReasonField, reasonOf } from '../reason.tsx';
import { useRoleNames } from '../users/role-names.ts';
import { RoleFields, rolesOf } from '../users/roles.tsx';
import { serviceAccountTexts } from './texts.ts';

interface AccountProps {
  readonly account: ServiceAccount;
}

export function ServiceAccountActs({ account }: AccountProps) {
  const { session } = useService();
  const { canOpen, linkTo } = useConsole();
  const [, navigate] = useLocation();
  const [form, setForm] = useState<keyof typeof FORMS>();
  const texts = serviceAccountTexts();
  const { id, name } = account;
  const path = { id };
  const enable: Act = {
    label: texts.enable,
    question: { title: texts.enableTitle(name), text: texts.enableText, action: texts.enableAct, hasReason: true },
    changes: ['service-accounts'],
    run: async (values) => {
      await enableServiceAccount(session, { path, body: reasonOf(values) });
      return texts.enabledNotice;
    },
  };
  const disable: Act = {
    label: texts.disable,
    isDanger: true,
    question: { title: texts.disableTitle(name), text: texts.disableText, action: texts.disableAct, hasReason: true },
    changes: ['service-accounts'],
    run: async (values) => {
      await disableServiceAccount(session, { path, body: reasonOf(values) });
      return texts.disabledNotice;
    },
  };
  const remove: Act = {
    label: texts.remove,
    isDanger: true,
    question: { title: texts.removeTitle(name), text: texts.removeText, action: texts.removeAct, hasReason: true },
    changes: ['service-accounts', 'roles'],
    run: async (values) => {
      await deleteServiceAccount(session, { path, query: reasonOf(values) });
      navigate(linkTo('/service-accounts'), { replace: true });
      return texts.removed;
    },
  };
  const Form = form && FORMS[form];
  return (
    <>
      <Acts acts={[account.disabled ? enable : disable, remove]}>
        {canOpen('/audit') && (
          <Link class="button" href={linkTo('/audit', { account: id })}>
            {texts.history}
          </Link>
        )}
        <button onClick={() => setForm('name')}>{texts.rename}</button>
        <button onClick={() => setForm('roles')}>{texts.changeRoles}</button>
      </Acts>
      {Form && <Form account={account} onClose={() => setForm(undefined)} />}
    </>
  );
}

interface FormProps extends AccountProps {
  readonly onClose: () => void;
}

function Rename({ account, onClose }: FormProps) {
  const { session } = useService();
  const { choosesTenant } = useConsole();
  const texts = serviceAccountTexts();
  return (
    <FormDialog
      title={texts.rename}
      action={texts.save}
      onClose={onClose}
      onSubmit={async ({ name = '', resourceServer, ...values }) => {
        const extent = choosesTenant ? { resourceServer: resourceServer !== undefined } : {};
        const body = { name, ...extent, ...reasonOf(values) };
        await updateServiceAccount(session, { path: { id: account.id }, body });
        notify(texts.renamed);
        onClose();
        changed(['service-accounts']);
      }}
    >
      <Field
        name="name"
        label={texts.name}
        hint={texts.nameHint}
        defaultValue={account.name}
        required
        maxLength={200}
      />
      {choosesTenant && (
        <CheckField
          name="resourceServer"
          label={texts.resourceServer}
          hint={texts.resourceServerHint}
          defaultChecked={account.resourceServer ?? false}
        />
      )}
      <ReasonField />
    </FormDialog>
  );
}

function ChangeRoles({ account: { id, roles, tenantId }, onClose }: FormProps) {
  const { session } = useService();
  const { toGive } = useRoleNames();
  const texts = serviceAccountTexts();
  const isOfTenant = tenantId !== undefined;
  return (
    <FormDialog
      title={texts.changeRoles}
      action={texts.save}
      onClose={onClose}
      onSubmit={async (values) => {
        const body = { roles: rolesOf(values, roles), ...reasonOf(values) };
        await updateServiceAccount(session, { path: { id }, body });
        notify(texts.rolesSaved);
        onClose();
        changed(['service-accounts', 'roles']);
      }}
    >
      <p>{texts.changeRolesText}</p>
      <RoleFields
        legend={texts.roles}
        names={toGive.filter((name) => !isOfTenant || name !== 'SUPER_ADMIN')}
        held={roles}
      />
      <ReasonField />
    </FormDialog>
  );
}

const FORMS = { name: Rename, roles: ChangeRoles } as const;
