// What a new password must be: a pure decision.
import type { Violation } from '../errors.ts';
import { hasLength, wrongLength } from '../request-check.ts';
import { canonicalUsername } from './username.ts';

export interface PasswordOwner {
  readonly username: string;
  readonly email: string | undefined;
}

const MIN_CHARACTERS = 12;
const MAX_CHARACTERS = 1024;

/** What is wrong with a new password, in the field of this name; undefined where nothing is. The text is never told. */
export function passwordViolation(
  field: string,
  password: string,
  owner: PasswordOwner,
  /** The password that it replaces, where the owner gives it. */
  current?: string,
): Violation | undefined {
  if (!hasLength(password, MIN_CHARACTERS, MAX_CHARACTERS)) return wrongLength(field, MIN_CHARACTERS, MAX_CHARACTERS);
  const broken = (message: string): Violation => ({ message, format: 'password-policy', props: [field] });
  if (new Set(password).size === 1) return broken('must not be one character over and over');
  const name = canonicalUsername(password);
  if (name !== undefined && name === canonicalUsername(owner.username)) return broken('must not be the username');
  if (name !== undefined && owner.email !== undefined && name === canonicalUsername(owner.email)) {
    return broken('must not be the e-mail address');
  }
  if (password === current) return broken('must not be the current password');
  return undefined;
}
