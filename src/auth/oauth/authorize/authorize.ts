import {
  AuthorizationFault,
  type AuthorizeRequest,
  type AuthorizeResponse,
} from '../../../../proto/gen/authservice/oauth/v1/authorization_service.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Database } from '../../../platform/db/types.ts';
import { ServiceError } from '../../../platform/errors.ts';
import { REASONS } from '../../../platform/problem/catalogue.ts';
import type { Call } from '../../access/principal.ts';
import type { ClientApplication } from '../applications/application-loader-store.ts';
import { ERROR_OF, findLack } from './decide-authorization.ts';
import type { UnknownClient } from './decide-request.ts';
import { whileOutdated, type CodeOrder, type IssueCode } from './issue-code.ts';
import type { ValidatedRequest, RequestValidator } from './validate-request.ts';
import { redirectTo } from './redirect.ts';
import { newRequestId, REQUEST_LIFETIME_MS, senderOf, type RequestStore } from './request-store.ts';
import type { LiveSession, SessionReader } from './session-facts.ts';

export interface AuthorizeDependencies {
  readonly database: Database;
  readonly requests: RequestStore;
  readonly validator: RequestValidator;
  readonly sessionReader: SessionReader;
  readonly issueCode: IssueCode;
  readonly issuer: string;
  readonly clock: Clock;
  /** Counts requests by their outcome: see count-outcomes.ts. */
  readonly count: (outcome: string) => void;
}

const NAVIGATIONS: readonly string[] = ['document', 'iframe'];

/** A script must not learn what a session gets: only navigations and frames count. */
export function isNavigation({ fetchDestination }: Pick<AuthorizeRequest, 'fetchDestination'>): boolean {
  return fetchDestination === undefined || NAVIGATIONS.includes(fetchDestination);
}

/** AuthorizationService.Authorize (OpenID Connect Core section 3.1.2.1). */
export function createAuthorize(options: AuthorizeDependencies) {
  const { database, requests, validator, sessionReader, issueCode, issuer, clock, count } = options;

  return (request: AuthorizeRequest, call: Call): Promise<AuthorizeResponse> =>
    whileOutdated(() => authorize(request, call));

  async function authorize(request: AuthorizeRequest, call: Call): Promise<AuthorizeResponse> {
    const requestedAt = clock();
    const validated = await validator.ofQuery(request.parameters);
    const { decision, application } = validated;
    if (decision.kind === 'page' || !application)
      return answerFault(decision.kind === 'page' ? decision.unknown : 'client');
    if (decision.kind === 'error') {
      const { redirectUri, state, error, description } = decision;
      return answerError(redirectUri, { error: REASONS[error].code, error_description: description, state });
    }
    const { request: asked } = decision;
    const live = isNavigation(request) ? await sessionReader.ofCookies(request.refreshTokens) : undefined;
    const session = live && (await sessionReader.factsOf(live, application));
    // The session began before the request came, however close.
    const lack = findLack({ request: asked, requestedAt: Infinity, application, session, now: requestedAt });
    if (lack === undefined && live) {
      const { consentId } = session!;
      const order = { request: asked, application, live, consentId, userAgent: request.userAgent };
      const target = await authorizeAtOnce(validated, order, call);
      if (target === undefined) return answerFault('reference');
      count('code');
      return { redirectTo: target, fault: NO_FAULT };
    }
    if (asked.prompt.includes('none'))
      return answerError(asked.redirectUri, { error: ERROR_OF[lack ?? 'account'], state: asked.state });
    count('login');
    return { loginRequest: await storeRequest(validated, application, requestedAt, live, call), fault: NO_FAULT };
  }

  function answerFault(unknown: UnknownClient): AuthorizeResponse {
    count('error-page');
    return { fault: FAULTS[unknown] };
  }

  function answerError(
    redirectUri: string,
    parameters: Readonly<Record<string, string | undefined>> & { readonly error: string },
  ): AuthorizeResponse {
    count(parameters.error);
    return { redirectTo: redirectTo(redirectUri, parameters, { issuer }), fault: NO_FAULT };
  }

  /** Returns undefined if a pushed request was used meanwhile. */
  function authorizeAtOnce({ pushed }: ValidatedRequest, order: CodeOrder, call: Call): Promise<string | undefined> {
    // Two statements cost half of a transaction.
    if (!pushed) return issueCode(database, order, call);
    return database.transaction(call.deadline, async (tx) => {
      if (!(await requests.use(tx, pushed, clock()))) return undefined;
      return issueCode(tx, order, call);
    });
  }

  async function storeRequest(
    { parameters, pushed }: ValidatedRequest,
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
      network: senderOf(live?.found.account.id, call.clientAddress),
      requestedAt,
      expiresAt: requestedAt + REQUEST_LIFETIME_MS.LOGIN,
    };
    if (!(await requests.insert(request, call.deadline))) throw tooManyRequests();
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
