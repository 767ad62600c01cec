import Type from 'typebox';

/** The members that say what an access token is and how long it lives. */
export const ACCESS_TOKEN = {
  access_token: Type.String({ description: 'JWT for the Authorization header.' }),
  token_type: Type.Literal('Bearer'),
  expires_in: Type.Integer({ description: 'Lifetime of the access token in seconds.', examples: [900] }),
};

/** The access token of a reply of the core's. */
export function accessTokenOf({ accessToken, expiresIn }: { accessToken: string; expiresIn: number }) {
  return { access_token: accessToken, token_type: 'Bearer' as const, expires_in: expiresIn };
}

/** The refresh token of a reply; the core sends one wherever this profile asks. */
export function refreshTokenOf({ refreshToken }: { refreshToken?: string | undefined }): string {
  if (refreshToken === undefined) throw new TypeError('The core sent no refresh token');
  return refreshToken;
}
