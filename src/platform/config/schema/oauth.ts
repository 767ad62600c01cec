import { integer } from '../kinds.ts';
import { core } from '../setting.ts';

/** The OpenID provider: logins of other applications. */
export const OAUTH_SETTINGS = {
  'app.oauth.pending-requests': core(
    integer(1, 10_000_000),
    '200000',
    'Most authorization requests of callers without a session that can be open, 3,000 of one network. Beyond, requests are answered ' +
      'with 429.',
  ),
};
