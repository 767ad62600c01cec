// Ends a session or a token for a caller that holds its credential, within the caller's transaction.
import {
  RefreshTokenTransport,
  type LogoutRequest,
  type LogoutResponse,
} from '../../../../proto/gen/authservice/session/v1/session_service.ts';
import type { Deadline } from '../../../platform/clock.ts';
import type { Statements } from '../../../platform/db/types.ts';
import { ServiceError } from '../../../platform/errors.ts';
import { refreshCookieName, type CookieNaming } from '../../../platform/formats/names.ts';
import type { AuditEvent, AuditLog } from '../../audit/trail/audit-log.ts';
import type { Call, Principal } from '../../access/principal.ts';
import type { FailureLimits } from '../login/failure-limit.ts';
import { createRefuseRefresh, refreshRefusal } from '../refresh-refusal.ts';
import type { EndSession } from './end-sessions.ts';
import type { Session } from '../session.ts';
import type { SessionStore } from '../session-store.ts';
import { browserOriginOf, OTHER_ORIGIN } from '../transport/browser-origin.ts';
import { policyOf, type TransportPolicies, type TransportPolicy } from '../transport/transport-policy.ts';
import type { Blacklist } from '../../token/blacklist.ts';

export interface EndingDependencies {
  readonly endSession: EndSession;
  readonly blacklist: Blacklist;
  /** Locks an account's row until the transaction ends. */
  readonly lockAccount: (tx: Statements, account: Principal['account'], deadline: Deadline) => Promise<unknown>;
  /** Revokes a grant of an application with all its tokens. */
  readonly endGrant: (
    tx: Statements,
    grant: { readonly tenantId: string | undefined; readonly id: string },
    deadline: Deadline,
  ) => Promise<unknown>;
}

/** A session to end. */
export interface Ending extends Pick<Session, 'id' | 'tenantId' | 'accountId'> {
  /**
   * Set if the request has an access token of the session. The token is always blacklisted, even if the session's row
   * was deleted.
   */
  readonly tokenExpiresAt?: number | undefined;
}

interface EndingContext {
  readonly record: (event: AuditEvent) => void;
  /** The authenticated account that ends the session; undefined if there is none. */
  readonly callerId: string | undefined;
  readonly deadline: Deadline;
}

/** Returns functions that end a session or a token within the caller's transaction, and record it. */
export function createEndings({ endSession, blacklist, lockAccount, endGrant }: EndingDependencies) {
  return {
    async endSession(
      tx: Statements,
      { id: sessionId, tenantId, accountId, tokenExpiresAt }: Ending,
      { record, callerId, deadline }: EndingContext,
    ): Promise<void> {
      const ended = await endSession(tx, { tenantId, id: sessionId }, 'logout', deadline, tokenExpiresAt);
      if (!ended && tokenExpiresAt === undefined) return;
      const actorId = callerId === accountId ? undefined : callerId;
      record({ event: 'session.logged-out', tenantId, accountId, actorId, details: { sessionId } });
    },
    /** Revokes a token that belongs to no session, or its grant. Locks the account, as an upload does when it commits. */
    async revokeToken(
      tx: Statements,
      { account, revocationId, expiresAt, grantId }: Principal,
      { record, deadline }: EndingContext,
    ): Promise<void> {
      const { tenantId, id: accountId } = account;
      await lockAccount(tx, account, deadline);
      if (grantId !== undefined) await endGrant(tx, { tenantId, id: grantId }, deadline);
      else await blacklist.add(tx, { kind: 'token', id: revocationId!, expiresAt: expiresAt! }, deadline);
      record({ event: 'session.logged-out', tenantId, accountId });
    },
  };
}

/** Returns the session of an access token; undefined if the token belongs to none. */
export function toEnding({ account, sessionId, expiresAt }: Principal): Ending | undefined {
  if (sessionId === undefined) return undefined;
  return { id: sessionId, tenantId: account.tenantId, accountId: account.id, tokenExpiresAt: expiresAt };
}

export interface LogoutDependencies extends EndingDependencies {
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
  const endings = createEndings(options);
  const refuse = createRefuseRefresh(audit, failureLimits.refresh);

  return async (request: LogoutRequest, call: Call): Promise<LogoutResponse> => {
    const transport = presentedTransport(request);
    // An API key has no session to log out.
    const principal = call.principal?.revocationId === undefined ? undefined : call.principal;
    if (transport?.stored !== 'COOKIE' && !principal) throw new ServiceError('TOKEN_MISSING');
    const origin = browserOriginOf(request);
    const sessionsToEnd = mergeEndings(principal, await presentedSessions(transport, request));
    if (principal || sessionsToEnd.length > 0) await end(sessionsToEnd, principal, origin.text, call);
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

  async function presentedSessions(transport: TransportPolicy | undefined, request: LogoutRequest): Promise<Ending[]> {
    if (!transport) return [];
    const found = await Promise.all(
      request.refreshTokens.map(async (value) => {
        const genuine = await transport.parse(value);
        return genuine && sessions.findBySelector(genuine.selector);
      }),
    );
    return found.filter((session) => session !== undefined);
  }

  /** Ends all sessions or none. If one belongs to another origin, the request is refused and nothing changes. */
  async function end(
    sessionsToEnd: readonly Ending[],
    principal: Principal | undefined,
    origin: string | undefined,
    call: Call,
  ): Promise<void> {
    let foreign: Ending | undefined;
    try {
      await audit.commit(call, async (tx, record) => {
        for (const ending of origin === undefined ? [] : sessionsToEnd) {
          if (await sessions.claimOrigin(tx, ending, origin!)) continue;
          foreign = ending;
          throw refreshRefusal('policy', OTHER_ORIGIN);
        }
        const context = { record, callerId: principal?.account.id, deadline: call.deadline };
        for (const ending of sessionsToEnd) await endings.endSession(tx, ending, context);
        if (principal && principal.sessionId === undefined) await endings.revokeToken(tx, principal, context);
      });
    } catch (error) {
      if (foreign) return refuse(call, 'policy', OTHER_ORIGIN, foreign);
      throw error;
    }
  }
}

/** Returns each session once, in the order in which all transactions lock several sessions. */
function mergeEndings(principal: Principal | undefined, presented: readonly Ending[]): Ending[] {
  const sessions = new Map(presented.map((ending) => [ending.id, ending]));
  const own = principal && toEnding(principal);
  if (own) sessions.set(own.id, own);
  return [...sessions.values()].toSorted((a, b) => (a.id < b.id ? -1 : 1));
}
