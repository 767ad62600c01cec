// The explanations of refresh tokens and access tokens of applications.
import { finding, type Finding, type FindingCode } from '../../access/findings.ts';
import type { Clock } from '../../../platform/clock.ts';
import { isId } from '../../../platform/db/ids.ts';
import { isPast } from '../../identity/authentication/eligibility.ts';
import {
  checkOf,
  fail,
  pass,
  type Check,
  type Explain,
  type Explanation,
} from '../../identity/explain/credential-check.ts';
import { inspectAccessToken, type AccessTokenClaims, type AccessTokens } from '../../token/access-token.ts';
import type { FindOwningApplication, FoundApplication } from '../applications/application-loader-store.ts';
import { decideRefresh } from '../grants/decide-refresh.ts';
import type { EndedGrant, GrantEnd, GrantStore } from '../grants/grant-store.ts';
import type { RefreshTokens } from '../grants/refresh-token.ts';
import { findAudienceRefusal } from '../tokens/resource.ts';
import type { CheckGranted } from './granted-checks.ts';

export interface ExplainGrantDependencies {
  readonly tokens: Pick<AccessTokens, 'decode' | 'verifyOfApplication'>;
  readonly refreshTokens: Pick<RefreshTokens, 'parse'>;
  readonly grants: Pick<GrantStore, 'findInScope'>;
  readonly findApplication: FindOwningApplication;
  readonly checkGranted: CheckGranted;
  /** The audience of the issuer's own endpoints. */
  readonly issuer: string;
  /** The audience of this service. */
  readonly audience: string;
  readonly clock: Clock;
}

const UNKNOWN_GRANT = fail('EXISTENCE', finding('GRANT_UNKNOWN'));

/** Returns the explanations of the tokens of applications, by the checks of refresh-grant.ts and inspect-token.ts, without effects. */
export function createExplainGrant(options: ExplainGrantDependencies): {
  readonly refreshToken: Explain;
  readonly accessToken: Explain;
} {
  const { tokens, refreshTokens, grants, findApplication, checkGranted, issuer, audience, clock } = options;
  const verifier = { decode: tokens.decode, verify: tokens.verifyOfApplication };

  return {
    async refreshToken(text, scope) {
      const token = refreshTokens.parse(text);
      if (!token) return { checks: [fail('FORM', finding('GRANT_TOKEN_FOREIGN'))] };
      const form = pass('FORM', finding('GRANT_TOKEN_ISSUED'));
      const grant = await grants.findInScope(scope, { selector: token.selector });
      if (!grant) return { checks: [form, UNKNOWN_GRANT] };
      const found = await findApplication(grant);
      const now = clock();
      return explainedBy(
        grant,
        found,
        [form],
        [expiryCheck(grant, now), generationCheck(grant, found, token.generation, now)],
      );
    },

    async accessToken(token, scope) {
      const form = pass('FORM', finding('APPLICATION_TOKEN_WELL_FORMED'));
      const findings = await inspectAccessToken(verifier, token);
      // The claims are not verified, so the explanation does not reveal whether their grant exists or is revoked.
      if (findings.kind === 'rejected') return { checks: [form, fail('SIGNATURE', findings.finding)] };
      const { claims, expired } = findings;
      const { gid, sub, exp, iat = NaN } = claims;
      const seconds = `${exp - iat}`;
      const proven = [
        form,
        pass('SIGNATURE', useOf(claims)),
        checkOf(
          'EXPIRY',
          expired ? finding('APPLICATION_TOKEN_EXPIRED', { seconds }) : undefined,
          finding('APPLICATION_TOKEN_NOT_EXPIRED', { seconds }),
          exp * 1000,
        ),
      ];
      const grant = isId(gid ?? '') ? await grants.findInScope(scope, { id: gid! }) : undefined;
      if (grant?.accountId !== sub) return { checks: [...proven, UNKNOWN_GRANT] };
      return explainedBy(grant, await findApplication(grant), proven, [], (application) =>
        findAudienceRefusal(claims, application),
      );
    },
  };

  async function explainedBy(
    grant: EndedGrant,
    found: FoundApplication | undefined,
    before: readonly Check[],
    ofToken: readonly Check[],
    refuse?: Parameters<CheckGranted>[2],
  ): Promise<Explanation> {
    const { id, tenantId, accountId, scopes, createdAt, revokedAt, revokedReason } = grant;
    const revoked = revokedAt === undefined ? undefined : finding(CAUSES[revokedReason ?? 'revoked']);
    const params = { grant: id, account: accountId, scopes: scopes.join(' ') };
    return {
      checks: [
        ...before,
        pass(
          'EXISTENCE',
          finding(scopes.length === 0 ? 'GRANT_FOUND_WITHOUT_SCOPE' : 'GRANT_FOUND', params),
          createdAt,
        ),
        checkOf('REVOCATION', revoked, finding('GRANT_NOT_REVOKED'), revokedAt),
        ...ofToken,
        ...(await checkGranted(grant, found, refuse)),
      ],
      owner: { id: accountId, tenantId },
      ...(found && { clientId: found.application.clientId }),
      grantId: id,
    };
  }

  /** Names the endpoints that take a token of this audience. */
  function useOf({ aud }: AccessTokenClaims): Finding {
    if (aud === issuer) return finding('TOKEN_FOR_ISSUER');
    return aud === audience ? finding('TOKEN_FOR_SERVICE') : finding('TOKEN_FOR_RESOURCE', { resource: aud ?? '' });
  }
}

const CAUSES = {
  revoked: 'GRANT_REVOKED_BY_PERSON',
  replay: 'GRANT_REVOKED_BY_REPLAY',
  'too-many': 'GRANT_REVOKED_BY_LIMIT',
  'account-changed': 'GRANT_REVOKED_BY_ACCOUNT_CHANGE',
  restored: 'GRANT_REVOKED_BY_RESTORE',
} as const satisfies Readonly<Record<GrantEnd, FindingCode>>;

/** The application can have got other values since then, so which of them has ended the grant is not known. */
function expiryCheck({ idleExpiresAt }: EndedGrant, now: number): Check {
  const past = isPast(idleExpiresAt, now) ? finding('GRANT_EXPIRED') : undefined;
  return checkOf('EXPIRY', past, finding('GRANT_NOT_EXPIRED'), idleExpiresAt);
}

/** Checks only the generation, as if nothing else refused the grant. */
function generationCheck(
  grant: EndedGrant,
  found: FoundApplication | undefined,
  generation: number,
  now: number,
): Check {
  const application = { id: grant.applicationId, type: found?.application.type ?? 'WEB' };
  const decision = decideRefresh({
    grant: { ...grant, revokedAt: undefined, idleExpiresAt: Infinity },
    generation,
    application,
    scope: undefined,
    refusal: undefined,
    now,
  });
  const params = { generation: `${generation}`, current: `${grant.generation}` };
  if (decision.kind === 'keep' || decision.kind === 'rotate')
    return pass('GENERATION', finding('GENERATION_CURRENT', params));
  if (decision.kind === 'repeat') return pass('GENERATION', finding('GENERATION_REPEATED', params));
  return fail('GENERATION', finding(decision.kind === 'replay' ? 'REPLAY_OF_GRANT' : 'GENERATION_UNKNOWN', params));
}
