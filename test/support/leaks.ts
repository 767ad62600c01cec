// What no answer may ever hold, whichever the disclosure mode.
import { homedir, tmpdir } from 'node:os';
import { dirname } from 'node:path';
import { PASSWORD } from './accounts.ts';
import { TEST_KEY_ENCRYPTION_KEY } from './deployment.ts';

const DIRECTORIES = [process.cwd(), dirname(process.cwd()), homedir(), tmpdir()].filter((path) => path.length > 1);

const FORBIDDEN: readonly (readonly [what: string, pattern: RegExp])[] = [
  ['a password hash', /\$argon2|argon2id/i],
  ['a JWT', /\beyJ[\w-]+\./],
  ['SQL', /\b(?:SELECT|INSERT INTO|REPLACE INTO|UPDATE|DELETE FROM)\s+\w|\bWHERE\b/],
  ['a private key', /PRIVATE KEY|"d"\s*:/],
  ['an absolute path', /(?<![\w/.])\/(?:root|home|usr|tmp|var|opt|etc)\//],
  ['a dependency', /node_modules/],
];

/** What of it a text holds: the known secrets, and whatever looks like one. */
export function leaksOf(text: string, secrets: readonly string[] = []): string[] {
  const known = [PASSWORD, TEST_KEY_ENCRYPTION_KEY.toString('base64'), ...DIRECTORIES, ...secrets];
  return [
    ...known.filter((secret) => text.includes(secret)),
    ...FORBIDDEN.filter(([, pattern]) => pattern.test(text)).map(([what]) => what),
  ];
}
