// Imported bcrypt hashes: which passwords match.
import bcrypt from 'bcrypt';
import { expect, it } from 'vitest';
import { verifyBcrypt } from '../../src/auth/identity/authentication/password-hash-formats.ts';

const PASSWORD = 'demo-password-1';
const HASH = bcrypt.hashSync(PASSWORD, 4);

it('returns true for the password, also with the prefix of PHP', async () => {
  expect(await verifyBcrypt(HASH, PASSWORD)).toBe(true);
  expect(await verifyBcrypt(HASH.replace('$2b$', '$2y$'), PASSWORD)).toBe(true);
});

// bcrypt repeats the password after a NUL, so another text would match and pass the check for published passwords.
it('returns false for a password that is repeated after NUL', async () => {
  expect(await verifyBcrypt(HASH, `${PASSWORD}\0${PASSWORD}`)).toBe(false);
});
