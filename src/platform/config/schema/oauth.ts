import { flag, integer } from '../kinds.ts';
import { both, core, type Basis } from '../setting.ts';

/** The OpenID provider: logins of other applications. */
export const OAUTH_SETTINGS = {
  'app.oauth.enabled': both(
    flag,
    {
      rule:
        '`true` if `app.public-url` is set, `app.security.jwt.issuer` equals it, `app.security.jwt.audience` differs from it, ' +
        'and `app.http.pages` is not set to `false`; else `false`',
      of: (basis, given) => isPossible(basis) && given['app.http.pages'] !== false,
    },
    'Whether other applications can log in users (OpenID Connect, OAuth 2.1). If not, the paths below `/api/v1/auth/oauth2` are ' +
      '404. A gateway that runs apart needs the same value as its core.',
  ),
  'app.oauth.cli': core(
    flag,
    'true',
    'Whether the command line can log in users by their browser: the built-in application `authservice-cli`. If not, its tokens are ' +
      'refused. Its name stays taken.',
  ),
  'app.oauth.pending-requests': core(
    integer(1, 10_000_000),
    '200000',
    'Most authorization requests of callers without a session that can be open, 3,000 of one network. Beyond, requests are answered ' +
      'with 429.',
  ),
};

function isPossible(basis: Basis): boolean {
  const url = basis['app.public-url'];
  return url !== undefined && basis['app.security.jwt.issuer'] === url && basis['app.security.jwt.audience'] !== url;
}
