import type { Role } from '../../../../client/src/operations.ts';
import { Field, TextArea } from '../../ui/field.tsx';
import type { Values } from '../../ui/form.tsx';
import { wordsOf } from '../../words.ts';
import { roleTexts } from './texts.ts';

/** Returns the members of a request. An empty description is none. */
export const bodyOf = ({ description = '', permissions = '', inherits = '' }: Values) => ({
  description: description === '' ? null : description,
  permissions: wordsOf(permissions),
  inherits: wordsOf(inherits),
});

/** The fields of a role that can change. */
export function RoleFields({ role }: { readonly role?: Role }) {
  const texts = roleTexts();
  return (
    <>
      <Field name="description" label={texts.description} defaultValue={role?.description ?? ''} maxLength={1_000} />
      <TextArea
        name="permissions"
        label={texts.permissions}
        hint={texts.permissionsHint}
        value={(role?.permissions ?? []).join('\n')}
        maxLength={30_000}
      />
      <Field
        name="inherits"
        label={texts.inherits}
        hint={texts.inheritsHint}
        defaultValue={(role?.inherits ?? []).join(' ')}
        maxLength={5_000}
        autocapitalize="characters"
        spellcheck={false}
      />
    </>
  );
}
