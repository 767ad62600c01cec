import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/db/types.ts';
import type { FoundAccount } from '../identity/account-row.ts';
import { findIneligibility, isPast } from '../identity/authentication/eligibility.ts';
import {
  checkOf,
  explainAccount,
  fail,
  pass,
  type Check,
  type Explain,
  type FindAccount,
} from '../identity/explain/credential-check.ts';
import { explainPolicy } from '../identity/explain/explain-policy.ts';
import { describePolicyValue, type TenantPolicy } from '../access/policy/effective-policy.ts';
import type { Policies } from '../access/policy/policies.ts';
import { decideRotation, type PresentedGeneration, type SessionRotation } from './rotation/rotate.ts';
import { endedWithAccount, type RevocationReason, type Session, type SessionAddress } from './session.ts';
import { isWithoutRequiredFactor, limitSession, WITHOUT_FACTOR } from './session-limits.ts';
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
    if (!token) return { checks: [fail('FORM', 'the refresh token was not issued by this service')] };
    const now = clock();
    const formChecks = [pass('FORM', 'this service has issued it'), ...tokenExpiryCheck(token, now)];
    const found = await sessions.findInScope(scope, token.selector);
    if (found?.transport !== transport.stored)
      return { checks: [...formChecks, fail('EXISTENCE', 'the session is unknown')] };
    const accountWithTenant = await accounts.find({ tenantId: found.tenantId, id: found.accountId });
    const policy = policies.of(accountWithTenant?.definitions);
    const session = limitSession(endedWithAccount(found, accountWithTenant?.account), policy);
    return {
      checks: [
        ...formChecks,
        pass('EXISTENCE', `it belongs to session ${session.id}`, session.createdAt),
        await revocationCheck(session),
        expiryCheck(session, policy, now),
        await generationCheck(session, token, now),
        ...explainAccount(accountWithTenant, (owner) => findIneligibility('refresh-token', owner, now)?.detail),
        ...factorChecks(session, accountWithTenant, policy),
        ...(accountWithTenant ? [explainPolicy(credential, policy)] : []),
      ],
      owner: { id: session.accountId, tenantId: session.tenantId },
    };
  };

  async function revocationCheck(session: Session): Promise<Check> {
    if (session.revokedAt === undefined) return pass('REVOCATION', 'the session is not revoked');
    const found = await sessionRevocation(database, session);
    return fail('REVOCATION', found?.detail ?? 'the session is revoked', session.revokedAt);
  }

  /** Checks only the generation, as if the session were neither revoked nor expired. */
  async function generationCheck(session: Session, token: PresentedRefreshToken, now: number): Promise<Check> {
    const mode = transport.rotationMode;
    const { generation } = token;
    const current = generation === session.generation && token.verifierHash.equals(session.verifierHash);
    const presentedToken: PresentedGeneration = { generation, current };
    const liveSession = { ...session, revokedAt: undefined, expiresAt: Infinity };
    const decision = decideRotation(liveSession, presentedToken, mode, now);
    if (decision.kind === 'advance') return pass('GENERATION', `generation ${generation} is the current one`);
    const presented = `generation ${generation} was presented while ${session.generation} is current`;
    if (decision.kind === 'keep') return pass('GENERATION', `${presented}: it stays valid in reusable mode`);
    if (decision.kind === 'reject')
      return fail(
        'GENERATION',
        `generation ${generation} was never issued with this verifier; generation ${session.generation} is current`,
      );
    if (decideRotation(session, presentedToken, mode, now).kind !== 'revoke-session')
      return fail('GENERATION', `${presented}: a replay`);
    const isOpen = decision.age === 1 && (await isUndecided(session));
    return fail('GENERATION', `${presented}: ${isOpen ? UNDECIDED : 'a replay, which would revoke the session'}`);
  }
}

function factorChecks(session: Session, owner: FoundAccount | undefined, policy: TenantPolicy): readonly Check[] {
  if (!owner) return [];
  const rule = describePolicyValue(policy, 'secondFactor');
  const isMissing = isWithoutRequiredFactor(session, owner.account, policy.effective);
  const refusal = isMissing ? `${WITHOUT_FACTOR} (${rule}); a refresh would end the session` : undefined;
  const methods = session.methods.join(' ');
  return [checkOf('SECOND_FACTOR', refusal, `the methods of the session, ${methods}, are enough (${rule})`)];
}

/** A rotation is set back if its caller got an error. Its process has not reported yet that this can no longer happen. */
const UNDECIDED = 'the renewal may still be set back; until that is decided, a refresh waits, then fails with 503';

/** Checks the expiry that the token itself carries. It comes before all other checks. */
function tokenExpiryCheck({ expiresAt }: PresentedRefreshToken, now: number): readonly Check[] {
  return isPast(expiresAt, now) ? [fail('EXPIRY', 'the refresh token has expired', expiresAt)] : [];
}

function expiryCheck(session: Session, policy: TenantPolicy, now: number): Check {
  const { expiresAt, absoluteExpiresAt } = session;
  const field = expiresAt === absoluteExpiresAt ? 'sessionAbsoluteLifetime' : 'sessionIdleWindow';
  const limit = session.transport === 'COOKIE' ? ` (${describeLimit(session, policy, field)})` : '';
  const end = `${field === 'sessionIdleWindow' ? 'idle window' : 'absolute lifetime'}${limit}`;
  const past = isPast(expiresAt, now) ? `the ${end} of the session has ended` : undefined;
  return checkOf('EXPIRY', past, `the session ends with its ${end}`, expiresAt);
}

/** Describes the limit of a session and where it comes from. Sessions without rememberMe have a window of their own. */
function describeLimit(
  { rememberMe }: Session,
  policy: TenantPolicy,
  field: 'sessionIdleWindow' | 'sessionAbsoluteLifetime',
): string {
  const isBrowserWindow = field === 'sessionIdleWindow' && !rememberMe && policy.own.sessionIdleWindow === undefined;
  return isBrowserWindow ? BROWSER_WINDOW : describePolicyValue(policy, field);
}

const BROWSER_WINDOW = "of the service's app.security.refresh-session.browser-idle-window";

const CAUSES: Readonly<Record<RevocationReason, string>> = {
  logout: 'by a logout',
  replay: 'by the replay of an earlier refresh token',
  revoked: 'by its owner or an administrator',
  'account-changed': 'by a change of its account',
  policy: 'because the tenant requires a second factor, which the login had not',
  restored: 'because the database was restored from a backup',
  replaced: 'by another login in the same browser',
  'too-many': "by a login beyond app.security.sessions-per-account, or sessionsPerAccount of the tenant's policy",
};

/** Returns when and why, in words, a session was revoked; undefined if it is not revoked or was deleted. */
export async function sessionRevocation(
  database: Database,
  session: SessionAddress,
): Promise<{ readonly detail: string; readonly at: number } | undefined> {
  const found = await findRevocation(database, session);
  if (!found) return undefined;
  const { revokedAt, reason, generation } = found;
  const detail = `session ${session.id} was revoked at generation ${generation} ${CAUSES[reason]}`;
  return { detail, at: revokedAt };
}
