import type {
  CreateSecondFactorPasskeyOptionsRequest,
  CreateSecondFactorPasskeyOptionsResponse,
} from '../../../../proto/gen/authservice/session/v1/session_service.ts';
import type { RunRefusable } from '../../../platform/concurrency/pace-failures.ts';
import { ServiceError } from '../../../platform/errors.ts';
import { challengeInvalid, type StoredChallenge } from '../../factors/challenges.ts';
import type { PasskeyContext } from '../../factors/passkeys/passkey-challenges.ts';
import type { Passkeys } from '../../factors/passkeys/passkeys.ts';
import type { Call } from '../../access/principal.ts';
import { browserOriginOf } from '../transport/browser-origin.ts';
import { policyOf, type TransportPolicies } from '../transport/transport-policy.ts';
import { createFindChallenge, type FindChallengeDependencies } from './answer-challenge.ts';
import { createLimitFailures, type LoginFailureDependencies } from './failure-limit.ts';

export interface SecondFactorPasskeyDependencies extends FindChallengeDependencies, LoginFailureDependencies {
  readonly passkeys: Pick<Passkeys, 'assertEnabled' | 'requestOptions'>;
  readonly transports: TransportPolicies;
  readonly runRefusable: RunRefusable;
}

/** SessionService.CreateSecondFactorPasskeyOptions: the options to answer a challenge with a passkey. */
export function createSecondFactorPasskeyOptions(options: SecondFactorPasskeyDependencies) {
  const { passkeys, transports, runRefusable } = options;
  const limitFailures = createLimitFailures(options);
  const findChallenge = createFindChallenge(options);

  return async (
    request: CreateSecondFactorPasskeyOptionsRequest,
    call: Call,
  ): Promise<CreateSecondFactorPasskeyOptionsResponse> => {
    const transport = policyOf(transports, request.refreshTokenTransport);
    passkeys.assertEnabled();
    const run = async () => {
      const { challenge, account } = await findChallenge({ ...request, transport, origin: browserOriginOf(request) });
      if (challenge.kind !== 'factor') throw challengeInvalid('the account has no second factor yet');
      return { options: await passkeys.requestOptions(passkeyFor(challenge), account) };
    };
    return limitFailures(call, () => runRefusable(run), isInvalidChallenge);
  };
}

/** An account without passkeys is refused too, but its challenge is right and nothing was proven, so that this is not a failed login. */
function isInvalidChallenge(error: unknown): boolean {
  return error instanceof ServiceError && error.reason === 'CHALLENGE_INVALID';
}

/** The options for a challenge of a login are valid for this challenge only. */
export function passkeyFor({ kind, id }: Pick<StoredChallenge, 'kind' | 'id'>): PasskeyContext {
  return { purpose: kind === 'factor' ? 'second-factor' : 'enrolment', boundTo: id };
}
