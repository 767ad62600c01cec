// Logins that need a second factor: asks a person for a code, and sets up TOTP if the tenant requires a factor.
import {
  SessionServiceService,
  type CompleteLoginRequest,
} from '../../proto/gen/authservice/session/v1/session_service.ts';
import { FactorMethod } from '../../proto/gen/authservice/session/v1/login_challenge.ts';
import type { LoginChallenge } from '../../src/platform/errors.ts';
import type { Client } from '../../src/platform/rpc/types.ts';
import type { Input } from '../command.ts';
import { EXIT, CommandFailure } from '../failure.ts';
import { assertPrintsSecrets, readCode, showTotpSecret } from '../terminal/codes.ts';
import { AS_COOKIE, type AnswerChallenge, type Connection } from './login-session.ts';

type Asking = Pick<Input, 'terminal' | 'values' | 'json'>;
type Proof = NonNullable<CompleteLoginRequest['proof']>;

/** Creates the function that answers challenges with what a person enters. */
export function createAnswerChallenge({ channel, options }: Connection, input: Asking): AnswerChallenge {
  const sessions = channel.client(SessionServiceService);
  return async ({ challenge, methods }, reason) => {
    const proof =
      reason === 'SECOND_FACTOR_ENROLMENT_REQUIRED'
        ? await setUpTotp((method) => sessions.startEnrolment({ challenge, method, ...AS_COOKIE }, options), input)
        : await askForCode(methods, input);
    const { login, recoveryCodes } = await sessions.completeLogin({ challenge, proof, ...AS_COOKIE }, options);
    return { login: login!, recoveryCodes };
  };
}

/** Asks for a code of the factors that the account has. */
async function askForCode(methods: LoginChallenge['methods'], { terminal }: Asking): Promise<Proof> {
  const names = [
    ...(methods.includes('totp') ? ['the code of your authenticator app'] : []),
    ...(methods.includes('recovery-code') ? ['a recovery code'] : []),
  ];
  if (names.length === 0)
    throw new CommandFailure('the account has passkeys only, and this program cannot use them', EXIT.credential);
  const code = await readCode(terminal, `Second factor: ${names.join(' or ')}`);
  return /^\d{6}$/.test(code) ? { $case: 'totp', value: code } : { $case: 'recoveryCode', value: code };
}

/** Shows the secret of a new TOTP and asks for its first code. */
async function setUpTotp(
  start: (method: FactorMethod) => ReturnType<Client<typeof SessionServiceService>['startEnrolment']>,
  { terminal, values, json }: Asking,
): Promise<Proof> {
  assertPrintsSecrets(terminal, values);
  const { secret = '', uri = '' } = await start(FactorMethod.FACTOR_METHOD_TOTP);
  if (!json) terminal.error('Your tenant requires a second factor. Set up TOTP now.\n');
  await showTotpSecret(terminal, { secret, uri }, json);
  return { $case: 'totp', value: await readCode(terminal, 'The code of the app') };
}
