import type { Clock } from '../clock.ts';
import type { Database } from '../db/types.ts';
import { fail, checkOf, pass, explainAccount, type Check, type Explain } from '../identity/explain/credential-check.ts';
import type { Account } from '../principal/account.ts';
import { findIneligibility, isPast, type AccountWithTenant } from '../identity/authentication/eligibility.ts';
import { decideRotation, type PresentedCredential, type RotationMode } from './rotation.ts';
import { sessionRevocation } from './session-revocation.ts';
import type { PresentedRefreshCredential, RefreshTokenTransport } from './refresh-token-transport.ts';
import { endedWithAccount, type SessionFamily } from './session-family.ts';
import type { SessionStore } from './session-store.ts';

/** Explains refresh credentials of one form: the checks of refresh-session.ts, without what follows from them. */
export function createExplainRefresh(options: {
  readonly form: RefreshTokenTransport;
  readonly sessions: Pick<SessionStore, 'findInScope'>;
  readonly accounts: {
    find(account: Pick<Account, 'tenantId' | 'id'>): Promise<AccountWithTenant | undefined>;
  };
  readonly database: Database;
  readonly clock: Clock;
}): Explain {
  const { form, sessions, accounts, database, clock } = options;

  return async (value, scope) => {
    const credential = await form.parse(value);
    if (!credential) return { checks: [fail('FORM', 'the refresh credential is not one of this service')] };
    const now = clock();
    const own = [pass('FORM', 'this service has issued it'), ...ownEnd(credential, now)];
    const found = await sessions.findInScope(scope, credential.selector);
    if (found?.form !== form.stored) return { checks: [...own, fail('EXISTENCE', 'the session is unknown')] };
    const accountWithTenant = await accounts.find({ tenantId: found.tenantId, id: found.accountId });
    const family = endedWithAccount(found, accountWithTenant?.account);
    return {
      checks: [
        ...own,
        pass('EXISTENCE', `it belongs to session ${family.id}`, family.createdAt),
        await revocationCheck(family),
        expiryCheck(family, now),
        generationCheck(family, credential, form.rotationMode, now),
        ...explainAccount(accountWithTenant, now, ineligibilityOf),
      ],
      owner: { id: family.accountId, tenantId: family.tenantId },
    };
  };

  async function revocationCheck(family: SessionFamily): Promise<Check> {
    if (family.revokedAt === undefined) return pass('REVOCATION', 'the session is not revoked');
    const found = await sessionRevocation(database, family);
    return fail('REVOCATION', found?.detail ?? 'the session is revoked', family.revokedAt);
  }
}

function ineligibilityOf(accountWithTenant: AccountWithTenant, now: number): string | undefined {
  return findIneligibility('refresh-token', accountWithTenant, now)?.detail;
}

/** Where the credential names its own end and that has come: judged before all else. */
function ownEnd({ expiresAt }: PresentedRefreshCredential, now: number): readonly Check[] {
  return isPast(expiresAt, now) ? [fail('EXPIRY', 'the refresh credential has expired', expiresAt)] : [];
}

function expiryCheck({ expiresAt, absoluteExpiresAt }: SessionFamily, now: number): Check {
  const end = expiresAt === absoluteExpiresAt ? 'absolute lifetime' : 'idle window';
  const past = isPast(expiresAt, now) ? `the ${end} of the session is over` : undefined;
  return checkOf('EXPIRY', past, `the session ends with its ${end}`, expiresAt);
}

/** Judges the generation alone, as in a session that lives. */
function generationCheck(
  family: SessionFamily,
  credential: PresentedRefreshCredential,
  mode: RotationMode,
  now: number,
): Check {
  const { generation } = credential;
  const current = generation === family.generation && credential.verifierHash.equals(family.verifierHash);
  const shown: PresentedCredential = { generation, current };
  const living = { ...family, revokedAt: undefined, expiresAt: Infinity };
  const decision = decideRotation(living, shown, mode, now);
  if (decision.kind === 'advance') return pass('GENERATION', `generation ${generation} is the current one`);
  const presented = `generation ${generation} was presented while ${family.generation} is current`;
  if (decision.kind === 'keep') return pass('GENERATION', `${presented}: it stays valid in reusable mode`);
  if (decision.kind === 'reject')
    return fail(
      'GENERATION',
      `generation ${generation} was never given out like this, ${family.generation} is current`,
    );
  const punished = decideRotation(family, shown, mode, now).kind === 'revoke-family';
  return fail('GENERATION', `${presented}: a replay${punished ? ', which would revoke the session' : ''}`);
}
