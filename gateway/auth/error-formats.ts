import { authPath } from '../api-path.ts';
import type { GatewaySettings } from '../context.ts';
import { type ErrorFormatOf, PROBLEMS } from '../errors/error-formats.ts';
import { bearerErrors } from './m2m/bearer-error.ts';
import { oauthErrors } from './m2m/token-error.ts';
import { BROWSER_ERRORS } from './browser-errors.ts';
import { PROFILE_B_ERRORS } from './profile-b/error.ts';

/** Returns the error format of each path. Unknown paths below the authentication path have that of the profile. */
export function errorFormats(
  settings: Pick<GatewaySettings, 'app.http.context-path' | 'app.name' | 'app.security.auth-profile'>,
): ErrorFormatOf {
  const auth = authPath(settings);
  const oauth = oauthErrors(settings['app.name']);
  const oauthPaths = new Set(['token', 'introspect', 'revoke'].map((name) => `${auth}/${name}`));
  const formErrors = oauthErrors(settings['app.name'], { formOnly: true });
  const userInfoErrors = bearerErrors('openid');
  const oauth2 = `${auth}/oauth2/`;
  const problemPaths = new Set(['verify', 'revocations', 'options'].map((name) => `${auth}/${name}`));
  const isProfileB = settings['app.security.auth-profile'] === 'B';
  return (path = '') => {
    if (oauthPaths.has(path)) return oauth;
    if (path === `${oauth2}token` || path === `${oauth2}par`) return formErrors;
    if (path === `${oauth2}userinfo`) return userInfoErrors;
    if (path === `${oauth2}authorize`) return BROWSER_ERRORS;
    if (path.startsWith(oauth2)) return PROBLEMS;
    if (!isProfileB || problemPaths.has(path)) return PROBLEMS;
    return path === auth || path.startsWith(`${auth}/`) ? PROFILE_B_ERRORS : PROBLEMS;
  };
}
