import { useState } from 'preact/hooks';
import { useLocation } from 'wouter-preact';
import {
  createApplication,
  type Application,
  type CreateApplicationResponse,
} from '../../../../client/src/operations.ts';
import { changed } from '../../changes.ts';
import { ChoiceField } from '../../ui/choice-field.tsx';
import { Field } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import type { Values } from '../../ui/form.tsx';
import { useService } from '../../ui/frame.tsx';
import { useConsole } from '../context.ts';
import { SecretDialog } from '../secret-dialog.tsx';
import { TenantField } from '../tenant-field.tsx';
import { serviceAccountTexts } from '../service-accounts/texts.ts';
import { ApplicationField } from './application-field.tsx';
import { bodyOf, type FieldName } from './fields.ts';
import { applicationTexts } from './texts.ts';

type Type = Application['type'];
const TYPES: readonly Type[] = ['WEB', 'SPA', 'NATIVE'];

/** Creates an application, shows its secret once if it has one, and then the application. */
export function CreateApplication({ onClose }: { readonly onClose: () => void }) {
  const { session } = useService();
  const [, navigate] = useLocation();
  const { choosesTenant, linkTo } = useConsole();
  const [type, setType] = useState<Type>('WEB');
  const [created, setCreated] = useState<CreateApplicationResponse>();
  const texts = applicationTexts();
  const show = ({ id }: Pick<Application, 'id'>) => navigate(linkTo(`/applications/${id}`));
  if (created)
    return (
      <SecretDialog
        title={serviceAccountTexts().secret}
        text={texts.secretText}
        secret={created.clientSecret}
        onClose={() => show(created.application)}
      />
    );
  const names: readonly FieldName[] = ['name', 'redirectUris', ...(choosesTenant ? (['firstParty'] as const) : [])];
  const create = async (values: Values) => {
    const { clientId = '', tenantId: tenant = '' } = values;
    const { name = '', redirectUris, firstParty } = bodyOf(names, values);
    const { data } = await createApplication(session, {
      body: {
        name,
        type,
        redirectUris: redirectUris ?? [],
        ...(firstParty && { firstParty }),
        ...(clientId !== '' && { clientId }),
        ...(tenant !== '' && { tenantId: tenant }),
      },
    });
    changed(['applications']);
    if ('clientSecret' in data) setCreated(data);
    else show(data);
  };
  const text = { autocomplete: 'off', autocapitalize: 'off', spellcheck: false } as const;
  return (
    <FormDialog title={texts.create} action={texts.create} onClose={onClose} onSubmit={create}>
      <ChoiceField
        name="type"
        label={texts.type}
        value={type}
        options={TYPES.map((one) => [one, texts[one]])}
        hint={texts[`${type}_HINT`]}
        onChoose={(value) => setType(TYPES.find((one) => one === value)!)}
      />
      {names.slice(0, 2).map((name) => (
        <ApplicationField key={name} name={name} type={type} autofocus={name === 'name'} />
      ))}
      <Field name="clientId" label={texts.clientId} hint={texts.clientIdHint} maxLength={100} {...text} />
      {names.slice(2).map((name) => (
        <ApplicationField key={name} name={name} type={type} />
      ))}
      {choosesTenant && <TenantField none={texts.allTenants} hint={texts.tenantHint} />}
    </FormDialog>
  );
}
