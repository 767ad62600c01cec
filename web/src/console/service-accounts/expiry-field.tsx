import { Field } from '../../ui/field.tsx';
import { serviceAccountTexts } from './texts.ts';

const DAY_MS = 86_400_000;

/** The day on which a credential ends, if it does. */
export function ExpiryField() {
  const texts = serviceAccountTexts();
  const tomorrow = new Date(Date.now() + DAY_MS).toLocaleDateString('sv');
  return <Field name="expiresAt" type="date" label={texts.expires} hint={texts.expiresHint} min={tomorrow} />;
}

/** Returns the member of a request for the field. */
export const expiryOf = (day = ''): { readonly expiresAt?: string } =>
  day === '' ? {} : { expiresAt: new Date(`${day}T00:00`).toISOString() };
