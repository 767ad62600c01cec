// A browser has one cookie of the name, so a login in it replaces the cookie of its earlier session, also of another account. That
// session ends: nothing could log it out any more.
import type { PresentedRefreshTokens } from '../../../../proto/gen/authservice/session/v1/session_service.ts';
import type { Clock, Deadline } from '../../../platform/clock.ts';
import type { Statements } from '../../../platform/db/types.ts';
import type { AuditEvent } from '../../audit/trail/audit-log.ts';
import type { EndSession } from '../revocation/end-sessions.ts';
import type { Session } from '../session.ts';
import type { SessionStore } from '../session-store.ts';
import { isOtherOrigin, type BrowserOrigin } from '../transport/browser-origin.ts';
import { issuedAmong, type TransportPolicy } from '../transport/transport-policy.ts';

export interface ReplacedSessionDependencies {
  readonly sessions: Pick<SessionStore, 'findBySelector'>;
  readonly endSession: EndSession;
  readonly clock: Clock;
}

/** The login that replaces a session. */
interface ReplacingLogin {
  readonly transport: TransportPolicy;
  readonly origin: BrowserOrigin;
  readonly refreshTokens: PresentedRefreshTokens | undefined;
}

/** Creates a function that finds the session that a login replaces, and returns a function that ends it in the transaction of the login. */
export function createReplaceSession({ sessions, endSession, clock }: ReplacedSessionDependencies) {
  return async (login: ReplacingLogin) => {
    const replaced = await findReplaced(login);
    return async (tx: Statements, record: (event: AuditEvent) => void, deadline: Deadline): Promise<void> => {
      if (!replaced || !(await endSession(tx, replaced, 'replaced', deadline))) return;
      const { id: sessionId, tenantId, accountId } = replaced;
      record({ event: 'session.revoked', tenantId, accountId, details: { sessionId, reason: 'replaced' } });
    };
  };

  /** As in a refresh, tokens of other services are ignored, and several of this service name no session. */
  async function findReplaced({ transport, origin, refreshTokens }: ReplacingLogin): Promise<Session | undefined> {
    const [presented, other] = await issuedAmong(transport, refreshTokens?.values ?? []);
    if (!presented || other) return undefined;
    const session = await sessions.findBySelector(presented.token.selector);
    if (session?.transport !== transport.stored || isOtherOrigin(session, origin)) return undefined;
    return session.expiresAt > clock() ? session : undefined;
  }
}
