// The rules for new passwords.
import { fileURLToPath } from 'node:url';
import { ServiceError, type Violation } from '../../../platform/errors.ts';
import { toOpaqueString } from '../../../platform/formats/characters.ts';
import { readText } from '../../../platform/read-text.ts';
import { fieldRule, lengthViolation } from '../../../platform/rpc/field-rule.ts';
import type { Policies } from '../../access/policy/policies.ts';
import { canonicalUsername } from '../login-name.ts';
import { isSamplePassword } from '../sample-credentials.ts';

interface PasswordOwner {
  /** Its policy says how long a password must be. */
  readonly tenantId?: string | undefined;
  readonly username: string;
  readonly email?: string | undefined;
}

/**
 * Returns the first violation of a new password, for the field with this name; undefined if it is valid. The password
 * is never part of the message.
 *
 * @param current The password that it replaces, if the caller sent it.
 */
export type CheckPassword = (
  field: string,
  password: string,
  owner: PasswordOwner,
  current?: string,
) => Promise<Violation | undefined>;

const RULE = fieldRule('authservice.identity.v1.SetUserPasswordRequest.password');

/**
 * @param options.refuseSamples Whether the sample passwords of the documentation are rejected.
 * @param options.forbiddenWords Words that no password may contain, in any case. Default: none.
 * @param options.policies Default: the length of the field rule only.
 */
export function createPasswordPolicy({
  refuseSamples,
  forbiddenWords = [],
  policies,
}: {
  readonly refuseSamples: boolean;
  readonly forbiddenWords?: readonly string[];
  readonly policies?: Pick<Policies, 'load'>;
}): CheckPassword {
  const forbidden = forbiddenWords.map((word) => toOpaqueString(word).toLowerCase());
  return async (field, sent, owner, current) => {
    const password = toOpaqueString(sent);
    const min = policies ? (await policies.load(owner.tenantId)).effective.passwordMinLength : RULE.min;
    const wrongLength = lengthViolation(field, password, { ...RULE, min });
    if (wrongLength) return wrongLength;
    const folded = password.toLowerCase();
    const word = forbidden.find((one) => folded.includes(one));
    const message =
      findViolation(password, owner, current) ??
      (word === undefined ? undefined : `must not contain ${word}`) ??
      (refuseSamples && isSamplePassword(password) ? 'must not be a sample of the documentation' : undefined) ??
      (commonPasswords().has(folded) ? 'must not be one of the most common passwords' : undefined);
    return message === undefined ? undefined : { message, format: 'password-policy', props: [field] };
  };
}

function findViolation(password: string, { username, email }: PasswordOwner, current?: string): string | undefined {
  if (new Set(password).size === 1) return 'must not repeat a single character';
  const name = canonicalUsername(password);
  if (name !== undefined && name === canonicalUsername(username)) return 'must not be the username';
  if (name !== undefined && email !== undefined && name === canonicalUsername(email)) {
    return 'must not be the e-mail address';
  }
  return current !== undefined && password === toOpaqueString(current) ? 'must not be the current password' : undefined;
}

/** Throws VALIDATION_ERROR if a password does not meet the policy. */
export async function assertPassword(
  checkPassword: CheckPassword,
  ...password: Parameters<CheckPassword>
): Promise<void> {
  const violation = await checkPassword(...password);
  if (violation === undefined) return;
  throw new ServiceError('VALIDATION_ERROR', {
    publicMessage: 'The password does not meet the policy',
    violations: [violation],
  });
}

// Passwords that attackers try first, because they are in leaks. Read when the first password is set, because starting the service
// does not need them.

const COMMON_PASSWORDS = new URL('../../../../third_party/seclists/passwords.txt', import.meta.url);

let common: ReadonlySet<string> | undefined;

/** The most common passwords of the smallest length or more, in lower case. */
function commonPasswords(): ReadonlySet<string> {
  return (common ??= new Set(readText(fileURLToPath(COMMON_PASSWORDS)).trimEnd().split('\n')));
}
