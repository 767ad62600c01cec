// The authentication of clients: applications and service accounts.
import { createCheckSecret, createClientAuthentication } from '../auth/client-credentials/client-authentication.ts';
import { createClientRateLimit, type ClientRateLimit } from '../auth/client-credentials/client-rate-limit.ts';
import { createClientSecretStore } from '../auth/client-credentials/client-secret-store.ts';
import type { ClientAuthentication } from '../auth/client-credentials/client-authentication.ts';
import { APPLICATION_SECRETS } from '../auth/client-credentials/secrets.ts';
import type { AuthenticationManager } from '../auth/identity/authentication/authentication-manager.ts';
import { createFindByClientId, type FindByClientId } from '../auth/oauth/applications/application-loader-store.ts';
import { createWithSettings } from '../auth/oauth/applications/command-line.ts';
import { createAdmitClient } from '../auth/oauth/tokens/client-admission.ts';
import { CLIENT_ASSERTIONS_CLEANUP, createClaimAssertion } from '../auth/oauth/tokens/client-assertion-store.ts';
import { createClientAuthentications, type ClientAuthentications } from '../auth/oauth/tokens/client-authentication.ts';
import type { ClientEndpoint } from '../auth/oauth/tokens/client-method.ts';
import { createBackgroundRetries } from '../platform/concurrency/background-retries.ts';
import type { Settings } from '../platform/config/settings.ts';
import { isOutcomeUnknown } from '../platform/db/errors.ts';
import { DependencyUnavailableError } from '../platform/errors.ts';
import { recordLastUsed } from '../platform/jobs/last-used.ts';
import { createRateLimit } from '../platform/limits/rate-limit.ts';
import { commandLineRules } from './applications.ts';
import type { Foundation, Part } from './foundation.ts';

export interface Clients extends Part, ClientAuthentications {
  readonly findByClientId: FindByClientId;
  /** Authenticates service accounts alone. */
  readonly authenticateServiceAccount: ClientAuthentication;
  readonly rateLimit: ClientRateLimit;
}

/** Creates the authentication of clients with its rate limits and the recorders of the last use of secrets. */
export function createClients(
  foundation: Foundation,
  { authenticateClient }: Pick<AuthenticationManager, 'authenticateClient'>,
): Clients {
  const { settings, database, clientSecrets, audit, clock, log, refuseSamples, runRefusable } = foundation;
  const applicationSecrets = createClientSecretStore(database, APPLICATION_SECRETS);
  const accountUses = recordLastUsed({ database, clock, log, store: clientSecrets.recordUses });
  const applicationUses = recordLastUsed({ database, clock, log, store: applicationSecrets.recordUses });
  const { rateLimit, ...limits } = createLimits(foundation);
  const findByClientId = createFindByClientId(database, createWithSettings(commandLineRules(settings)));
  const authenticateServiceAccount = createClientAuthentication({
    authenticateClient,
    checkSecret: createCheckSecret({ secrets: clientSecrets, clock, refuseSamples }),
    used: accountUses.used,
  });
  return {
    ...createClientAuthentications({
      audit,
      clock,
      runRefusable,
      findByClientId,
      authenticateServiceAccount,
      checkSecret: createCheckSecret({ secrets: applicationSecrets, clock, refuseSamples }),
      claimAssertion: createClaimAssertion(database),
      audiencesOf: assertionAudiences(settings),
      admissionOf: createAdmitClient({ rateLimit, clock }),
      used: applicationUses.used,
    }),
    findByClientId,
    authenticateServiceAccount,
    rateLimit,
    cleanupTargets: [CLIENT_ASSERTIONS_CLEANUP],
    metrics: limits.metrics,
    async close() {
      await accountUses.close();
      await applicationUses.close();
      await limits.close();
    },
  };
}

function createLimits(foundation: Foundation) {
  const { settings, database, clock, log } = foundation;
  const limiting = {
    database,
    clock,
    log,
    store: settings['app.security.m2m.rate-limit.store'],
    windowMs: settings['app.security.m2m.rate-limit.window'],
  };
  const points = settings['app.security.m2m.rate-limit.points'];
  const introspectionPoints = settings['app.security.m2m.rate-limit.introspection-points'];
  const grants = createRateLimit({ ...limiting, name: 'm2m', points });
  const introspections = createRateLimit({ ...limiting, name: 'm2m-introspection', points: introspectionPoints });
  // The default of DEV.
  if (!grants && settings['app.env'] !== 'DEV') {
    log.warn(
      'app.security.m2m.rate-limit.store is none: token requests are not limited; memory, database or a ' +
        'redis:// URL limits them',
    );
  }
  const retries = createBackgroundRetries({
    // Taken back twice, an event would let one too many through.
    isTemporary: (error) => error instanceof DependencyUnavailableError && !isOutcomeUnknown(error),
    onGiveUp: (error) => log.warn({ err: error }, 'a token request that failed counts for the rate limit'),
  });
  return {
    rateLimit: createClientRateLimit({ grants, introspections, retries }),
    metrics: [...(grants?.metrics ?? []), ...(introspections?.metrics ?? [])],
    async close() {
      await retries.stop();
      await grants?.close();
      await introspections?.close();
    },
  };
}

const ENDPOINTS: Readonly<Record<ClientEndpoint, readonly string[]>> = {
  token: ['/oauth2/token'],
  // RFC 9126 section 2: the token endpoint, too.
  par: ['/oauth2/par', '/oauth2/token'],
  device: ['/oauth2/device', '/oauth2/token'],
  introspect: ['/introspect'],
  revoke: ['/revoke'],
};

/** Returns the audiences of client assertions: the issuer, and the URLs that the metadata names, if they do not depend on the request. */
export function assertionAudiences(
  settings: Pick<Settings, 'app.security.jwt.issuer' | 'app.public-url' | 'app.http.context-path'>,
): (endpoint: ClientEndpoint) => readonly string[] {
  const issuer = settings['app.security.jwt.issuer'];
  const path = settings['app.http.context-path'];
  const bases = [issuer, settings['app.public-url']]
    .filter((url) => url !== undefined && /^https?:/.test(url))
    .map((url) => url!.replace(/\/+$/, ''))
    .map((url) => (path === 'any' || url.endsWith(path) ? url : `${url}${path}`));
  return (endpoint) => [
    issuer,
    ...bases.flatMap((base) => ENDPOINTS[endpoint].map((suffix) => `${base}/api/v1/auth${suffix}`)),
  ];
}
