import { FactorMethod } from '../../../../proto/gen/authservice/session/v1/login_challenge.ts';
import type {
  StartEnrolmentRequest,
  StartEnrolmentResponse,
} from '../../../../proto/gen/authservice/session/v1/session_service.ts';
import type { RunRefusable } from '../../../platform/concurrency/pace-failures.ts';
import type { Database } from '../../../platform/db/types.ts';
import { ServiceError } from '../../../platform/errors.ts';
import { toBase32 } from '../../../platform/formats/base32.ts';
import { challengeInvalid } from '../../factors/challenges.ts';
import { newTotpSecret, totpUri } from '../../factors/totp.ts';
import type { Passkeys } from '../../factors/passkeys/passkeys.ts';
import type { TotpSecrets } from '../../factors/totp-secrets.ts';
import type { Call } from '../../access/principal.ts';
import { createFindChallenge, type FindChallengeDependencies, type OpenChallenge } from './answer-challenge.ts';
import { passkeyFor } from './second-factor-passkey.ts';
import { createLimitFailures, type LoginFailureDependencies } from './failure-limit.ts';
import { browserOriginOf } from '../transport/browser-origin.ts';
import { policyOf, type TransportPolicies } from '../transport/transport-policy.ts';

export interface StartEnrolmentDependencies extends FindChallengeDependencies, LoginFailureDependencies {
  readonly database: Database;
  readonly totpSecrets: TotpSecrets;
  readonly passkeys: Pick<Passkeys, 'isEnabled' | 'creationOptions'>;
  readonly transports: TransportPolicies;
  /** The name of the service in authenticator apps. */
  readonly serviceName: string;
  readonly runRefusable: RunRefusable;
}

type Start = (open: OpenChallenge, call: Call) => Promise<StartEnrolmentResponse>;

/** SessionService.StartEnrolment: creates the secret of the factor that a login requires. */
export function createStartEnrolment(options: StartEnrolmentDependencies) {
  const { database, loginChallenges, totpSecrets, passkeys, transports, serviceName, runRefusable } = options;
  const limitFailures = createLimitFailures(options);
  const findChallenge = createFindChallenge(options);
  const starts: Partial<Record<FactorMethod, Start>> = {
    [FactorMethod.FACTOR_METHOD_TOTP]: startTotp,
    ...(passkeys.isEnabled && { [FactorMethod.FACTOR_METHOD_PASSKEY]: startPasskey }),
  };

  return async (request: StartEnrolmentRequest, call: Call): Promise<StartEnrolmentResponse> => {
    const transport = policyOf(transports, request.refreshTokenTransport);
    const run = async () => {
      const open = await findChallenge({ ...request, transport, origin: browserOriginOf(request) });
      if (open.challenge.kind !== 'enrolment') throw challengeInvalid('the account has a second factor already');
      const start = starts[request.method];
      if (!start) throw new ServiceError('VALIDATION_ERROR', { violations: [NOT_ENROLLED_HERE] });
      return start(open, call);
    };
    return limitFailures(call, () => runRefusable(run));
  };

  async function startTotp({ challenge, account }: OpenChallenge, { deadline }: Call): Promise<StartEnrolmentResponse> {
    const secret = newTotpSecret();
    const encrypted = totpSecrets.encrypt(account.id, secret);
    await loginChallenges.storeTotpSecret(database, challenge, encrypted, deadline);
    return { secret: toBase32(secret), uri: totpUri(secret, { issuer: serviceName, username: account.username }) };
  }

  async function startPasskey({ challenge, account }: OpenChallenge): Promise<StartEnrolmentResponse> {
    return { options: await passkeys.creationOptions(passkeyFor(challenge), account) };
  }
}

const NOT_ENROLLED_HERE = { message: 'must be a method of the challenge', format: 'enum', props: ['method'] };
