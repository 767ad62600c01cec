// The OpenID provider: requests, codes and grants of applications.
import { createIssueToken } from '../auth/client-credentials/issue-token.ts';
import { GRANTS_CLEANUP } from '../auth/oauth/grants/grant-store.ts';
import { createRefreshGrant } from '../auth/oauth/grants/refresh-grant.ts';
import { createIssueCode } from '../auth/oauth/authorize/issue-code.ts';
import { createRequestValidator } from '../auth/oauth/authorize/validate-request.ts';
import { createRequestStore, REQUESTS_CLEANUP } from '../auth/oauth/authorize/request-store.ts';
import { shortenSession } from '../auth/session/slide-store.ts';
import { createSessionReader } from '../auth/oauth/authorize/session-facts.ts';
import { CODES_CLEANUP } from '../auth/oauth/codes/code-store.ts';
import { createExchangeCode } from '../auth/oauth/codes/exchange-code.ts';
import { createOutcomeCounts } from '../auth/oauth/count-outcomes.ts';
import { createGrantCount } from '../auth/oauth/grants/count-grants.ts';
import { servedApplication } from '../auth/oauth/applications/application-loader-store.ts';
import { createFindConsent } from '../auth/oauth/consent/consent-store.ts';
import { findLogo } from '../auth/oauth/applications/application-store.ts';
import { createForgetConsents } from '../auth/oauth/consent/forget-consents.ts';
import { authorizationService } from '../auth/oauth/service.ts';
import { createPrepareTokens } from '../auth/oauth/tokens/issue-tokens.ts';
import { createSlideSession } from '../auth/session/slide-session.ts';
import { findTenant } from '../auth/tenancy/tenant-store.ts';
import type { Accounts } from './accounts.ts';
import type { Clients } from './clients.ts';
import type { Foundation, Part } from './foundation.ts';
import type { Tokens } from './tokens.ts';
import type { Notify } from '../auth/mail/notices.ts';
import type { Grants } from './grants.ts';

interface OauthParts {
  readonly tokens: Tokens;
  readonly accounts: Accounts;
  readonly clients: Clients;
  readonly grants: Grants;
  readonly notify: Notify;
}

/** Creates the service of authorizations. */
export function createOauth(
  foundation: Foundation,
  { tokens, accounts: { administration, writer }, clients, grants, notify }: OauthParts,
): Part {
  const { settings, database, accounts, sessions, policies, audit, clock, log } = foundation;
  const { transports, idTokens } = tokens;
  const issuer = settings['app.security.jwt.issuer'];
  const { store, findStanding, endGrant, inspectToken, refreshTokens } = grants;
  const slideSession = createSlideSession({ database, transports, clock });
  const findTenantName = async (id: string) => (await findTenant(database, id))?.name;
  const requests = createRequestStore(database, settings['app.oauth.pending-requests']);
  const sessionReader = createSessionReader({
    findConsent: createFindConsent(database),
    accounts,
    sessions,
    policies,
    transports,
    shortenSession: (session) => shortenSession(database, session, session),
    clock,
  });
  const issueCode = createIssueCode({ database, slideSession, issuer, clock });
  const validator = createRequestValidator({
    requests,
    findByClientId: async (clientId) => servedApplication(await clients.findByClientId(clientId)),
    readHint: idTokens.readHint,
    clock,
  });
  const prepareTokens = createPrepareTokens({
    tokens: tokens.tokens,
    signIdToken: idTokens.sign,
    findTenantName,
    issuer,
    clock,
  });
  const grantUse = { database, slideSession, findStanding, prepareTokens, refreshTokens, endGrant, audit, clock };
  const counts = createOutcomeCounts();
  const grantCount = createGrantCount({ database, clock, log });
  return {
    services: [
      authorizationService({
        authorize: {
          database,
          requests,
          validator,
          sessionReader,
          issueCode,
          issuer,
          clock,
          count: (outcome) => counts.authorization('request', outcome),
        },
        exchange: {
          authenticateApplication: clients.authenticateApplication,
          exchangeCode: createExchangeCode({
            ...grantUse,
            notify,
            grants: store,
            lockInSession: writer.lockInSession,
            guardAccount: writer.guard,
          }),
          refreshGrant: createRefreshGrant({ ...grantUse, grants: store }),
          isApplication: async (clientId) => (await clients.findByClientId(clientId)) !== undefined,
          issueToken: createIssueToken({
            authentication: clients.authenticateServiceAccount,
            rateLimit: clients.rateLimit,
            tokens: tokens.tokens,
            accessTokenTtlMs: settings['app.security.m2m.access-token-ttl'],
          }),
          countRefusal: async (clientId, { clientAddress }) => {
            await clients.rateLimit('refusal', clientId, clientAddress);
          },
          count: counts.tokenRequest,
        },
        database,
        requests,
        validator,
        sessionReader,
        issueCode,
        findTenantName,
        findLogo: (application) => findLogo(database, application),
        authenticateApplication: clients.authenticateApplication,
        administration,
        lockAccount: writer.lock,
        inspect: inspectToken.inspect,
        endGrant,
        audit,
        countContinued: (outcome) => counts.authorization('page', outcome),
        issuer,
        clock,
      }),
    ],
    cleanupTargets: [REQUESTS_CLEANUP, CODES_CLEANUP, GRANTS_CLEANUP],
    jobs: [createForgetConsents({ database, clock }), grantCount.job],
    metrics: [...counts.metrics, ...grantCount.metrics],
  };
}
