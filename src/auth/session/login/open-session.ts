// Opens sessions. All logins use it: with a password, with a second factor, and with a passkey.
import type {
  LoginResponse,
  PresentedRefreshTokens,
} from '../../../../proto/gen/authservice/session/v1/session_service.ts';
import { isOver, type Clock, type Deadline } from '../../../platform/clock.ts';
import type { BackgroundRetries } from '../../../platform/concurrency/background-retries.ts';
import { isOutcomeUnknown } from '../../../platform/db/errors.ts';
import { newIdAfter } from '../../../platform/db/ids.ts';
import { latestWrite } from '../../../platform/db/limits.ts';
import type { Statements } from '../../../platform/db/types.ts';
import { DependencyUnavailableError } from '../../../platform/errors.ts';
import { withoutForbiddenCharacters } from '../../../platform/formats/characters.ts';
import type { AuditEvent } from '../../audit/trail/audit-log.ts';
import { accountMessage } from '../../identity/account-message.ts';
import { recordLogin } from '../../identity/authentication/account-lock.ts';
import { authenticationEvent } from '../../identity/authentication/authenticate-client.ts';
import type { TenantPolicy } from '../../access/policy/effective-policy.ts';
import type { Account } from '../../access/account.ts';
import type { AuthenticationMethod } from '../../access/authentication.ts';
import type { Call } from '../../access/principal.ts';
import type { AccessTokens } from '../../token/access-token.ts';
import type { Proof } from '../../factors/proofs.ts';
import type { EndSession } from '../revocation/end-sessions.ts';
import { noteLoginClient } from './login-client-store.ts';
import { createReplaceSession } from './replaced-session.ts';
import { slidingExpiry, type Session } from '../session.ts';
import { limitTransport } from '../session-limits.ts';
import type { SessionStore } from '../session-store.ts';
import type { BrowserOrigin } from '../transport/browser-origin.ts';
import type { TransportPolicy } from '../transport/transport-policy.ts';

export interface OpenSessionDependencies {
  readonly sessions: Pick<SessionStore, 'insert' | 'remove' | 'findLeastUsed' | 'findBySelector'>;
  readonly endSession: EndSession;
  readonly retries: Pick<BackgroundRetries, 'run'>;
  readonly tokens: Pick<AccessTokens, 'sign'>;
  readonly clock: Clock;
}

/** What a client asks for with its login. */
export interface SessionRequest {
  readonly transport: TransportPolicy;
  readonly origin: BrowserOrigin;
  readonly rememberMe: boolean;
  /** How the user was authenticated. */
  readonly methods: readonly AuthenticationMethod[];
  /** What the user has proven, for the audit. */
  readonly proofs: readonly Proof['kind'][];
  /** The last session that the login ends. The id of its own session must be greater. */
  readonly lastEnded?: string | undefined;
  /** The User-Agent header of the client, if it sent one. */
  readonly userAgent: string | undefined;
  /** The refresh tokens of the request, one of which the login replaces. */
  readonly refreshTokens: PresentedRefreshTokens | undefined;
}

/**
 * Stores a session, and records the login. It runs in the transaction of the login, which has locked the account's row. The account
 * is the one that the transaction has read.
 */
export type OpenSession = (
  tx: Statements,
  record: (event: AuditEvent) => void,
  account: Account,
) => Promise<LoginResponse>;

/** Creates the tokens of a session, which takes place before the transaction. */
export type PrepareSession = (request: SessionRequest, account: Account, policy: TenantPolicy) => Promise<OpenSession>;

