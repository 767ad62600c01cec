// Why a user was not invited, in the language of the page.
import { ApiError } from '../../../../client/src/index.ts';
import type { InvitationResult } from '../../../../client/src/operations.ts';
import { textOf } from '../../errors.ts';
import { invitationTexts } from './invitation-texts.ts';

type InvitationError = NonNullable<InvitationResult['error']>;

/** Returns what to change in the line of the user, or what else to do. */
export function textOfInvitationError({ errorCode, detail, violations }: InvitationError): string {
  const texts = invitationTexts() as Readonly<Record<string, unknown>>;
  const [{ format = '', props: [field] = [] } = {}] = violations as { format?: string; props?: string[] }[];
  const text = errorCode === 'validation-error' ? texts[`${field}Invalid`] : texts[format];
  if (typeof text === 'string') return text;
  return textOf(new ApiError(detail, { status: 500, code: errorCode, violations }));
}
