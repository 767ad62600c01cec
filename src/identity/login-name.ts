// Which texts can be usernames, client ids and passwords. Those of accounts that exist need not have all of today's formats.
import { normalizeUsername } from '../formats/username.ts';
import { fieldRule, lengthViolation } from '../rpc/field-rule.ts';

const USERNAME = fieldRule('authservice.identity.v1.CreateUserRequest.username');
const PASSWORD = fieldRule('authservice.identity.v1.ChangeOwnPasswordRequest.current_password');

/** Says how long a username or client id can be. */
export const USERNAME_LENGTH = `1 to ${USERNAME.max} characters`;
/** Says how long a password can be. */
export const PASSWORD_LENGTH = `1 to ${PASSWORD.max} characters`;

/** The canonical form of a login name: trimmed, Unicode NFC, lower case. Undefined if it cannot be one, by its length. */
export function canonicalUsername(input: string): string | undefined {
  const canonical = normalizeUsername(input);
  return lengthViolation('username', canonical, USERNAME) ? undefined : canonical;
}

/** Whether a text can be a password, by its length. */
export function isPossiblePassword(input: string): boolean {
  return lengthViolation('password', input, PASSWORD) === undefined;
}