/** Creates a function that runs a login. A session whose tokens the caller does not receive is removed. */
export function createRunLogin({ sessions, endSession, retries, tokens, clock }: OpenSessionDependencies) {
  const replaceSession = createReplaceSession({ sessions, endSession, clock });
  return async <T>(call: Call, login: (prepare: PrepareSession) => Promise<T>): Promise<T> => {
    let inserted: Session | undefined;
    try {
      const result = await login(async (request, account, policy) => {
        const { session, response } = await createSession(request, account, policy);
        const endReplaced = await replaceSession(request);
        return async (tx, record, current) => {
          await endReplaced(tx, record, call.deadline);
          await endSurplus(tx, record, current, policy.effective.sessionsPerAccount, call.deadline);
          inserted = session;
          const client = { address: call.clientAddress, userAgent: shownUserAgent(request) };
          await sessions.insert(tx, session, client, call.deadline);
          await recordLogin(tx, current, session.createdAt);
          const known = await noteLoginClient(tx, current, client, clock());
          const { userAgent } = client;
          const sessionId = session.id;
          const details = { sessionId, methods: request.proofs, ...(userAgent !== undefined && { userAgent }), known };
          const claimant = { account: current, username: current.username };
          record({ ...authenticationEvent('login.succeeded', claimant, details), sessionId });
          return response;
        };
      });
      if (inserted && isOver(call.deadline)) {
        removeUnreceived(inserted, call);
        throw new DependencyUnavailableError('the login could not be completed in time');
      }
      return result;
    } catch (error) {
      if (inserted && isOutcomeUnknown(error)) removeUnreceived(inserted, call);
      throw error;
    }
  };

  async function createSession(
    { transport: presented, origin, rememberMe, methods, lastEnded }: SessionRequest,
    account: Account,
    policy: TenantPolicy,
  ): Promise<{ session: Session; response: LoginResponse }> {
    const transport = limitTransport(presented, policy);
    const now = clock();
    const absoluteExpiresAt =
      transport.absoluteLifetimeMs === undefined ? undefined : now + transport.absoluteLifetimeMs;
    const expiresAt = slidingExpiry(now, transport.idleWindowMs(rememberMe), absoluteExpiresAt);
    const ended = [account.endedSessions?.through, lastEnded].filter((id) => id !== undefined);
    const id = newIdAfter(ended.toSorted((one, other) => (one < other ? -1 : 1)).at(-1));
    const { id: accountId, tenantId } = account;
    const roles = account.rights.prefixedRoles;
    const authentication = { authenticatedAt: now, methods };
    const email = { email: transport.emailOf(account), emailVerified: account.emailVerifiedAt !== undefined };
    const subject = { accountId, ...email, tenantId, roles, sessionId: id, authentication };
    const access = await tokens.sign(subject, transport.accessTokenTtlMs);
    const token = await transport.issue({ id, expiresAt }, 1);
    const session: Session = {
      ...token,
      id,
      tenantId,
      accountId,
      transport: transport.stored,
      rotationBatch: undefined,
      origin: origin.text,
      rememberMe,
      createdAt: now,
      refreshedAt: now,
      expiresAt,
      absoluteExpiresAt,
      accessExpiresAt: access.expiresAt,
      revokedAt: undefined,
      authTime: now,
      methods,
    };
    const response = {
      accessToken: access.token,
      expiresIn: Math.floor(transport.accessTokenTtlMs / 1000),
      ...transport.carry(token.value, { rememberMe, remainingMs: expiresAt - now, listedOrigin: origin.listed }),
      account: accountMessage(account),
    };
    return { session, response };
  }

  /**
   * Ends the least recently used sessions and their access tokens until one more fits below the limit. The login has
   * locked the account's row, so the limit is exact even with concurrent logins.
   */
  async function endSurplus(
    tx: Statements,
    record: (event: AuditEvent) => void,
    account: Account,
    limit: number,
    deadline: Deadline,
  ): Promise<void> {
    const { tenantId, id: accountId, username } = account;
    for (const sessionId of await sessions.findLeastUsed(tx, account, limit - 1, clock())) {
      if (!(await endSession(tx, { tenantId, id: sessionId }, 'too-many', deadline))) continue;
      record({ event: 'session.revoked', tenantId, accountId, username, details: { sessionId, reason: 'too-many' } });
    }
  }

  /** Removes a session whose tokens no caller has received. */
  function removeUnreceived(session: Session, { deadline }: Call): void {
    void retries.run(() => sessions.remove(session), latestWrite(deadline));
  }
}

/** Returns the text without characters that could change how a page or a terminal shows it; undefined if nothing is left. */
function shownUserAgent({ userAgent = '' }: SessionRequest): string | undefined {
  return withoutForbiddenCharacters(userAgent).trim() || undefined;
}
