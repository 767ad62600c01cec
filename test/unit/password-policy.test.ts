// The rules for new passwords.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createPasswordPolicy } from '../../src/identity/users/password-policy.ts';

const OWNER = { username: 'alice@acme.test', email: 'Alice.Adams@acme.test' };
const COMMON = ['password1234', 'Password1234', 'QWERTY123456', '1qaz2wsx3edc', '123456789987654321'];

describe('the password policy', () => {
  const check = createPasswordPolicy({ refuseSamples: false });
  const messageOf = async (password: string, current?: string) =>
    (await check('password', password, OWNER, current))?.message;

  it.each([
    ['eleven char', 'must have 12 to 1024 characters'],
    ['x'.repeat(1025), 'must have 12 to 1024 characters'],
    ['aaaaaaaaaaaaaaa', 'must not repeat a single character'],
    [' ALICE@acme.test ', 'must not be the username'],
    ['alice.adams@ACME.test', 'must not be the e-mail address'],
    ...COMMON.map((password) => [password, 'must not be one of the most common passwords']),
  ])('rejects %j: %s', async (password, message) => {
    expect(await messageOf(password)).toBe(message);
  });

  it('rejects the current password, and accepts any other', async () => {
    expect(await messageOf('Correct horse 42', 'Correct horse 42')).toBe('must not be the current password');
    expect(await messageOf('Correct horse 42', 'correct horse 42')).toBeUndefined();
    expect(await messageOf('change-me-please')).toBeUndefined();
  });

  it('rejects every sample password of the documents in PROD', async () => {
    const inProd = createPasswordPolicy({ refuseSamples: true });
    const documents = ['README.md', 'docs/getting-started.md', 'docs/deployment.md'];
    const text = documents.map((path) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')).join('\n');
    const samples = [...text.matchAll(/\bpassword"?: ?"?([\w-]+)/g)].map(([, password]) => password!);
    expect(samples.length).toBeGreaterThan(2);
    for (const sample of samples) {
      expect(await inProd('password', sample, OWNER)).toMatchObject({ format: 'password-policy', props: ['password'] });
    }
  });
});
