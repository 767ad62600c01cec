import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/db/types.ts';
import type { FoundAccount } from '../identity/account-row.ts';
import { findIneligibility, isPast } from '../identity/authentication/eligibility.ts';
import {
  explainAccount,
  fail,
  pass,
  type Check,
  type Explain,
  type FindAccount,
} from '../identity/explain/credential-check.ts';
import { explainPolicy } from '../identity/explain/explain-policy.ts';
import { finding, type Finding, type FindingCode } from '../access/findings.ts';
import { policyParams, type TenantPolicy } from '../access/policy/effective-policy.ts';
import type { Policies } from '../access/policy/policies.ts';
import { decideRotation, type PresentedGeneration, type SessionRotation } from './rotation/rotate.ts';
import { endedWithAccount, type RevocationReason, type Session, type SessionAddress } from './session.ts';
import { isWithoutRequiredFactor, limitSession } from './session-limits.ts';
import { findRevocation } from './session-list-store.ts';
import type { SessionStore } from './session-store.ts';
import type { PresentedRefreshToken, TransportPolicy } from './transport/transport-policy.ts';

/** Explains refresh tokens of one transport by the checks of refresh-session.ts, without their effects. */
export function createExplainRefresh(options: {
  readonly credential: 'refreshCookie' | 'refreshToken';
  readonly transport: TransportPolicy;
  readonly sessions: Pick<SessionStore, 'findInScope'>;
  readonly accounts: { readonly find: FindAccount };
  readonly policies: Pick<Policies, 'of'>;
  readonly isUndecided: SessionRotation['isUndecided'];
  readonly database: Database;
  readonly clock: Clock;
}): Explain {
  const { credential, transport, sessions, accounts, policies, isUndecided, database, clock } = options;

  return async (value, scope) => {
    const token = await transport.parse(value);
    if (!token) return { checks: [fail('FORM', finding('REFRESH_TOKEN_FOREIGN'))] };
    const now = clock();
    const formChecks = [pass('FORM', finding('REFRESH_TOKEN_ISSUED')), ...tokenExpiryCheck(token, now)];
    const found = await sessions.findInScope(scope, token.selector);
    if (found?.transport !== transport.stored)
      return { checks: [...formChecks, fail('EXISTENCE', finding('SESSION_UNKNOWN'))] };
    const accountWithTenant = await accounts.find({ tenantId: found.tenantId, id: found.accountId });
    const policy = policies.of(accountWithTenant?.definitions);
    const session = limitSession(endedWithAccount(found, accountWithTenant?.account), policy);
    return {
      checks: [
        ...formChecks,
        pass('EXISTENCE', finding('SESSION_FOUND', { session: session.id }), session.createdAt),
        await revocationCheck(session),
        expiryCheck(session, policy, now),
        await generationCheck(session, token, now),
        ...explainAccount(accountWithTenant, (owner) => findIneligibility('refresh-token', owner, now)),
        ...factorChecks(session, accountWithTenant, policy),
        ...(accountWithTenant ? [explainPolicy(credential, policy)] : []),
      ],
      owner: { id: session.accountId, tenantId: session.tenantId },
    };
  };

  async function revocationCheck(session: Session): Promise<Check> {
    const params = { session: session.id };
    if (session.revokedAt === undefined) return pass('REVOCATION', finding('SESSION_NOT_REVOKED', params));
    const found = await sessionRevocation(database, session);
    return fail('REVOCATION', found?.finding ?? finding('SESSION_REVOKED', params), session.revokedAt);
  }

  /** Checks only the generation, as if the session were neither revoked nor expired. */
  async function generationCheck(session: Session, token: PresentedRefreshToken, now: number): Promise<Check> {
    const mode = transport.rotationMode;
    const { generation } = token;
    const current = generation === session.generation && token.verifierHash.equals(session.verifierHash);
    const presentedToken: PresentedGeneration = { generation, current };
    const liveSession = { ...session, revokedAt: undefined, expiresAt: Infinity };
    const decision = decideRotation(liveSession, presentedToken, mode, now);
    const params = { generation: `${generation}`, current: `${session.generation}` };
    if (decision.kind === 'advance') return pass('GENERATION', finding('GENERATION_CURRENT', params));
    if (decision.kind === 'keep') return pass('GENERATION', finding('GENERATION_REUSABLE', params));
    if (decision.kind === 'reject') return fail('GENERATION', finding('GENERATION_FORGED', params));
    if (decideRotation(session, presentedToken, mode, now).kind !== 'revoke-session')
      return fail('GENERATION', finding('GENERATION_REPLAYED', params));
    // A rotation is set back if its caller got an error. Its process has not reported yet that this can no longer happen.
    const isOpen = decision.age === 1 && (await isUndecided(session));
    return fail('GENERATION', finding(isOpen ? 'GENERATION_UNDECIDED' : 'REPLAY_OF_SESSION', params));
  }
}

