import { Field } from '../ui/field.tsx';
import { loginTexts } from './texts.ts';

/** The field of a code of an authenticator app. Apps show it in two groups, so a blank is accepted. */
export function CodeField() {
  const texts = loginTexts();
  return (
    <Field
      name="code"
      label={texts.code}
      title={texts.codeFormat}
      autocomplete="one-time-code"
      inputMode="numeric"
      pattern="\s*\d{3}\s?\d{3}\s*"
      maxLength={9}
      required
      autofocus
    />
  );
}
