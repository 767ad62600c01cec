// Passwords that the service generates for users.
import { randomInt } from 'node:crypto';
import type { Violation } from '../../../platform/errors.ts';

/** Without characters that look like others. */
const ALPHABET = 'abcdefghijkmnpqrstuvwxyz23456789';
const GROUP_LENGTH = 5;
/** 20 characters of 32: 100 bits. */
const GROUPS = 4;
/** As many as the longest minimum of a tenant needs. */
const MAX_GROUPS = 24;

/** Returns a random password that a policy accepts, in groups: `k3v9x-…`. */
export async function generatePassword(
  findViolation: (password: string) => Promise<Violation | undefined>,
): Promise<string> {
  for (let groups = GROUPS; ; groups += GROUPS) {
    const password = Array.from({ length: groups }, newGroup).join('-');
    if (groups >= MAX_GROUPS || (await findViolation(password)) === undefined) return password;
  }
}

function newGroup(): string {
  return Array.from({ length: GROUP_LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
}
