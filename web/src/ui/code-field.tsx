import { Field } from './field.tsx';
import { factorTexts } from '../texts/factors.ts';

/** The field of a code of an authenticator app. Apps show it in two groups, so a blank is accepted. */
export function CodeField() {
  const texts = factorTexts();
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
