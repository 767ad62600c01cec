import type { Clock } from '../../clock.ts';
import { isId } from '../../db/ids.ts';
import { isInScope } from '../../db/query/tenant-scope.ts';
import { ServiceError } from '../../errors.ts';
import type { AccessTokenClaims, AccessTokens } from '../../token/access-token.ts';
import type { Blacklist } from '../../token/blacklist.ts';
import { inspectAccessToken } from '../../token/inspect-access-token.ts';
import type { AccountStore } from '../account-store.ts';
import { hasEnded } from '../../principal/account.ts';
import { bearerToken } from '../authentication/authenticate-bearer.ts';
import { fail, checkOf, pass, standingChecks, type Check, type Explain } from './credential-check.ts';
import { findIneligibility, type AccountWithTenant } from '../authentication/eligibility.ts';

/** Why and when the session of a token was revoked; undefined where it was not, or is not known any more. */
export type FindSessionRevocation = (session: {
  readonly tenantId: string | undefined;
  readonly id: string;
}) => Promise<{ readonly detail: string; readonly at: number } | undefined>;

/** Explains access tokens: the checks of authenticate-bearer.ts. */
export function createExplainBearer(options: {
  readonly tokens: AccessTokens;
  readonly blacklist: Pick<Blacklist, 'has'>;
  readonly accounts: Pick<AccountStore, 'findInScope'>;
  readonly findSessionRevocation: FindSessionRevocation;
  readonly clock: Clock;
  /** Whether service accounts must belong to a tenant. */
  readonly tenantRequired: boolean;
}): Explain {
  const { tokens, blacklist, accounts, findSessionRevocation, clock, tenantRequired } = options;

  return async (text, scope) => {
    const token = bearerToken(`Bearer ${text}`)!;
    const malformed = formRefusal(token);
    const form = checkOf('FORM', malformed, 'the token is a JWT that names an account and itself');
    if (malformed !== undefined) return { checks: [form] };
    const findings = await inspectAccessToken(tokens, token);
    // What it claims is not proven: whether that is revoked, or exists, is not told.
    if (findings.kind === 'rejected') return { checks: [form, fail('SIGNATURE', findings.detail)] };

    const { claims, expired } = findings;
    const ended = expired ? 'the token has expired' : undefined;
    const proven = [
      pass('SIGNATURE', 'a key of this service has signed it, for this issuer and audience'),
      checkOf('EXPIRY', ended, 'the token has not expired', claims.exp * 1000),
    ];
    const standing = await accounts.findInScope(scope, { id: claims.sub });
    // A token of an account that is gone still names its tenant.
    if (!isInScope(scope, claims.tenantId))
      return { checks: [form, ...proven, ...standingChecks(undefined, clock(), ineligibilityOf)] };
    return {
      checks: [form, await revocation(claims, standing), ...proven, ...accountChecks(claims, standing)],
      owner: { id: claims.sub, tenantId: (standing?.account ?? claims).tenantId },
    };
  };

  function formRefusal(token: string): string | undefined {
    try {
      const { sub, sid, jti } = tokens.decode(token);
      return isId(sub) && isId(sid ?? jti) ? undefined : 'the token names nothing of ours';
    } catch (error) {
      if (error instanceof ServiceError) return error.message;
      throw error;
    }
  }

  async function revocation(
    { sid, jti, tenantId }: AccessTokenClaims,
    standing: AccountWithTenant | undefined,
  ): Promise<Check> {
    const ended = sid !== undefined && standing !== undefined && hasEnded(standing.account, sid);
    const name = sid === undefined ? `token ${jti}` : `session ${sid}`;
    if (!ended && !(await blacklist.has(sid ?? jti))) return pass('REVOCATION', `${name} is not revoked`);
    const found = sid === undefined ? undefined : await findSessionRevocation({ tenantId, id: sid });
    return fail('REVOCATION', found?.detail ?? `${name} is revoked`, found?.at);
  }

  function accountChecks({ tenantId }: AccessTokenClaims, standing: AccountWithTenant | undefined): readonly Check[] {
    if (standing && standing.account.tenantId !== tenantId)
      return [fail('ACCOUNT', "the token's tenant is not the account's")];
    return standingChecks(standing, clock(), ineligibilityOf);
  }

  function ineligibilityOf(standing: AccountWithTenant, now: number): string | undefined {
    return findIneligibility('access-token', standing, now, tenantRequired)?.detail;
  }
}
