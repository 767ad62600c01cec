import {
  RequestOrigin,
  type RefreshRequest,
  type RefreshResponse,
} from '../../proto/gen/session/v1/session_service.ts';
import type { AuditLog } from '../audit/audit-log.ts';
import type { Clock } from '../clock.ts';
import { DependencyUnavailableError, ServiceError } from '../errors.ts';
import { prefixedRoles, type Account } from '../identity/account.ts';
import type { AccountStore } from '../identity/account-store.ts';
import { standingRefusal } from '../identity/eligibility.ts';
import type { Call } from '../rpc/types.ts';
import type { AccessTokens } from '../token/access-token.ts';
import { idleWindowOf, refreshCookie, type SessionPolicy } from './refresh-cookie.ts';
import type { RefreshCredential, RefreshCredentials } from './refresh-credential.ts';
import type { RevokeFamily } from './revoke-family.ts';
import { decideRotation, slidingExpiry, type RotationMode } from './rotation.ts';
import type { SessionFamily, SessionStore } from './session-store.ts';

export interface RefreshDependencies {
  readonly sessions: SessionStore;
  readonly accounts: Pick<AccountStore, 'findById'>;
  readonly credentials: RefreshCredentials;
  readonly tokens: AccessTokens;
  readonly revokeFamily: RevokeFamily;
  readonly audit: AuditLog;
  readonly policy: SessionPolicy;
  readonly rotationMode: RotationMode;
  readonly clock: Clock;
}

// A lost race is decided anew on what the winner stored; nobody loses this often.
const MAX_ROUNDS = 5;

/** SessionService.Refresh: decide, apply by compare-and-set, and only then answer or throw. */
export function createRefresh(options: RefreshDependencies) {
  const { sessions, accounts, credentials, tokens, revokeFamily, audit, policy, rotationMode, clock } = options;

  return async (request: RefreshRequest, call: Call): Promise<RefreshResponse> => {
    const { credential, value } = presented(request);
    for (let round = 0; round < MAX_ROUNDS; round += 1) {
      const family = await sessions.findBySelector(credential.selector);
      if (!family) throw refused('unknown', 'the session is unknown');
      const current =
        credential.generation === family.generation && credential.verifierHash.equals(family.verifierHash);
      const decision = decideRotation(family, { generation: credential.generation, current }, rotationMode, clock());
      if (decision.kind === 'reject') throw refused(decision.cause, REJECTIONS[decision.cause]);
      if (decision.kind === 'revoke-family') return revokeReplayed(family, decision.age, call);
      const account = await eligibleAccount(family);
      const renewed = await renew(family, account, decision.kind === 'advance' ? undefined : value, call);
      if (renewed) return renewed;
      if (call.deadline.signal.aborted) break;
    }
    throw new DependencyUnavailableError('the session could not be renewed in time');
  };

  function presented({ refreshCredentials, origin }: RefreshRequest): { credential: RefreshCredential; value: string } {
    if (origin === RequestOrigin.REQUEST_ORIGIN_FOREIGN)
      throw refused('policy', 'the Origin of the request is not allowed');
    const [value, ...others] = refreshCredentials;
    if (value === undefined) throw refused('missing', 'no refresh credential came');
    if (others.length > 0) throw refused('malformed', 'more than one refresh credential came');
    const credential = credentials.parse(value);
    if (!credential) throw refused('malformed', 'the refresh credential is not one of this service');
    return { credential, value };
  }

  async function eligibleAccount(family: SessionFamily): Promise<Account> {
    const standing = await accounts.findById(family.accountId);
    if (!standing) throw refused('not eligible', 'the account does not exist');
    const refusal = standingRefusal(standing, clock());
    if (refusal) throw refused('not eligible', refusal);
    return standing.account;
  }

  /** Undefined where another request changed the family first. */
  async function renew(
    family: SessionFamily,
    account: Account,
    kept: string | undefined,
    call: Call,
  ): Promise<RefreshResponse | undefined> {
    const now = clock();
    const expiresAt = slidingExpiry(now, idleWindowOf(policy, family.rememberMe), family.absoluteExpiresAt);
    const { email, tenantId } = account;
    const subject = {
      accountId: account.id,
      email,
      tenantId,
      roles: prefixedRoles(account.roles),
      sessionId: family.id,
    };
    const access = await tokens.sign(subject, policy.accessTokenTtlMs);
    const times = { now, expiresAt, accessExpiresAt: access.expiresAt };
    const next = credentials.issue(family.generation + 1, family.selector);
    const applied =
      kept === undefined
        ? await sessions.advance(family, next, times, call.deadline)
        : await sessions.slide(family, times, call.deadline);
    if (!applied) return undefined;
    return {
      accessToken: access.token,
      expiresIn: Math.floor(policy.accessTokenTtlMs / 1000),
      refreshCookie: refreshCookie(policy, family, kept ?? next.value, expiresAt - now),
    };
  }

  async function revokeReplayed(family: SessionFamily, age: number, call: Call): Promise<never> {
    await audit.commit(call, async (tx, record) => {
      if (!(await revokeFamily(tx, family, 'replay', call.deadline))) return;
      const { tenantId, accountId, id: sessionId } = family;
      record({ event: 'session.replayed', tenantId, accountId, details: { sessionId, generationsOld: age } });
    });
    throw refused('replayed', `the refresh credential was replayed, ${age} generations old; its session is revoked`);
  }
}

const REJECTIONS = {
  revoked: 'the session is revoked',
  expired: 'the session has expired',
  unknown: 'the refresh credential was never issued',
} as const;

type RefusalClass =
  | 'missing'
  | 'malformed'
  | 'unknown'
  | 'expired'
  | 'revoked'
  | 'replayed'
  | 'not eligible'
  | 'policy';

function refused(refusalClass: RefusalClass, detail: string): ServiceError {
  return new ServiceError('REFRESH_SESSION_INVALID', { detail: `Refresh refused (${refusalClass}): ${detail}` });
}
