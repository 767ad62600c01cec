import {
  type LogoutRequest,
  type LogoutResponse,
  RefreshTokenTransport,
} from '../../../../proto/gen/authservice/session/v1/session_service.ts';
import type { AuditLog } from '../../audit/audit-log.ts';
import { ServiceError } from '../../../platform/errors.ts';
import type { Principal } from '../../principal/principal.ts';
import { type CookieNaming, refreshCookieName } from '../../../platform/formats/names.ts';
import type { Call } from '../../../platform/rpc/types.ts';
import { OTHER_ORIGIN, browserOriginOf } from '../transport/browser-origin.ts';
import type { FailureLimits } from '../login/failure-limit.ts';
import { type Ending, type LogOutDependencies, createLogOut, toEnding } from './log-out.ts';
import { createRefuseRefresh, refreshRefusal } from '../refresh-refusal.ts';
import { type TransportPolicies, type TransportPolicy, policyOf } from '../transport/transport-policy.ts';
import type { SessionStore } from '../session-store.ts';

export interface LogoutDependencies extends LogOutDependencies {
  readonly sessions: SessionStore;
  readonly transports: TransportPolicies;
  readonly audit: AuditLog;
  readonly failureLimits: FailureLimits;
  readonly cookie: CookieNaming;
}

/**
 * SessionService.Logout: ends the session of the access token and the sessions of the refresh tokens in one
 * transaction.
 */
export function createLogout(options: LogoutDependencies) {
  const { sessions, transports, audit, failureLimits, cookie } = options;
  const logOut = createLogOut(options);
  const refuse = createRefuseRefresh(audit, failureLimits.refresh);

  return async (request: LogoutRequest, call: Call): Promise<LogoutResponse> => {
    const transport = presentedTransport(request);
    // An API key has no session to log out.
    const principal = call.principal?.revocationId === undefined ? undefined : call.principal;
    if (transport?.stored !== 'COOKIE' && !principal) throw new ServiceError('TOKEN_MISSING');
    const origin = browserOriginOf(request);
    const endings = mergeEndings(principal, await presentedFamilies(transport, request));
    if (principal || endings.length > 0) await end(endings, principal, origin.text, call);
    return { refreshCookieName: transport?.stored === 'COOKIE' ? refreshCookieName(cookie, origin.listed) : '' };
  };

  /** Returns the transport of the refresh tokens. Undefined if the request has none and ends only the caller's session. */
  function presentedTransport({ refreshTokenTransport, refreshTokens }: LogoutRequest): TransportPolicy | undefined {
    if (refreshTokenTransport !== RefreshTokenTransport.REFRESH_TOKEN_TRANSPORT_UNSPECIFIED) {
      return policyOf(transports, refreshTokenTransport);
    }
    if (refreshTokens.length === 0) return undefined;
    const violation = { message: 'is required', format: 'required', props: ['refreshTokenTransport'] };
    throw new ServiceError('VALIDATION_ERROR', { violations: [violation] });
  }

  async function presentedFamilies(transport: TransportPolicy | undefined, request: LogoutRequest): Promise<Ending[]> {
    if (!transport) return [];
    const found = await Promise.all(
      request.refreshTokens.map(async (value) => {
        const genuine = await transport.parse(value);
        return genuine && sessions.findBySelector(genuine.selector);
      }),
    );
    return found.flatMap((family) => {
      if (!family) return [];
      const { id, tenantId, accountId } = family;
      return [{ id, tenantId, accountId, tokenExpiresAt: undefined }];
    });
  }

  /** Ends all sessions or none. If one belongs to another origin, the request is refused and nothing changes. */
  async function end(
    endings: readonly Ending[],
    principal: Principal | undefined,
    origin: string | undefined,
    call: Call,
  ): Promise<void> {
    let foreign: Ending | undefined;
    try {
      await audit.commit(call, async (tx, record) => {
        for (const ending of origin === undefined ? [] : endings) {
          if (await sessions.claimOrigin(tx, ending, origin!)) continue;
          foreign = ending;
          throw refreshRefusal('policy', OTHER_ORIGIN);
        }
        const context = { record, callerId: principal?.account.id, deadline: call.deadline };
        for (const ending of endings) await logOut.session(tx, ending, context);
        if (principal && principal.sessionId === undefined) await logOut.token(tx, principal, context);
      });
    } catch (error) {
      if (foreign) return refuse(call, 'policy', OTHER_ORIGIN, foreign);
      throw error;
    }
  }
}

/** Returns each session once, in the order in which all transactions lock several sessions. */
function mergeEndings(principal: Principal | undefined, presented: readonly Ending[]): Ending[] {
  const families = new Map(presented.map((ending) => [ending.id, ending]));
  const own = principal && toEnding(principal);
  if (own) families.set(own.id, own);
  return [...families.values()].toSorted((a, b) => (a.id < b.id ? -1 : 1));
}
