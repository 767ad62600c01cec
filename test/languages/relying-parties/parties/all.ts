// All relying parties of the test. docs/comparison.md lists those that cannot be run.
import type { Party } from '../party.ts';
import { OIDC_AGENT } from './agent.ts';
import { GO_DEVICE, GO_OIDC, KUBERNETES, ZITADEL } from './go.ts';
import { KEYCLOAK, QUARKUS, SPRING } from './java.ts';
import { EXPRESS, MCP, NEXT_AUTH, OIDC_CLIENT_TS, OPENID_CLIENT } from './javascript.ts';
import { LEMONLDAP } from './portal.ts';
import { MOD_AUTH_OPENIDC, OAUTH2_PROXY } from './products.ts';
import { AUTHLIB, DJANGO } from './python.ts';
import { MINIFLUX, SYNAPSE } from './servers.ts';

/** Also with a database server and two cores. */
export const FIRST_PARTIES: readonly Party[] = [MOD_AUTH_OPENIDC, OAUTH2_PROXY, KUBERNETES, SPRING, NEXT_AUTH];

export const PARTIES: readonly Party[] = [
  ...FIRST_PARTIES,
  EXPRESS,
  OPENID_CLIENT,
  OIDC_CLIENT_TS,
  ZITADEL,
  GO_OIDC,
  GO_DEVICE,
  DJANGO,
  AUTHLIB,
  MCP,
  OIDC_AGENT,
  MINIFLUX,
  SYNAPSE,
  QUARKUS,
  KEYCLOAK,
  LEMONLDAP,
];
