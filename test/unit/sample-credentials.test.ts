// Every password and client secret that the project publishes is known as a sample.
import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { DEMO_PLAN } from '../../src/composition/bootstrap/demo.ts';
import { plannedAccounts } from '../../src/composition/bootstrap/planned-accounts.ts';
import { isSamplePassword, isSampleSecret } from '../../src/auth/identity/sample-credentials.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const PUBLISHED = ['README.md', 'docs/**/*.md', 'client/README.md', 'client/examples/*', 'deploy/**/*', 'examples/*/*'];
const texts = globSync(PUBLISHED, { cwd: ROOT, exclude: (path) => path.includes('node_modules') })
  .filter((path) => /\.(?:md|ts|py|go|java|sh|ya?ml|env)$/.test(path))
  .map((path) => readFileSync(`${ROOT}/${path}`, 'utf8'));

/** Literals in quotes, YAML and shell. Not variables, ellipses and names of errors. */
const PASSWORD =
  /[Pp]assword['"]?: ?(?:"([\w .!-]{12,})"|'([\w .!-]{12,})'|([a-z][\w-]{11,}))|(?:PASSWORD=|with the password )([\w-]{12,})/g;
const SECRET = /(?:client_?secret['"]?[:=] ?['"]?|SECRET=|-u [\w-]+:)([\w-]{32,})/gi;

const literals = (pattern: RegExp) => [
  ...new Set(
    texts.flatMap((text) =>
      [...text.matchAll(pattern)].map(([, ...groups]) => groups.find((group) => group !== undefined)!),
    ),
  ),
];

it('knows the passwords and secrets of the demo', () => {
  for (const { password, secret } of plannedAccounts(DEMO_PLAN)) {
    if (password !== undefined) expect([password, isSamplePassword(password)]).toEqual([password, true]);
    if (secret !== undefined) expect([secret, isSampleSecret(secret)]).toEqual([secret, true]);
  }
});

it('knows the passwords of the documents, examples and deployment files', () => {
  const found = literals(PASSWORD);
  expect(found).toEqual(expect.arrayContaining(['demo-password-1', 'change-me-please', 'change-me-too']));
  expect(found.filter((password) => !isSamplePassword(password))).toEqual([]);
});

it('knows the client secrets of the documents, examples and deployment files', () => {
  const found = literals(SECRET);
  expect(found.length).toBeGreaterThan(0);
  expect(found.filter((secret) => !isSampleSecret(secret))).toEqual([]);
});
