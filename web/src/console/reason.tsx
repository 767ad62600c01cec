// The reason of an act, which stands in its audit record.
import { commonTexts } from '../texts/common.ts';
import { Field } from '../ui/field.tsx';
import type { Values } from '../ui/form.tsx';

/** The member of a request for the reason of an act. */
export interface Reason {
  readonly reason?: string;
}

export function ReasonField() {
  const texts = commonTexts();
  return <Field name="reason" label={texts.reason} hint={texts.reasonHint} maxLength={500} autocomplete="off" />;
}

/** Returns the member of a request for the field. */
export const reasonOf = ({ reason = '' }: Values): Reason => (reason === '' ? {} : { reason });
