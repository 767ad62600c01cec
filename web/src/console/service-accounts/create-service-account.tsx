import { useState } from 'preact/hooks';
import { useLocation } from 'wouter-preact';
import { createServiceAccount, type CreateServiceAccountResponse } from '../../../../client/src/operations.ts';
import { changed } from '../../changes.ts';
import { CheckField, Field } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import type { Values } from '../../ui/form.tsx';
import { useService } from '../../ui/frame.tsx';
import { useConsole } from '../context.ts';
import { useRoleNames } from '../users/role-names.ts';
import { RoleFields, rolesOf } from '../users/roles.tsx';
import { SecretDialog } from '../secret-dialog.tsx';
import { TenantField } from '../tenant-field.tsx';
import { serviceAccountTexts } from './texts.ts';
import { tokenCommand } from './usage.ts';

/** Creates a service account, shows its secret once, and then the account. */
export function CreateServiceAccount({ onClose }: { readonly onClose: () => void }) {
  const { session } = useService();
  const [, navigate] = useLocation();
  const { choosesTenant, linkTo } = useConsole();
  const [created, setCreated] = useState<CreateServiceAccountResponse>();
  const { toGive } = useRoleNames();
  const texts = serviceAccountTexts();
  if (created) {
    const show = () => navigate(linkTo(`/service-accounts/${created.serviceAccount.id}`));
    return (
      <SecretDialog
        title={texts.secret}
        text={texts.shownOnce}
        secret={created.clientSecret}
        usage={tokenCommand(created.serviceAccount.clientId, created.clientSecret)}
        onClose={show}
      />
    );
  }
  const create = async (values: Values) => {
    const { clientId = '', name = '', tenantId = '', resourceServer } = values;
    const tenant = tenantId === '' ? {} : { tenantId };
    const extent = resourceServer === undefined ? {} : { resourceServer: true };
    const body = { clientId, name, roles: rolesOf(values), ...tenant, ...extent };
    setCreated((await createServiceAccount(session, { body })).data);
    changed(['service-accounts']);
  };
  return (
    <FormDialog title={texts.create} action={texts.create} onClose={onClose} onSubmit={create}>
      <Field name="name" label={texts.name} hint={texts.nameHint} required maxLength={200} autofocus />
      <Field
        name="clientId"
        label={texts.clientId}
        hint={texts.clientIdHint}
        required
        maxLength={254}
        autocomplete="off"
        autocapitalize="off"
        spellcheck={false}
      />
      <RoleFields legend={texts.roles} names={toGive} />
      {choosesTenant && (
        <>
          <TenantField none={texts.noTenant} />
          <CheckField name="resourceServer" label={texts.resourceServer} hint={texts.resourceServerHint} />
        </>
      )}
    </FormDialog>
  );
}
