// The rules for new passwords.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createPasswordPolicy } from '../../src/auth/identity/users/password-policy.ts';

const OWNER = { username: 'alice@acme.test', email: 'Alice.Adams@acme.test' };
const COMMON = ['password1234', 'counterstrike', 'Password1234', 'QWERTY123456', '1qaz2wsx3edc', '123456789987654321'];

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

  it('rejects each password of the list, which has more than 12,000 of its length', async () => {
    const list = join(import.meta.dirname, '../../third_party/seclists/passwords.txt');
    const passwords = readFileSync(list, 'utf8').trimEnd().split('\n');
    expect(passwords.filter((password) => password.length >= 12).length).toBeGreaterThan(12_000);
    const accepted: string[] = [];
    for (const password of passwords) if ((await messageOf(password)) === undefined) accepted.push(password);
    expect(accepted).toEqual([]);
  });

  it('rejects the current password, and accepts any other', async () => {
    expect(await messageOf('Correct horse 42', 'Correct horse 42')).toBe('must not be the current password');
    expect(await messageOf('Correct horse 42', 'correct horse 42')).toBeUndefined();
    expect(await messageOf('change-me-please')).toBeUndefined();
  });

  it('rejects what contains a forbidden word, in any case and form', async () => {
    const forbidding = createPasswordPolicy({ refuseSamples: false, forbiddenWords: ['Acme', 'Zürich'] });
    const messageIn = async (password: string) => (await forbidding('password', password, OWNER))?.message;
    expect(await messageIn('summer-at-ACME-2026')).toBe('must not contain acme');
    expect(await messageIn('from Zu\u0308rich to Bern')).toBe('must not contain zürich');
    expect(await messageIn('summer-at-home-2026')).toBeUndefined();
  });

  it('rejects sample passwords in PROD', async () => {
    const inProd = createPasswordPolicy({ refuseSamples: true });
    const message = 'must not be a sample of the documentation';
    for (const sample of ['change-me-please', 'Demo-Password-1'])
      expect(await inProd('password', sample, OWNER)).toMatchObject({ message, format: 'password-policy' });
  });
});
