// The rules for usernames, client ids and passwords. Existing accounts may have names of earlier formats.
import { normalizeUsername } from '../../platform/formats/names.ts';
import { fieldRule, lengthViolation } from '../../platform/rpc/field-rule.ts';

const USERNAME = fieldRule('authservice.identity.v1.CreateUserRequest.username');
const PASSWORD = fieldRule('authservice.identity.v1.ChangeOwnPasswordRequest.current_password');

/** The allowed length of a username or client id, as parameters of findings. */
export const USERNAME_LENGTHS = { minimum: '1', maximum: String(USERNAME.max) };
/** Describes the allowed length of a username or client id. */
export const USERNAME_LENGTH = `1 to ${USERNAME.max} characters`;
/** Describes the allowed length of a password. */
export const PASSWORD_LENGTH = `1 to ${PASSWORD.max} characters`;

/**
 * Returns the canonical form of a login name: trimmed, Unicode NFC, lower case. Undefined if its length is not allowed.
 */
export function canonicalUsername(input: string): string | undefined {
  const canonical = normalizeUsername(input);
  return lengthViolation('username', canonical, USERNAME) ? undefined : canonical;
}

/** Whether the length of a text is allowed for a password. */
export function isPossiblePassword(input: string): boolean {
  return lengthViolation('password', input, PASSWORD) === undefined;
}
