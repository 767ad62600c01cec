// Texts that no response may contain, in both disclosure modes.
import { homedir, tmpdir } from 'node:os';
import { dirname } from 'node:path';
import { expect } from 'vitest';
import { PASSWORD } from './accounts.ts';
import { TEST_KEY_ENCRYPTION_KEY } from './key-encryption-key.ts';

/** Only at the beginning of a path: `gateway/root/` is in the project, `/root/` is not. */
const DIRECTORIES = [process.cwd(), dirname(process.cwd()), homedir(), tmpdir()]
  .filter((path) => path !== '/')
  .map((path) => ({ path: `${path}/`, pattern: new RegExp(`(?<![\\w.-])${path.replace(/[^\w/-]/g, '\\$&')}/`) }));

const FORBIDDEN: readonly (readonly [what: string, pattern: RegExp])[] = [
  ['a password hash', /\$argon2|argon2id/i],
  ['a JWT', /\beyJ[\w-]+\./],
  ['SQL', /\b(?:SELECT|INSERT INTO|REPLACE INTO|UPDATE|DELETE FROM)\s+\w|\bWHERE\b/],
  ['a private key', /PRIVATE KEY|"d"\s*:/],
  ['an absolute path', /(?<![\w/.])\/(?:root|home|usr|tmp|var|opt|etc)\//],
];

/** Returns the leaks in a text: known secrets, and texts that look like a secret. */
export function leaksOf(text: string, secrets: readonly string[] = []): string[] {
  const known = [PASSWORD, TEST_KEY_ENCRYPTION_KEY.toString('base64'), ...secrets];
  return [
    ...known.filter((secret) => text.includes(secret)),
    ...DIRECTORIES.filter(({ pattern }) => pattern.test(text)).map(({ path }) => path),
    ...FORBIDDEN.filter(([, pattern]) => pattern.test(text)).map(([what]) => what),
  ];
}

/**
 * Expects what all rejected logins and refreshes have in common: no cookie, no challenge, `no-store`, and no secret.
 */
export function expectQuiet({ headers, text }: { headers: Headers; text: string }, ...secrets: string[]): void {
  expect(headers.getSetCookie()).toEqual([]);
  expect(headers.get('www-authenticate')).toBeNull();
  expect(headers.get('cache-control')).toBe('no-store');
  expect(leaksOf(text, secrets)).toEqual([]);
}
