// The explanations of refresh tokens and access tokens of applications.
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
import { describeScopes, type CheckGranted } from './granted-checks.ts';

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

const UNKNOWN_GRANT = fail('EXISTENCE', 'the grant is unknown; grants are deleted some time after their end');

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
      if (!token)
        return { checks: [fail('FORM', 'the refresh token was not issued by this service to an application')] };
      const form = pass('FORM', 'this service has issued it to an application');
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
      const form = pass('FORM', 'the token is a JWT with a subject and a grant');
      const findings = await inspectAccessToken(verifier, token);
      // The claims are not verified, so the explanation does not reveal whether their grant exists or is revoked.
      if (findings.kind === 'rejected') return { checks: [form, fail('SIGNATURE', findings.detail)] };
      const { claims, expired } = findings;
      const { gid, sub, exp, iat = NaN } = claims;
      const proven = [
        form,
        pass('SIGNATURE', `a key of this service has signed it, for ${useOf(claims)}`),
        checkOf(
          'EXPIRY',
          expired ? `the token has expired (issued for ${exp - iat} s)` : undefined,
          `the token has not expired (issued for ${exp - iat} s)`,
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
    const revoked = revokedAt === undefined ? undefined : `the grant was revoked ${CAUSES[revokedReason ?? 'revoked']}`;
    return {
      checks: [
        ...before,
        pass('EXISTENCE', `it belongs to grant ${id} of account ${accountId}, ${describeScopes(scopes)}`, createdAt),
        checkOf('REVOCATION', revoked, 'the grant is not revoked', revokedAt),
        ...ofToken,
        ...(await checkGranted(grant, found, refuse)),
      ],
      owner: { id: accountId, tenantId },
      ...(found && { clientId: found.application.clientId }),
      grantId: id,
    };
  }

  /** Names the endpoints that take a token of this audience. */
  function useOf({ aud }: AccessTokenClaims): string {
    if (aud === issuer) return 'userinfo and introspection; all else refuses it';
    if (aud === audience) return 'this service, as a token of its session; userinfo refuses it';
    return `the resource ${aud}; this service and userinfo refuse it`;
  }
}

const CAUSES: Readonly<Record<GrantEnd, string>> = {
  revoked: 'by its user, an administrator or its application',
  replay: 'by the replay of its code or of an earlier refresh token',
  'too-many': 'by a newer one: an account has at most 20 for an application',
  'account-changed': 'by a change of its account',
  restored: 'because the database was restored from a backup',
};

/** The application can have got other values since then, so which of them has ended the grant is not known. */
function expiryCheck({ idleExpiresAt }: EndedGrant, now: number): Check {
  const rule = 'refreshTokenIdle and refreshTokenLifetime of the application';
  const past = isPast(idleExpiresAt, now) ? `the grant has expired (${rule})` : undefined;
  return checkOf('EXPIRY', past, `the grant has not expired (${rule})`, idleExpiresAt);
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
  if (decision.kind === 'keep' || decision.kind === 'rotate')
    return pass('GENERATION', `generation ${generation} is the current one`);
  const presented = `generation ${generation} was presented while ${grant.generation} is current`;
  if (decision.kind === 'repeat') return pass('GENERATION', `${presented}: it gets the same successor again`);
  if (decision.kind === 'replay') return fail('GENERATION', `${presented}: a replay, which would revoke the grant`);
  return fail('GENERATION', `${presented}: ${decision.detail}`);
}
