import type { Clock } from '../../../platform/clock.ts';
import { isId } from '../../../platform/db/ids.ts';
import { isInScope } from '../../../platform/db/query/tenant-scope.ts';
import { ServiceError } from '../../../platform/errors.ts';
import { describePolicyValue } from '../../access/policy/effective-policy.ts';
import type { Policies } from '../../access/policy/policies.ts';
import { inspectAccessToken, type AccessTokenClaims, type AccessTokens } from '../../token/access-token.ts';
import type { Blacklist } from '../../token/blacklist.ts';
import type { FoundAccount } from '../account-row.ts';
import type { AccountStore } from '../account-store.ts';
import { hasEnded, type Account } from '../../access/account.ts';
import { bearerToken } from '../authentication/authenticate-bearer.ts';
import { fail, checkOf, pass, explainAccount, type Check, type Explain } from './credential-check.ts';
import { findIneligibility, type AccountWithTenant } from '../authentication/eligibility.ts';
import { explainPolicy } from './explain-policy.ts';

/** Explains access tokens by the checks of authenticate-bearer.ts, and those of applications by `explainOfApplication`. */
export function createExplainBearer(options: {
  readonly tokens: AccessTokens;
  readonly blacklist: Pick<Blacklist, 'has'>;
  readonly accounts: Pick<AccountStore, 'findInScope'>;
  /** Returns why and when a session was revoked; undefined if it was not revoked or the record was deleted. */
  readonly findSessionRevocation: (
    session: Pick<Account, 'tenantId' | 'id'>,
  ) => Promise<{ readonly detail: string; readonly at: number } | undefined>;
  readonly explainOfApplication: Explain;
  readonly policies: Pick<Policies, 'of'>;
  readonly clock: Clock;
  /** Whether service accounts must belong to a tenant. */
  readonly tenantRequired: boolean;
}): Explain {
  const { tokens, blacklist, accounts, findSessionRevocation, explainOfApplication } = options;
  const { policies, clock, tenantRequired } = options;

  return async (text, scope) => {
    const token = bearerToken(`Bearer ${text}`)!;
    const malformed = formRefusal(token);
    const form = checkOf('FORM', malformed, 'the token is a JWT with a subject and a session or token id');
    if (malformed !== undefined) return { checks: [form] };
    if (tokens.decode(token).gid !== undefined) return explainOfApplication(token, scope);
    const findings = await inspectAccessToken(tokens, token);
    // The claims are not verified, so the explanation does not reveal whether their session or account exists or is
    // revoked.
    if (findings.kind === 'rejected') return { checks: [form, fail('SIGNATURE', findings.detail)] };

    const { claims, expired } = findings;
    const accountWithTenant = await accounts.findInScope(scope, { id: claims.sub });
    const proven = [
      pass('SIGNATURE', 'a key of this service has signed it, for this issuer and audience'),
      expiryCheck(claims, expired, accountWithTenant),
    ];
    // A token of a deleted account still names its tenant.
    if (!isInScope(scope, claims.tenantId))
      return { checks: [form, ...proven, ...explainAccount(undefined, ineligibilityOf)] };
    return {
      checks: [
        form,
        await revocation(claims, accountWithTenant),
        ...proven,
        ...accountChecks(claims, accountWithTenant),
        ...policyChecks(claims, accountWithTenant),
      ],
      owner: { id: claims.sub, tenantId: (accountWithTenant?.account ?? claims).tenantId },
    };
  };

  function formRefusal(token: string): string | undefined {
    try {
      const { sub, sid, jti } = tokens.decode(token);
      return isId(sub) && isId(sid ?? jti) ? undefined : 'the token has an invalid sub, sid or jti';
    } catch (error) {
      if (error instanceof ServiceError) return error.message;
      throw error;
    }
  }

  async function revocation(
    { sid, jti, tenantId }: AccessTokenClaims,
    accountWithTenant: AccountWithTenant | undefined,
  ): Promise<Check> {
    const ended = sid !== undefined && accountWithTenant !== undefined && hasEnded(accountWithTenant.account, sid);
    const name = sid === undefined ? `token ${jti}` : `session ${sid}`;
    if (!ended && !(await blacklist.has(sid ?? jti))) return pass('REVOCATION', `${name} is not revoked`);
    const found = sid === undefined ? undefined : await findSessionRevocation({ tenantId, id: sid });
    return fail('REVOCATION', found?.detail ?? `${name} is revoked`, found?.at);
  }

  /** Names the source of the lifetime, if the account of the token is in scope. */
  function expiryCheck(
    { sid, tenantId, iat = NaN, exp }: AccessTokenClaims,
    expired: boolean,
    found: FoundAccount | undefined,
  ): Check {
    const setting =
      sid === undefined
        ? "of the service's app.security.m2m.access-token-ttl"
        : `Profile A: ${describePolicyValue(policies.of(found?.definitions), 'accessTokenTtl')}`;
    const source = found && found.account.tenantId === tenantId ? ` (issued for ${exp - iat} s; ${setting})` : '';
    const ended = expired ? `the token has expired${source}` : undefined;
    return checkOf('EXPIRY', ended, `the token has not expired${source}`, exp * 1000);
  }

  function accountChecks(
    { tenantId }: AccessTokenClaims,
    accountWithTenant: AccountWithTenant | undefined,
  ): readonly Check[] {
    if (accountWithTenant && accountWithTenant.account.tenantId !== tenantId)
      return [fail('ACCOUNT', "the token's tenant is not the account's")];
    return explainAccount(accountWithTenant, ineligibilityOf);
  }

  /** A policy concerns sessions, not the tokens of machine clients. */
  function policyChecks({ sid, tenantId }: AccessTokenClaims, found: FoundAccount | undefined): readonly Check[] {
    if (sid === undefined || !found || found.account.tenantId !== tenantId) return [];
    return [explainPolicy('bearerToken', policies.of(found.definitions))];
  }

  function ineligibilityOf(accountWithTenant: AccountWithTenant): string | undefined {
    return findIneligibility('access-token', accountWithTenant, clock(), tenantRequired)?.detail;
  }
}
