import {
  RequestOrigin,
  type RefreshRequest,
  type RefreshResponse,
} from '../../../proto/gen/authservice/session/v1/session_service.ts';
import type { AuditLog } from '../audit/trail/audit-log.ts';
import type { Clock } from '../../platform/clock.ts';
import type { RunRefusable } from '../../platform/concurrency/pace-failures.ts';
import { DependencyUnavailableError } from '../../platform/errors.ts';
import type { Notify } from '../mail/notices.ts';
import type { Account } from '../access/account.ts';
import type { Policies } from '../access/policy/policies.ts';
import type { AccountStore } from '../identity/account-store.ts';
import {
  findIneligibility,
  type IneligibilityCause,
  isPast,
  type Refusal,
} from '../identity/authentication/eligibility.ts';
import type { Call } from '../access/principal.ts';
import type { AccessTokens } from '../token/access-token.ts';
import { browserOriginOf, isOtherOrigin, OTHER_ORIGIN, type BrowserOrigin } from './transport/browser-origin.ts';
import type { FailureLimits } from './login/failure-limit.ts';
import {
  issuedAmong,
  policyOf,
  type IssuedRefreshToken,
  type PresentedValue,
  type TransportPolicies,
  type TransportPolicy,
} from './transport/transport-policy.ts';
import { createRefuseRefresh, refreshRefusal, refusalEvent } from './refresh-refusal.ts';
import type { EndSession } from './revocation/end-sessions.ts';
import type { RotationOutcome, Renewed, SessionRotation } from './rotation/rotate.ts';
import { authenticationOf, endedWithAccount, slidingExpiry, type Session, type ShortenSession } from './session.ts';
import {
  allowsOrigin,
  isWithoutRequiredFactor,
  limitSession,
  limitTransport,
  ORIGIN_NOT_ALLOWED,
  WITHOUT_FACTOR,
} from './session-limits.ts';
import type { SessionStore } from './session-store.ts';

export interface RefreshDependencies {
  readonly sessions: Pick<SessionStore, 'findBySelector' | 'findAuthenticated'>;
  readonly rotate: SessionRotation['rotate'];
  readonly accounts: Pick<AccountStore, 'find'>;
  readonly policies: Pick<Policies, 'of'>;
  readonly transports: TransportPolicies;
  readonly tokens: AccessTokens;
  readonly endSession: EndSession;
  /** Stores the end that the policy of its tenant has given a session. */
  readonly shortenSession: ShortenSession;
  readonly notify: Notify;
  readonly audit: AuditLog;
  readonly failureLimits: FailureLimits;
  readonly clock: Clock;
  /** Runs a check whose refusals must not reveal differences between them. */
  readonly runRefusable: RunRefusable;
}

/** The tokens that a renewed session gives to its client. */
interface RenewedTokens extends Renewed {
  readonly next: IssuedRefreshToken;
  readonly accessToken: string;
}

// If another request changes the session first, decide again on the stored state. More rounds than this are unlikely.
const MAX_TRIES = 5;

