// All relying parties of the test. Those that are not run are in examples/relying-parties/README.md.
import type { Party } from '../party.ts';
import { OIDC_AGENT } from './agent.ts';
import { SPRING } from './java.ts';
import { EXPRESS, OIDC_CLIENT_TS, OPENID_CLIENT } from './javascript.ts';
import { MOD_AUTH_OPENIDC, OAUTH2_PROXY } from './products.ts';
import { AUTHLIB } from './python.ts';
import { MINIFLUX } from './servers.ts';

/** Also with a database server and two processes. */
export const FIRST_PARTIES: readonly Party[] = [MOD_AUTH_OPENIDC, OAUTH2_PROXY, SPRING];

export const PARTIES: readonly Party[] = [
  ...FIRST_PARTIES,
  EXPRESS,
  OPENID_CLIENT,
  OIDC_CLIENT_TS,
  AUTHLIB,
  OIDC_AGENT,
  MINIFLUX,
];
