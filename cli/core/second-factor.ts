// Logins that need more than a password: asks a person for a code or a new password, and sets up TOTP if the tenant requires a factor.
import {
  SessionServiceService,
  type CompleteLoginRequest,
  type LoginResponse,
} from '../../proto/gen/authservice/session/v1/session_service.ts';
import { FactorMethod } from '../../proto/gen/authservice/session/v1/login_challenge.ts';
import type { LoginChallenge } from '../../src/platform/errors.ts';
import { RpcError } from '../../src/platform/rpc/errors/rpc-error.ts';
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
  const answer: AnswerChallenge = async ({ challenge, methods }, reason) => {
    if (reason === 'PASSWORD_CHANGE_REQUIRED') {
      const newPassword = await input.terminal.readSecret('Your password is temporary. New password', { isNew: true });
      return answerNext(sessions.changeTemporaryPassword({ challenge, newPassword, ...AS_COOKIE }, options), answer);
    }
    const proof =
      reason === 'SECOND_FACTOR_ENROLMENT_REQUIRED'
        ? await setUpTotp((method) => sessions.startEnrolment({ challenge, method, ...AS_COOKIE }, options), input)
        : await askForCode(methods, input);
    const { login, recoveryCodes } = await sessions.completeLogin({ challenge, proof, ...AS_COOKIE }, options);
    return { login: login!, recoveryCodes };
  };
  return answer;
}

/** Returns the session of a step, or answers the challenge of the next one. */
export async function answerNext(
  step: Promise<{ readonly login?: LoginResponse | undefined }>,
  answer: AnswerChallenge,
): ReturnType<AnswerChallenge> {
  try {
    return { login: (await step).login!, recoveryCodes: [] };
  } catch (error) {
    const status = error instanceof RpcError ? error.status : undefined;
    if (status?.challenge === undefined) throw error;
    return answer(status.challenge, status.reason);
  }
}

/** Asks for a code of the factors that the account has. */
async function askForCode(methods: LoginChallenge['methods'], { terminal }: Asking): Promise<Proof> {
  const names = [
    ...(methods.includes('totp') ? ['the code of your authenticator app'] : []),
    ...(methods.includes('recovery-code') ? ['a recovery code'] : []),
    ...(methods.includes('access-code') ? ['an access code'] : []),
  ];
  if (names.length === 0)
    throw new CommandFailure('the account has passkeys only, and this program cannot use them', EXIT.credential);
  const code = await readCode(terminal, `Second factor: ${names.join(' or ')}`);
  if (/^\d{6}$/.test(code)) return { $case: 'totp', value: code };
  return /^\d{4}[ -]?\d{4}$/.test(code) ? { $case: 'accessCode', value: code } : { $case: 'recoveryCode', value: code };
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
