// The logout that an application starts in the browser (OpenID Connect RP-Initiated Logout 1.0).
import {
  LogoutFault as Fault,
  type EndSessionRequest,
  type EndSessionResponse,
} from '../../../../proto/gen/authservice/oauth/v1/authorization_service.ts';
import { RefreshTokenTransport } from '../../../../proto/gen/authservice/session/v1/session_service.ts';
import type { Clock } from '../../../platform/clock.ts';
import { refreshCookieName, type CookieNaming } from '../../../platform/formats/names.ts';
import type { Call } from '../../access/principal.ts';
import type { AuditLog } from '../../audit/trail/audit-log.ts';
import { createEndings, type EndingDependencies } from '../../session/revocation/logout.ts';
import type { ClientApplication, FindByClientId } from '../applications/application-loader-store.ts';
import { isNavigation, tooManyRequests } from '../authorize/authorize.ts';
import { createParameters, formatParameters, parseParameters, type Parameters } from '../authorize/parameters.ts';
import { newRequestId, REQUEST_LIFETIME_MS, senderOf, type RequestStore } from '../authorize/request-store.ts';
import type { LiveSession, SessionReader } from '../authorize/session-facts.ts';
import { POSTED } from '../authorize/validate-request.ts';
import { decideLogout, type LogoutFault } from './decide-logout.ts';

export interface EndSessionDependencies extends EndingDependencies {
  readonly requests: Pick<RequestStore, 'findOpen' | 'insert'>;
  readonly findByClientId: FindByClientId;
  /** Reads an ID token that this service has issued. It may have expired. Returns undefined for any other text. */
  readonly readHint: (
    token: string,
  ) => Promise<{ readonly sub: string; readonly aud: string; readonly sid: string | undefined } | undefined>;
  readonly sessionReader: Pick<SessionReader, 'ofCookies' | 'ofIdToken'>;
  readonly cookie: CookieNaming;
  readonly audit: Pick<AuditLog, 'commit'>;
  readonly clock: Clock;
}

const NO_FAULT = Fault.LOGOUT_FAULT_UNSPECIFIED;
const FAULTS: Readonly<Record<LogoutFault, Fault>> = {
  'invalid-request': Fault.LOGOUT_FAULT_INVALID_REQUEST,
  'invalid-hint': Fault.LOGOUT_FAULT_INVALID_HINT,
  application: Fault.LOGOUT_FAULT_UNKNOWN_APPLICATION,
  'redirect-uri': Fault.LOGOUT_FAULT_WRONG_REDIRECT_URI,
};
const NO_APPLICATION = { tenantId: undefined, id: '00000000-0000-0000-0000-000000000000' };
/** A longer list of languages is of no use. */
const MAX_UI_LOCALES = 255;

/** AuthorizationService.EndSession. */
export function createEndSession(options: EndSessionDependencies) {
  const { requests, findByClientId, readHint, sessionReader, cookie, audit, clock } = options;
  const endings = createEndings(options);

  return async (request: EndSessionRequest, call: Call): Promise<EndSessionResponse> => {
    const parameters = await readParameters(request.parameters);
    if (!parameters) return { fault: FAULTS['invalid-request'] };
    const token = parameters.get('id_token_hint');
    const hint = token === undefined ? undefined : ((await readHint(token)) ?? null);
    const clientId = parameters.get('client_id') ?? hint?.aud;
    const application = clientId === undefined ? undefined : (await findByClientId(clientId))?.application;
    const hinted = hint ? await sessionReader.ofIdToken(hint) : undefined;
    const hasCookies = request.refreshTokenTransport === RefreshTokenTransport.REFRESH_TOKEN_TRANSPORT_COOKIE;
    const own = hasCookies && isNavigation(request) ? await sessionReader.ofCookies(request.refreshTokens) : undefined;
    const decision = decideLogout({
      parameters,
      application,
      hint: hint && { aud: hint.aud, liveId: hinted?.id },
      browser: hasCookies ? { liveId: own?.id } : 'unknown',
    });
    const uiLocales = localesOf(parameters);
    switch (decision.kind) {
      case 'fault':
        return { fault: FAULTS[decision.fault] };
      case 'ask':
        return { logoutRequest: await storeRequest(parameters, application, own, call), uiLocales, fault: NO_FAULT };
      case 'end': {
        const ended = [own, hinted].find((one) => one !== undefined && one.id === decision.sessionId);
        if (ended) await end(ended, call);
        return {
          redirectTo: decision.target,
          uiLocales,
          ...(own && ended === own && { refreshCookieName: refreshCookieName(cookie, undefined) }),
          fault: NO_FAULT,
        };
      }
    }
  };

  /** Returns the parameters that a browser has brought: the request itself, or a reference to one that it has sent by POST. */
  async function readParameters(text: string): Promise<Parameters | undefined> {
    const parameters = createParameters(parseParameters(text));
    const posted = parameters.get(POSTED);
    const isReference = ['client_id', 'id_token_hint'].every((name) => parameters.get(name) === undefined);
    if (posted === undefined || !isReference) return parameters;
    const stored = await requests.findOpen(posted, clock());
    return stored?.kind === 'POSTED' ? createParameters(parseParameters(stored.parameters)) : undefined;
  }

  async function end({ id, found: { account } }: LiveSession, call: Call): Promise<void> {
    const ending = { id, tenantId: account.tenantId, accountId: account.id };
    await audit.commit(call, (tx, record) =>
      endings.endSession(tx, ending, { record, callerId: undefined, deadline: call.deadline }),
    );
  }

  async function storeRequest(
    parameters: Parameters,
    application: ClientApplication | undefined,
    own: LiveSession | undefined,
    call: Call,
  ): Promise<string> {
    const { tenantId, id, clientId } = application ?? { ...NO_APPLICATION, clientId: undefined };
    const { text, hash } = newRequestId();
    const requestedAt = clock();
    const kept = {
      client_id: clientId,
      post_logout_redirect_uri: parameters.get('post_logout_redirect_uri'),
      state: parameters.get('state'),
    };
    const request = {
      hash,
      kind: 'LOGOUT' as const,
      applicationTenant: tenantId,
      applicationId: id,
      pushedHash: undefined,
      parameters: formatParameters(Object.entries(kept).flatMap(([name, value]) => (value ? [[name, value]] : []))),
      network: senderOf(own?.found.account.id, call.clientAddress),
      requestedAt,
      expiresAt: requestedAt + REQUEST_LIFETIME_MS.LOGOUT,
    };
    if (!(await requests.insert(request, call.deadline))) throw tooManyRequests();
    return text;
  }
}

function localesOf(parameters: Parameters): string | undefined {
  const locales = parameters.get('ui_locales');
  return locales !== undefined && locales.length <= MAX_UI_LOCALES ? locales : undefined;
}
