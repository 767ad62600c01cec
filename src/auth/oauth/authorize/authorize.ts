import {
  AuthorizationFault,
  type AuthorizeRequest,
  type AuthorizeResponse,
} from '../../../../proto/gen/authservice/oauth/v1/authorization_service.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Database } from '../../../platform/db/types.ts';
import { ServiceError } from '../../../platform/errors.ts';
import { networkOf } from '../../../platform/formats/network.ts';
import { REASONS } from '../../../platform/problem/catalogue.ts';
import type { Call } from '../../access/principal.ts';
import type { ClientApplication } from '../applications/application-loader-store.ts';
import { holdsConsent } from '../consent/consent-store.ts';
import { ERROR_OF, findLack, type Lack } from './decide-authorization.ts';
import type { AuthorizationRequest, UnknownClient } from './decide-request.ts';
import type { IssueCode } from './issue-code.ts';
import type { JudgedRequest, JudgeRequest } from './judge-request.ts';
import { redirectTo } from './redirect.ts';
import { newRequestId, REQUEST_LIFETIME_MS, type RequestStore } from './request-store.ts';
import type { LiveSession, SessionReader } from './session-facts.ts';

export interface AuthorizeDependencies {
  readonly database: Database;
  readonly requests: RequestStore;
  readonly judge: JudgeRequest;
  readonly sessionReader: SessionReader;
  readonly issueCode: IssueCode;
  readonly issuer: string;
  readonly clock: Clock;
  /** Counts authorizations by their outcome. */
  readonly count: (outcome: 'code' | 'login' | 'error') => void;
}

/** A script must not learn what a session gets: only navigations and frames count. */
const NAVIGATIONS: readonly string[] = ['document', 'iframe'];

/** AuthorizationService.Authorize (OpenID Connect Core section 3.1.2.1). */
export function createAuthorize(options: AuthorizeDependencies) {
  const { database, requests, judge, sessionReader, issueCode, issuer, clock, count } = options;

  return async (request: AuthorizeRequest, call: Call): Promise<AuthorizeResponse> => {
    const requestedAt = clock();
    const judged = await judge.ofQuery(request.parameters);
    const { decision, application } = judged;
    if (decision.kind === 'page' || !application)
      return answerFault(decision.kind === 'page' ? decision.unknown : 'client');
    if (decision.kind === 'error') {
      const { redirectUri, state, error, description } = decision;
      return answerError(redirectUri, { error: REASONS[error].code, error_description: description, state });
    }
    const { request: asked } = decision;
    const { fetchDestination } = request;
    const isNavigation = fetchDestination === undefined || NAVIGATIONS.includes(fetchDestination);
    const live = isNavigation ? await sessionReader.ofCookies(request.refreshTokens) : undefined;
    const session = live && (await sessionReader.factsOf(live, application));
    // The session began before the request came, however close.
    const lack = findLack({ request: asked, requestedAt: Infinity, application, session, now: requestedAt });
    if (lack === undefined && live) {
      const target = await authorizeAtOnce(judged, asked, application, live, request, call);
      if (target === 'used') return answerFault('reference');
      if (target === 'consent') return askUser(judged, application, asked, 'consent', requestedAt, live, call);
      count('code');
      return { redirectTo: target, fault: NO_FAULT };
    }
    return askUser(judged, application, asked, lack ?? 'account', requestedAt, live, call);
  };

  /** Sends the browser to the login page, or back if the application wants no page. */
  async function askUser(
    judged: JudgedRequest,
    application: ClientApplication,
    { prompt, redirectUri, state }: AuthorizationRequest,
    lack: Lack,
    requestedAt: number,
    live: LiveSession | undefined,
    call: Call,
  ): Promise<AuthorizeResponse> {
    if (prompt.includes('none')) return answerError(redirectUri, { error: ERROR_OF[lack], state });
    count('login');
    return { loginRequest: await storeRequest(judged, application, requestedAt, live, call), fault: NO_FAULT };
  }

  function answerFault(unknown: UnknownClient): AuthorizeResponse {
    count('error');
    return { fault: FAULTS[unknown] };
  }

  function answerError(
    redirectUri: string,
    parameters: Readonly<Record<string, string | undefined>>,
  ): AuthorizeResponse {
    count('error');
    return { redirectTo: redirectTo(redirectUri, parameters, { issuer }), fault: NO_FAULT };
  }

  /** Returns the redirect, or what has changed meanwhile: the pushed request was used, or the consent revoked. */
  function authorizeAtOnce(
    { pushed }: JudgedRequest,
    request: AuthorizationRequest,
    application: ClientApplication,
    live: LiveSession,
    { userAgent }: AuthorizeRequest,
    call: Call,
  ): Promise<string> {
    return database.transaction(call.deadline, async (tx) => {
      const { tenantId, id: accountId } = live.found.account;
      const consent = { tenantId, accountId, applicationId: application.id };
      if (!application.firstParty && !(await holdsConsent(database, tx, consent, request.scopes))) return 'consent';
      if (pushed && !(await requests.use(tx, pushed, clock()))) return 'used';
      return issueCode(tx, { request, application, live, userAgent }, call);
    });
  }

  async function storeRequest(
    { parameters, pushed }: JudgedRequest,
    { tenantId, id }: ClientApplication,
    requestedAt: number,
    live: LiveSession | undefined,
    call: Call,
  ): Promise<string> {
    const { text, hash } = newRequestId();
    const request = {
      hash,
      kind: 'LOGIN' as const,
      applicationTenant: tenantId,
      applicationId: id,
      pushedHash: pushed?.hash,
      parameters,
      network: networkOf(call.clientAddress),
      requestedAt,
      expiresAt: requestedAt + REQUEST_LIFETIME_MS.LOGIN,
      usedAt: undefined,
    };
    if (!(await requests.insert(request, { isLimited: live === undefined }, call.deadline))) throw tooManyRequests();
    return text;
  }
}

const NO_FAULT = AuthorizationFault.AUTHORIZATION_FAULT_UNSPECIFIED;

const FAULTS: Readonly<Record<UnknownClient, AuthorizationFault>> = {
  client: AuthorizationFault.AUTHORIZATION_FAULT_UNKNOWN_APPLICATION,
  'redirect-uri': AuthorizationFault.AUTHORIZATION_FAULT_WRONG_REDIRECT_URI,
  reference: AuthorizationFault.AUTHORIZATION_FAULT_INVALID_REQUEST,
};

/** Returns the error of a caller whose network, or the service, has too many open requests. */
export function tooManyRequests(): ServiceError {
  return new ServiceError('TOO_MANY_REQUESTS', {
    detail: 'too many authorization requests are open',
    retryAfterMs: 60_000,
  });
}
