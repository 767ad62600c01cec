import { Type } from '../../type.ts';
import { declared } from '../declared.ts';
import { LOGIN } from '../login-credentials.ts';

/** Schemas of the response members for an access token: value, type and lifetime. */
export const ACCESS_TOKEN = {
  access_token: Type.String(declared(LOGIN.output, 'access_token')),
  token_type: Type.Literal('Bearer'),
  expires_in: Type.Integer(declared(LOGIN.output, 'expires_in')),
};

/** Returns the members for the access token in a response of the core. */
export function accessTokenOf({ accessToken, expiresIn }: { accessToken: string; expiresIn: number }) {
  return { access_token: accessToken, token_type: 'Bearer' as const, expires_in: expiresIn };
}

/**
 * Returns the refresh token in a response of the core. Throws TypeError if it is missing: the core always sends one to this
 * profile.
 */
export function refreshTokenOf({ refreshToken }: { refreshToken?: string | undefined }): string {
  if (refreshToken === undefined) throw new TypeError('The core sent no refresh token');
  return refreshToken;
}
