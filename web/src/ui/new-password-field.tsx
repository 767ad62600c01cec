import { createTexts } from '../i18n.ts';
import { PasswordField, type FieldProps } from './field.tsx';

const texts = createTexts({
  en: {
    label: 'New password',
    hint: 'Long and unusual: a sentence or four random words. A password manager makes good ones.',
  },
  de: {
    label: 'Neues Passwort',
    hint: 'Lang und ungewöhnlich: ein Satz oder vier zufällige Wörter. Ein Passwort-Manager erzeugt gute.',
  },
});

/** A field for a password that the user chooses. */
export function NewPasswordField(props: Pick<FieldProps, 'name' | 'autofocus'>) {
  const { label, hint } = texts();
  return <PasswordField label={label} hint={hint} autocomplete="new-password" maxLength={1024} required {...props} />;
}
