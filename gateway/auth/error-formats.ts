import { authPath } from '../api-path.ts';
import type { GatewaySettings } from '../context.ts';
import { type ErrorFormat, type ErrorFormatOf, PROBLEMS } from '../errors/error-formats.ts';
import { bearerErrors } from './m2m/bearer-error.ts';
import { oauthErrors } from './m2m/token-error.ts';
import { BROWSER_ERRORS } from './browser-errors.ts';
import { PROFILE_B_ERRORS } from './profile-b/error.ts';

/** Returns the error format of each path. Unknown paths below the authentication path have that of the profile. */
export function errorFormats(
  settings: Pick<
    GatewaySettings,
    'app.http.context-path' | 'app.name' | 'app.oauth.enabled' | 'app.security.auth-profile'
  >,
): ErrorFormatOf {
  const auth = authPath(settings);
  const oauth = oauthErrors(settings['app.name']);
  const oauthPaths = new Set(['token', 'introspect', 'revoke'].map((name) => `${auth}/${name}`));
  const ofProvider = settings['app.oauth.enabled']
    ? providerFormats(`${auth}/oauth2/`, settings['app.name'])
    : undefined;
  const problemPaths = new Set(['verify', 'revocations', 'options'].map((name) => `${auth}/${name}`));
  const isProfileB = settings['app.security.auth-profile'] === 'B';
  return (path = '') => {
    if (oauthPaths.has(path)) return oauth;
    const provider = ofProvider?.(path);
    if (provider) return provider;
    if (!isProfileB || problemPaths.has(path)) return PROBLEMS;
    return path === auth || path.startsWith(`${auth}/`) ? PROFILE_B_ERRORS : PROBLEMS;
  };
}

/** Returns the formats of the OpenID provider. */
function providerFormats(oauth2: string, realm: string) {
  const forms = oauthErrors(realm, { formOnly: true });
  const formats = new Map<string, ErrorFormat>([
    [`${oauth2}token`, forms],
    [`${oauth2}par`, forms],
    [`${oauth2}device`, forms],
    [`${oauth2}userinfo`, bearerErrors('openid')],
    [`${oauth2}authorize`, BROWSER_ERRORS],
    [`${oauth2}end-session`, BROWSER_ERRORS],
  ]);
  return (path: string) => formats.get(path) ?? (path.startsWith(oauth2) ? PROBLEMS : undefined);
}