function factorChecks(session: Session, owner: FoundAccount | undefined, policy: TenantPolicy): readonly Check[] {
  if (!owner) return [];
  const params = { methods: session.methods.join(' '), ...policyParams(policy, 'secondFactor') };
  return [
    isWithoutRequiredFactor(session, owner.account, policy.effective)
      ? fail('SECOND_FACTOR', finding('FACTOR_OF_SESSION_MISSING', params))
      : pass('SECOND_FACTOR', finding('METHODS_OF_SESSION_SUFFICE', params)),
  ];
}

/** Checks the expiry that the token itself carries. It comes before all other checks. */
function tokenExpiryCheck({ expiresAt }: PresentedRefreshToken, now: number): readonly Check[] {
  return isPast(expiresAt, now) ? [fail('EXPIRY', finding('REFRESH_TOKEN_EXPIRED'), expiresAt)] : [];
}

function expiryCheck(session: Session, policy: TenantPolicy, now: number): Check {
  const { expiresAt, absoluteExpiresAt, rememberMe, transport } = session;
  const field = expiresAt === absoluteExpiresAt ? 'sessionAbsoluteLifetime' : 'sessionIdleWindow';
  const ofCookie = transport === 'COOKIE';
  // Sessions without rememberMe have a window of their own.
  const isBrowserWindow =
    ofCookie && field === 'sessionIdleWindow' && !rememberMe && policy.own.sessionIdleWindow === undefined;
  const limit = isBrowserWindow ? 'SESSION_BROWSER_WINDOW' : LIMITS[field];
  const params = ofCookie && !isBrowserWindow ? policyParams(policy, field) : {};
  return isPast(expiresAt, now)
    ? fail('EXPIRY', finding(`${limit}_ENDED`, params), expiresAt)
    : pass('EXPIRY', finding(`${limit}_OPEN`, params), expiresAt);
}

const LIMITS = { sessionIdleWindow: 'SESSION_IDLE_WINDOW', sessionAbsoluteLifetime: 'SESSION_LIFETIME' } as const;

const CAUSES = {
  logout: 'SESSION_REVOKED_BY_LOGOUT',
  replay: 'SESSION_REVOKED_BY_REPLAY',
  revoked: 'SESSION_REVOKED_BY_PERSON',
  'account-changed': 'SESSION_REVOKED_BY_ACCOUNT_CHANGE',
  policy: 'SESSION_REVOKED_BY_POLICY',
  restored: 'SESSION_REVOKED_BY_RESTORE',
  replaced: 'SESSION_REVOKED_BY_LOGIN',
  'too-many': 'SESSION_REVOKED_BY_LIMIT',
} as const satisfies Readonly<Record<RevocationReason, FindingCode>>;

/** When and why a session was revoked. */
export interface ExplainedRevocation {
  readonly finding: Finding;
  readonly at: number;
}

/** Returns when and why a session was revoked; undefined if it is not revoked or was deleted. */
export async function sessionRevocation(
  database: Database,
  session: SessionAddress,
): Promise<ExplainedRevocation | undefined> {
  const found = await findRevocation(database, session);
  if (!found) return undefined;
  const { revokedAt, reason, generation } = found;
  const params = { session: session.id, generation: `${generation}` };
  return { finding: finding(CAUSES[reason], params), at: revokedAt };
}
