// The passwords, client secrets and TOTP secrets that this project publishes, in its documents and in the demo. They are public, so
// app.env=PROD refuses them.
import { toOpaqueString } from '../../platform/formats/characters.ts';

const PASSWORDS: ReadonlySet<string> = new Set([
  'a long first password',
  'change-me-please',
  'change-me-too',
  'demo-password-1',
]);

const CLIENT_SECRETS: ReadonlySet<string> = new Set(['demo-secret-acme-sync-0123456789abcdef']);

/** The TOTP secret of the demo, in base32. */
export const SAMPLE_TOTP_SECRET = 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP';

/** Whether a password is a published one, in any letter case, and with any blanks. */
export function isSamplePassword(password: string): boolean {
  return PASSWORDS.has(toOpaqueString(password).toLowerCase());
}

/** Whether a client secret is a published one. */
export function isSampleSecret(clientSecret: string): boolean {
  return CLIENT_SECRETS.has(clientSecret);
}
