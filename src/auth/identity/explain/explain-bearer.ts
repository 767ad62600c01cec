import type { Clock } from '../../../platform/clock.ts';
import { isId } from '../../../platform/db/ids.ts';
import { isInScope } from '../../../platform/db/query/tenant-scope.ts';
import { finding, type Finding } from '../../access/findings.ts';
import { policyParams } from '../../access/policy/effective-policy.ts';
import type { Policies } from '../../access/policy/policies.ts';
import {
  inspectAccessToken,
  RejectedToken,
  type AccessTokenClaims,
  type AccessTokens,
} from '../../token/access-token.ts';
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
  ) => Promise<{ readonly finding: Finding; readonly at: number } | undefined>;
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
    const form = checkOf('FORM', malformed, finding('TOKEN_WELL_FORMED'));
    if (malformed !== undefined) return { checks: [form] };
    if (tokens.decode(token).gid !== undefined) return explainOfApplication(token, scope);
    const findings = await inspectAccessToken(tokens, token);
    // The claims are not verified, so the explanation does not reveal whether their session or account exists or is
    // revoked.
    if (findings.kind === 'rejected') return { checks: [form, fail('SIGNATURE', findings.finding)] };

    const { claims, expired } = findings;
    const accountWithTenant = await accounts.findInScope(scope, { id: claims.sub });
    const proven = [pass('SIGNATURE', finding('TOKEN_SIGNED')), expiryCheck(claims, expired, accountWithTenant)];
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

  function formRefusal(token: string): Finding | undefined {
    try {
      const { sub, sid, jti } = tokens.decode(token);
      return isId(sub) && isId(sid ?? jti) ? undefined : finding('TOKEN_IDS_INVALID');
    } catch (error) {
      if (error instanceof RejectedToken) return error.finding;
      throw error;
    }
  }

  async function revocation(
    { sid, jti, tenantId }: AccessTokenClaims,
    accountWithTenant: AccountWithTenant | undefined,
  ): Promise<Check> {
    const ended = sid !== undefined && accountWithTenant !== undefined && hasEnded(accountWithTenant.account, sid);
    const isRevoked = ended || (await blacklist.has(sid ?? jti));
    const refusal = isRevoked ? finding('TOKEN_REVOKED', { token: jti }) : undefined;
    if (sid === undefined) return checkOf('REVOCATION', refusal, finding('TOKEN_NOT_REVOKED', { token: jti }));
    if (!isRevoked) return pass('REVOCATION', finding('SESSION_NOT_REVOKED', { session: sid }));
    const found = await findSessionRevocation({ tenantId, id: sid });
    return fail('REVOCATION', found?.finding ?? finding('SESSION_REVOKED', { session: sid }), found?.at);
  }

  /** Names the source of the lifetime, if the account of the token is in scope. */
  function expiryCheck(
    { sid, tenantId, iat = NaN, exp }: AccessTokenClaims,
    expired: boolean,
    found: FoundAccount | undefined,
  ): Check {
    const isInScope = found !== undefined && found.account.tenantId === tenantId;
    const kind = !isInScope ? 'TOKEN' : sid === undefined ? 'MACHINE_TOKEN' : 'SESSION_TOKEN';
    const params = {
      ...(isInScope && { seconds: `${exp - iat}` }),
      ...(kind === 'SESSION_TOKEN' && policyParams(policies.of(found?.definitions), 'accessTokenTtl')),
    } as { readonly seconds: string };
    return expired
      ? fail('EXPIRY', finding(`${kind}_EXPIRED`, params), exp * 1000)
      : pass('EXPIRY', finding(`${kind}_NOT_EXPIRED`, params), exp * 1000);
  }

  function accountChecks(
    { tenantId }: AccessTokenClaims,
    accountWithTenant: AccountWithTenant | undefined,
  ): readonly Check[] {
    if (accountWithTenant && accountWithTenant.account.tenantId !== tenantId)
      return [fail('ACCOUNT', finding('TOKEN_TENANT_WRONG'))];
    return explainAccount(accountWithTenant, ineligibilityOf);
  }

  /** A policy concerns sessions, not the tokens of machine clients. */
  function policyChecks({ sid, tenantId }: AccessTokenClaims, found: FoundAccount | undefined): readonly Check[] {
    if (sid === undefined || !found || found.account.tenantId !== tenantId) return [];
    return [explainPolicy('bearerToken', policies.of(found.definitions))];
  }

  function ineligibilityOf(accountWithTenant: AccountWithTenant): Finding | undefined {
    return findIneligibility('access-token', accountWithTenant, clock(), tenantRequired);
  }
}
