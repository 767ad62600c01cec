// The OpenID provider: requests, codes and grants of applications.
import { createIssueToken } from '../auth/client-credentials/issue-token.ts';
import { GRANTS_CLEANUP } from '../auth/oauth/grants/grant-store.ts';
import { createRefreshGrant } from '../auth/oauth/grants/refresh-grant.ts';
import { createIssueCode } from '../auth/oauth/authorize/issue-code.ts';
import { createRequestValidator } from '../auth/oauth/authorize/validate-request.ts';
import { createRequestStore, REQUESTS_CLEANUP } from '../auth/oauth/authorize/request-store.ts';
import { CODES_CLEANUP } from '../auth/oauth/codes/code-store.ts';
import { createExchangeCode } from '../auth/oauth/codes/exchange-code.ts';
import { createRedeemCode } from '../auth/oauth/codes/redeem-code.ts';
import { createDeviceStore, DEVICES_CLEANUP } from '../auth/oauth/device/device-store.ts';
import {
  createLimitWrongCodes,
  WRONG_CODES_OF_ACCOUNT,
  WRONG_CODES_OF_NETWORK,
  WRONG_CODES_WINDOW_MS,
} from '../auth/oauth/device/limit-wrong-codes.ts';
import { createPollDevice } from '../auth/oauth/device/poll-device.ts';
import { createOutcomeCounts } from '../auth/oauth/count-outcomes.ts';
import { createGrantCount } from '../auth/oauth/grants/count-grants.ts';
import {
  createFindGrantedApplication,
  servedApplication,
} from '../auth/oauth/applications/application-loader-store.ts';
import { findLogo } from '../auth/oauth/applications/application-store.ts';
import { createForgetConsents } from '../auth/oauth/consent/forget-consents.ts';
import { authorizationService } from '../auth/oauth/service.ts';
import { createPrepareTokens } from '../auth/oauth/tokens/issue-tokens.ts';
import { createLogout } from '../auth/session/revocation/logout.ts';
import { createSlideSession } from '../auth/session/slide-session.ts';
import { createRateLimit } from '../platform/limits/rate-limit.ts';
import { findTenant } from '../auth/tenancy/tenant-store.ts';
import type { Accounts } from './accounts.ts';
import type { Authentication } from './authentication.ts';
import type { Clients } from './clients.ts';
import type { Foundation, Part } from './foundation.ts';
import { refreshCookie, type Tokens } from './tokens.ts';
import type { Notify } from '../auth/mail/notices.ts';
import type { Grants } from './grants.ts';

interface OauthParts {
  readonly tokens: Tokens;
  readonly accounts: Accounts;
  readonly clients: Clients;
  readonly grants: Grants;
  readonly notify: Notify;
  readonly authentication: Pick<Authentication, 'failureLimits'>;
}

/** Creates the service of authorizations. */
export function createOauth(
  foundation: Foundation,
  { tokens, accounts, clients, grants, notify, authentication }: OauthParts,
): Part {
  const { administration, writer, endSession } = accounts;
  const { settings, database, sessions, audit, clock, log } = foundation;
  const { transports, idTokens, blacklist } = tokens;
  const issuer = settings['app.security.jwt.issuer'];
  const { sessionReader, store, findStanding, endGrant, inspectToken, refreshTokens, findOwningApplication } = grants;
  const slideSession = createSlideSession({ database, transports, clock });
  const findTenantName = async (id: string) => (await findTenant(database, id))?.name;
  const requests = createRequestStore(database, settings['app.oauth.pending-requests']);
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
  const redeemCode = createRedeemCode({
    ...grantUse,
    notify,
    grants: store,
    lockInSession: writer.lockInSession,
    guardAccount: writer.guard,
  });
  const devices = createDeviceStore(database);
  const wrongCodes = (name: string, points: number) =>
    createRateLimit({ name, points, store: 'database', windowMs: WRONG_CODES_WINDOW_MS, database, clock, log })!;
  const wrongOfAccount = wrongCodes('device-account', WRONG_CODES_OF_ACCOUNT);
  const wrongOfNetwork = wrongCodes('device-network', WRONG_CODES_OF_NETWORK);
  const cookie = refreshCookie(settings);
  const endings = { endSession, blacklist, lockAccount: writer.lock, endGrant: accounts.endGrant };
  const { failureLimits } = authentication;
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
          exchangeCode: createExchangeCode({ database, findStanding, redeemCode, clock }),
          pollDevice: createPollDevice({ database, devices, findStanding, redeemCode, clock }),
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
          // Of a URN, its name.
          count: (grantType, error) => counts.tokenRequest(grantType.split(':').at(-1)!, error),
        },
        endSession: {
          ...endings,
          requests,
          findByClientId: clients.findByClientId,
          readHint: idTokens.readHint,
          sessionReader,
          cookie,
          audit,
          clock,
        },
        confirmLogout: {
          database,
          requests,
          findByClientId: clients.findByClientId,
          logout: createLogout({ ...endings, sessions, transports, audit, failureLimits, cookie }),
          clock,
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
        devices,
        findGrantedApplication: createFindGrantedApplication(findOwningApplication),
        limitWrongCodes: createLimitWrongCodes({ ofAccount: wrongOfAccount, ofNetwork: wrongOfNetwork }),
        slideSession,
        verificationUri: `${settings['app.public-url'] ?? issuer}/device`,
        countDevice: (outcome) => counts.authorization('device', outcome),
        countContinued: (outcome) => counts.authorization('page', outcome),
        issuer,
        clock,
      }),
    ],
    cleanupTargets: [REQUESTS_CLEANUP, CODES_CLEANUP, DEVICES_CLEANUP, GRANTS_CLEANUP],
    jobs: [createForgetConsents({ database, clock }), grantCount.job],
    metrics: [...counts.metrics, ...grantCount.metrics, ...wrongOfAccount.metrics, ...wrongOfNetwork.metrics],
  };
}
