import { useLocation } from 'wouter-preact';
import { createRole } from '../../../../client/src/operations.ts';
import { changed } from '../../changes.ts';
import { Field } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import type { Values } from '../../ui/form.tsx';
import { useService } from '../../ui/frame.tsx';
import { notify } from '../../ui/notices.tsx';
import { useConsole } from '../context.ts';
import { bodyOf, RoleFields } from './role-fields.tsx';
import { tenantOf } from './role.ts';
import { roleTexts } from './texts.ts';

export function CreateRole({ onClose }: { readonly onClose: () => void }) {
  const { session } = useService();
  const [, navigate] = useLocation();
  const { choosesTenant, linkTo, tenantId } = useConsole();
  const texts = roleTexts();
  const create = async (values: Values) => {
    const { name = '' } = values;
    const { description, ...fields } = bodyOf(values);
    const body = { name, ...fields, ...(description === null ? {} : { description }), ...tenantOf({ tenantId }) };
    await createRole(session, { body });
    notify(texts.createdNotice);
    changed(['roles']);
    navigate(linkTo(`/roles/${name}`));
  };
  return (
    <FormDialog title={texts.create} action={texts.create} onClose={onClose} onSubmit={create}>
      {choosesTenant && tenantId === undefined && <p>{texts.createAll}</p>}
      <Field
        name="name"
        label={texts.name}
        hint={texts.nameHint}
        title={texts.nameHint}
        required
        maxLength={63}
        pattern="[A-Z][A-Z0-9_]*"
        autocapitalize="characters"
        spellcheck={false}
        autofocus
      />
      <RoleFields />
    </FormDialog>
  );
}
