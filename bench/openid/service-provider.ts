import { addConsent } from '../../src/auth/oauth/consent/consent-store.ts';
import { insertApplication } from '../../src/auth/oauth/applications/application-store.ts';
import type { Application } from '../../src/auth/oauth/applications/application.ts';
import { SCOPES } from '../../src/auth/oauth/scopes.ts';
import { APPLICATION_SECRETS, issueSecret } from '../../src/auth/client-credentials/secrets.ts';
import { newId } from '../../src/platform/db/ids.ts';
import type { Database } from '../../src/platform/db/types.ts';
import type { Program } from '../program.ts';
import { seedSessions, TENANT_ID } from '../seed.ts';
import { COOKIE_NAME } from '../service.ts';
import { CALLBACK, type OpenIdProvider } from './provider.ts';

/** Settings with which the service is a provider. */
export const PROVIDER_SETTINGS = { 'app.public-url': 'https://login.example.com' };

const API = '/api/v1/auth/oauth2';

/** An application with its client secret. */
export interface SeededApplication {
  readonly application: Application;
  readonly secret: string;
}

/** Returns the provider that a service with an application is, without browsers. */
export function providerOf(
  program: Program,
  { application, secret }: SeededApplication,
): Omit<OpenIdProvider, 'openBrowsers'> {
  return {
    name: 'service',
    program,
    client: { id: application.clientId, secret },
    paths: { authorize: `${API}/authorize`, token: `${API}/token`, userinfo: `${API}/userinfo` },
  };
}

/** Registers an application at a service. `browsers` is the number of browsers that are opened for each load. */
export async function serviceProvider(program: Program, database: Database, browsers: number): Promise<OpenIdProvider> {
  const seeded = await seedApplication(database, newId());
  return {
    ...providerOf(program, seeded),
    // New ones for each load, because an account has at most 20 grants of an application.
    async openBrowsers() {
      const sessions = await seedSessions(database, browsers);
      for (const { accountId } of sessions) await consent(database, seeded.application, accountId);
      return sessions.map(({ credential }) => `${COOKIE_NAME}=${credential}`);
    },
  };
}

/** Stores what users are asked for. */
export async function consent(database: Database, { id }: Application, accountId: string): Promise<void> {
  const address = { tenantId: TENANT_ID, accountId, applicationId: id };
  await addConsent(database, address, ['openid', 'profile', 'email'], Date.now());
}

/** Inserts a web application of the tenant of the seeded sessions. Its client id is its id. */
export async function seedApplication(database: Database, id: string): Promise<SeededApplication> {
  const now = Date.now();
  const application: Application = {
    tenantId: TENANT_ID,
    id,
    clientId: id,
    type: 'WEB',
    name: 'Bench',
    redirectUris: [CALLBACK],
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
    refreshTokenIdle: 30 * 86_400,
    refreshTokenLifetime: 90 * 86_400,
    disabled: false,
    createdAt: now,
    updatedAt: now,
    version: 1,
  };
  await insertApplication(database, application);
  const { value: secret } = await issueSecret(database, APPLICATION_SECRETS, application, { createdAt: now });
  return { application, secret };
}
