import { Field } from './field.tsx';
import { factorTexts } from '../texts/factors.ts';

/** As the service reads a code: digits of any script, with blanks, hyphens or marks of the direction between them. */
const BETWEEN = '[\\s\\p{Cf}\\p{Pd}]*';
export const CODE_PATTERN = `${BETWEEN}(\\p{Nd}${BETWEEN}){6}`;

/** The field of a code of an authenticator app. */
export function CodeField() {
  const texts = factorTexts();
  return (
    <Field
      name="code"
      label={texts.code}
      title={texts.codeFormat}
      autocomplete="one-time-code"
      inputMode="numeric"
      pattern={CODE_PATTERN}
      maxLength={64}
      required
      autofocus
    />
  );
}
