// Values of several examples.

export const PASSWORD = 'A long enough password';

/** A text in the form of a token of a mail and of a challenge. None is the same. */
export const TOKEN = 'x'.repeat(43);

/** What a browser answers to the options of a passkey. No service accepts it. */
export const PASSKEY = '{}';

export const TOTP = '123456';

/** A webhook whose address is not connected to (RFC 5737). */
export const NEW_WEBHOOK = { url: 'https://192.0.2.1/isolation', events: ['role.created'] };

/** A web application whose users never return (RFC 2606). */
export const NEW_APPLICATION = {
  name: 'Isolation',
  type: 'WEB',
  redirectUris: ['https://isolation.invalid/callback'],
} as const;

/** A role name that contains the text. */
export const roleNameOf = (text: string) => `R_${text.replaceAll('-', '_').toUpperCase()}`;