/** SessionService.Refresh: decides, applies the decision by compare-and-set, and only then responds or throws. */
export function createRefresh(options: RefreshDependencies) {
  const { sessions, rotate, accounts, policies, transports, tokens, endSession, notify, audit, failureLimits, clock } =
    options;
  const { shortenSession } = options;
  const refuse = createRefuseRefresh(audit, failureLimits.refresh);

  return async (request: RefreshRequest, call: Call): Promise<RefreshResponse> => {
    // Neither recorded nor delayed: every visit without a session starts like this, so a record would not help an operator.
    if (request.refreshTokens.length === 0) throw refreshRefusal('missing', 'the refresh token is missing');
    return options.runRefusable(() => refresh(request, call));
  };

  async function refresh(request: RefreshRequest, call: Call): Promise<RefreshResponse> {
    const transport = policyOf(transports, request.refreshTokenTransport);
    const origin = browserOriginOf(request);
    const { token, value } = await parsePresented(transport, request, call);
    for (let tries = 0; tries < MAX_TRIES;) {
      const found = await sessions.findBySelector(token.selector);
      // The row of an expired token may already be deleted.
      if (isPast(token.expiresAt, clock())) return refuse(call, 'expired', REJECTIONS.expired, found);
      if (found?.transport !== transport.stored) return refuse(call, 'unknown', 'the session is unknown');
      if (isOtherOrigin(found, origin)) return refuse(call, 'policy', OTHER_ORIGIN, found);
      const accountWithTenant = await accounts.find({ tenantId: found.tenantId, id: found.accountId });
      const policy = policies.of(accountWithTenant?.definitions);
      if (!allowsOrigin(policy, origin)) return refuse(call, 'policy', ORIGIN_NOT_ALLOWED, found);
      const session = limitSession(endedWithAccount(found, accountWithTenant?.account), policy);
      const limited = limitTransport(transport, policy);
      let ineligible: Refusal<IneligibilityCause> | undefined;
      let lacksFactor = false;
      const renew = async (): Promise<RenewedTokens | undefined> => {
        ineligible = findIneligibility('refresh-token', accountWithTenant, clock());
        if (!accountWithTenant || ineligible) return undefined;
        lacksFactor = isWithoutRequiredFactor(session, accountWithTenant.account, policy.effective);
        return lacksFactor ? undefined : createTokens(limited, session, accountWithTenant.account, origin);
      };
      const outcome = await rotate({ session, token, mode: transport.rotationMode, renew }, call.deadline);
      if (outcome.kind === 'won') return toResponse(limited, session, outcome, value, origin);
      if (outcome.kind === 'refused') {
        if (outcome.cause === 'replayed') return revokeReplayed(session, accountWithTenant?.account, outcome.age, call);
        if (lacksFactor) return revokeWithoutFactor(session, call);
        // A looser policy must not bring it back.
        if (outcome.cause === 'expired' && found.expiresAt > session.expiresAt) await shortenSession(session);
        const detail = outcome.cause === 'not eligible' ? ineligible!.detail : REJECTIONS[outcome.cause];
        return refuse(call, outcome.cause, detail, session);
      }
      if (call.deadline.signal.aborted) break;
      if (!outcome.waited) tries += 1;
    }
    throw new DependencyUnavailableError('the session could not be renewed in time');
  }

  async function parsePresented(
    transport: TransportPolicy,
    { refreshTokens, origin }: RefreshRequest,
    call: Call,
  ): Promise<PresentedValue> {
    if (origin === RequestOrigin.REQUEST_ORIGIN_FOREIGN)
      return refuse(call, 'policy', 'the Origin of the request is not allowed');
    const [presented, other] = await issuedAmong(transport, refreshTokens);
    if (!presented) return refuse(call, 'malformed', 'the refresh token was not issued by this service');
    if (other) return refuse(call, 'malformed', 'the request has two different refresh tokens');
    return presented;
  }

  async function createTokens(
    transport: TransportPolicy,
    session: Session,
    account: Account,
    origin: BrowserOrigin,
  ): Promise<RenewedTokens> {
    const now = clock();
    const expiresAt = slidingExpiry(now, transport.idleWindowMs(session.rememberMe), session.absoluteExpiresAt);
    const subject = {
      accountId: account.id,
      email: transport.emailOf(account),
      emailVerified: account.emailVerifiedAt !== undefined,
      tenantId: account.tenantId,
      roles: account.rights.prefixedRoles,
      sessionId: session.id,
      authentication: authenticationOf(session),
    };
    const access = await tokens.sign(subject, transport.accessTokenTtlMs);
    const next = await transport.issue({ id: session.id, expiresAt }, session.generation + 1, session.selector);
    const renewal = { origin: origin.text, now, expiresAt, accessExpiresAt: access.expiresAt };
    return { next, renewal, accessToken: access.token };
  }

  async function revokeWithoutFactor(session: Session, call: Call): Promise<never> {
    const { tenantId, accountId, id: sessionId } = session;
    await audit.commit(call, async (tx, record) => {
      const current = await sessions.findAuthenticated(session, tx);
      if (current?.methods.includes('mfa'))
        throw new DependencyUnavailableError('the session has got its second factor during the refresh');
      const ended = await endSession(tx, session, 'policy', call.deadline);
      if (ended)
        record({
          event: 'session.revoked',
          tenantId,
          accountId,
          details: { sessionId, reason: 'policy' },
        });
    });
    return refuse(call, 'policy', WITHOUT_FACTOR, session);
  }

  async function revokeReplayed(
    session: Session,
    account: Account | undefined,
    age: number,
    call: Call,
  ): Promise<never> {
    const { tenantId, accountId, id: sessionId } = session;
    const isFirst = await audit.commit(call, async (tx, record) => {
      const ended = await endSession(tx, session, 'replay', call.deadline);
      const details = { sessionId, generationsOld: age };
      if (ended) {
        record({ event: 'session.refresh-token-replayed', tenantId, accountId, details });
        if (account) await notify(tx, 'session-replayed', account, clock());
      }
      return ended;
    });
    if (!isFirst) audit.refuse(call, refusalEvent('revoked', REJECTIONS.revoked, session));
    const detail = `the refresh token was replayed, ${age} generations old; its session is revoked`;
    throw refreshRefusal('replayed', detail);
  }
}

function toResponse(
  transport: TransportPolicy,
  { rememberMe }: Session,
  { renewed: { next, renewal, accessToken }, isTokenKept }: Extract<RotationOutcome<RenewedTokens>, { kind: 'won' }>,
  presented: string,
  origin: BrowserOrigin,
): RefreshResponse {
  return {
    accessToken,
    expiresIn: Math.floor(transport.accessTokenTtlMs / 1000),
    ...transport.carry(isTokenKept ? presented : next.value, {
      rememberMe,
      remainingMs: renewal.expiresAt - renewal.now,
      listedOrigin: origin.listed,
    }),
  };
}

const REJECTIONS = {
  revoked: 'the session is revoked',
  expired: 'the session has expired',
  unknown: 'the refresh token was never issued',
} as const;
