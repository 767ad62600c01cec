// Exchanges an authorization code for the tokens of a new grant (OAuth 2.1 section 4.1.3).
import type {
  ExchangeTokenRequest,
  ExchangeTokenResponse,
} from '../../../../proto/gen/authservice/oauth/v1/authorization_service.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Database } from '../../../platform/db/types.ts';
import { DependencyUnavailableError, ServiceError } from '../../../platform/errors.ts';
import { finding, type Finding } from '../../access/findings.ts';
import type { Call } from '../../access/principal.ts';
import type { ClientApplication } from '../applications/application-loader-store.ts';
import { isRegisteredUri } from '../applications/redirect-uri.ts';
import type { FindStanding, Standing } from '../grants/standing.ts';
import { resourceOf } from '../tokens/resource.ts';
import { findCode, type AuthorizationCode } from './code-store.ts';
import { decideExchange } from './decide-exchange.ts';
import { MAX_TRIES, type RedeemCode } from './redeem-code.ts';

export interface ExchangeCodeDependencies {
  readonly database: Database;
  readonly findStanding: FindStanding;
  readonly redeemCode: RedeemCode;
  readonly clock: Clock;
}

export function createExchangeCode({ database, findStanding, redeemCode, clock }: ExchangeCodeDependencies) {
  const { redeem, revokeReplayed } = redeemCode;

  return async (
    request: ExchangeTokenRequest & { readonly code: string },
    application: ClientApplication,
    call: Call,
  ): Promise<ExchangeTokenResponse> => {
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      const code = await findCode(database, request.code);
      const standing = code && (await findStanding({ ...code, offline: false }, application));
      const refusal = standing && 'refusal' in standing ? standing.refusal : findUriRefusal(code, application)?.detail;
      const decision = decideExchange({
        code,
        application,
        redirectUri: request.redirectUri || undefined,
        verifier: request.codeVerifier || undefined,
        refusal,
        now: clock(),
      });
      if (decision.kind === 'refuse') throw new ServiceError('INVALID_GRANT', { detail: decision.detail });
      if (decision.kind === 'replay') return revokeReplayed(code!, application, call);
      const resource = resourceOf(request.resource, code!.resource, application);
      const response = await redeem(code!, { application, standing: standing as Standing, resource }, call);
      if (response) return response;
    }
    throw new DependencyUnavailableError('the code could not be exchanged in time');
  };
}

/** Returns why an application refuses a code: it no longer has its redirect URI. Undefined if it does not. */
export function findUriRefusal(
  code: AuthorizationCode | undefined,
  { clientId, redirectUris, type }: ClientApplication,
): Finding | undefined {
  return code?.redirectUri === undefined || isRegisteredUri(code.redirectUri, redirectUris, type)
    ? undefined
    : finding('APPLICATION_LACKS_REDIRECT_URI', { clientId });
}
