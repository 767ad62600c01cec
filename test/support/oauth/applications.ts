// Applications of tests.
import { newId } from '../../../src/platform/db/ids.ts';
import type { Application } from '../../../src/auth/oauth/applications/application.ts';
import { SCOPES } from '../../../src/auth/oauth/scopes.ts';

/** Returns an application with the defaults of a web application. */
export function webApplication(fields: Partial<Application> = {}): Application {
  return {
    tenantId: 'acme',
    id: newId(),
    clientId: 'web-app',
    type: 'WEB',
    name: 'Web app',
    redirectUris: ['https://app.example.com/callback'],
    scopes: SCOPES,
    resources: [],
    firstParty: false,
    requirePkce: true,
    requirePar: false,
    requiredPermission: undefined,
    requiredAcr: undefined,
    postLogoutRedirectUris: [],
    backchannelLogoutUri: undefined,
    homeUrl: undefined,
    logo: undefined,
    jwks: undefined,
    idTokenAlgorithm: 'RS256',
    idTokenClaims: true,
    usernameForm: 'FULL',
    deviceGrant: false,
    accessTokenTtl: 900,
    refreshTokenIdle: 2_592_000,
    refreshTokenLifetime: 7_776_000,
    disabled: false,
    createdAt: 0,
    updatedAt: 0,
    version: 1,
    ...fields,
  };
}
