// The steps of a login. Between the password and the second factor there is no session.
import type { SessionUser } from './access-token.ts';
import { ApiError } from './api-error.ts';
import type { SecondFactor } from './profile.ts';

export interface CallOptions {
  readonly signal?: AbortSignal;
}

/** The login is complete: the session is open. */
export interface SessionStep {
  readonly kind: 'session';
  readonly user: SessionUser;
  /** The recovery codes, shown only once. Present if this login has created the first factor of the account. */
  readonly recoveryCodes?: readonly string[];
}

/** A method to answer or to create a second factor. A later version of the service can add others. */
export type FactorMethod = 'totp' | 'passkey' | 'recovery-code' | 'access-code' | (string & {});

/** The login needs a second factor. Operations of `authservice-client/operations` accept the challenge. */
export interface FactorStep {
  /** `enrolment`: the account has no second factor, and its tenant requires one. Create it by one of the methods first. */
  readonly kind: 'second-factor' | 'enrolment';
  /** Never empty. In the order to offer them. */
  readonly methods: readonly FactorMethod[];
  readonly challenge: string;
  /** Expiry of the challenge in milliseconds of this machine's clock. */
  readonly expiresAt: number;
  /** Completes the login. After a rejection with `second-factor-invalid`, call it again with another factor. */
  answer(factor: SecondFactor, options?: CallOptions): Promise<SessionStep>;
}

/** The password is temporary, and must be replaced first. */
export interface PasswordStep {
  readonly kind: 'password-change';
  readonly challenge: string;
  /** Expiry of the challenge in milliseconds of this machine's clock. */
  readonly expiresAt: number;
  /** Replaces the password and goes on as the login does. After a rejection with `validation-error`, call it with another password. */
  answer(newPassword: string, options?: CallOptions): Promise<LoginStep>;
}

export type LoginStep = SessionStep | FactorStep | PasswordStep;

/** How steps are answered. */
export interface Answers {
  factor(challenge: string, factor: SecondFactor, options?: CallOptions): Promise<SessionStep>;
  password(challenge: string, newPassword: string, options?: CallOptions): Promise<LoginStep>;
}

/** The body of the error, with the names of both profiles. */
interface ChallengeBody {
  readonly challenge: string;
  readonly methods: readonly FactorMethod[];
  readonly expiresIn?: number;
  readonly expires_in?: number;
}

const FACTOR = /second.factor.(enrolment.)?required$/i;
const PASSWORD = /password.change.required$/i;

/** Returns the step that the error of a login asks for. Throws every other error. */
export function nextStep(error: unknown, answers: Answers): FactorStep | PasswordStep {
  if (!(error instanceof ApiError)) throw error;
  const factor = FACTOR.exec(error.code);
  if (!factor && !PASSWORD.test(error.code)) throw error;
  const { challenge, methods, expiresIn, expires_in = expiresIn } = error.body as ChallengeBody;
  const common = { challenge, expiresAt: Date.now() + expires_in! * 1000 };
  if (!factor) {
    return {
      ...common,
      kind: 'password-change',
      answer: (newPassword, options) => answers.password(challenge, newPassword, options),
    };
  }
  return {
    ...common,
    kind: factor[1] ? 'enrolment' : 'second-factor',
    methods,
    answer: (given: SecondFactor, options?: CallOptions) => answers.factor(challenge, given, options),
  };
}
