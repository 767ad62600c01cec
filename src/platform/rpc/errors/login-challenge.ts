// The challenge of a login as a detail of google.rpc.Status.
import {
  FactorMethod as ProtoMethod,
  LoginChallenge as ChallengeMessage,
} from '../../../../proto/gen/authservice/session/v1/login_challenge.ts';
import type { FactorMethod, LoginChallenge } from '../../errors.ts';

/** The full name of the detail's message. */
export const LOGIN_CHALLENGE = 'authservice.session.v1.LoginChallenge';

/** The methods, in the order in which clients offer them. REST shows these names. */
const METHODS: ReadonlyMap<FactorMethod, ProtoMethod> = new Map([
  ['totp', ProtoMethod.FACTOR_METHOD_TOTP],
  ['passkey', ProtoMethod.FACTOR_METHOD_PASSKEY],
  ['recovery-code', ProtoMethod.FACTOR_METHOD_RECOVERY_CODE],
  ['access-code', ProtoMethod.FACTOR_METHOD_ACCESS_CODE],
]);

/** Whether a text is the name of a method. */
export function isFactorMethod(name: string): name is FactorMethod {
  return METHODS.has(name as FactorMethod);
}

/** Returns the value of a method in the protos. */
export function factorMethodValue(method: FactorMethod): ProtoMethod {
  return METHODS.get(method)!;
}

/** Returns the name of a method; undefined for a value without one. */
export function factorMethodName(value: ProtoMethod): FactorMethod | undefined {
  return [...METHODS].find(([, known]) => known === value)?.[0];
}

export function encodeLoginChallenge({ challenge, methods, expiresIn }: LoginChallenge) {
  return ChallengeMessage.encode({ challenge, methods: methods.map(factorMethodValue), expiresIn });
}

/** Decodes a challenge. Methods of a later release are left out. */
export function decodeLoginChallenge(bytes: Uint8Array): LoginChallenge {
  const { challenge, methods, expiresIn } = ChallengeMessage.decode(bytes);
  return { challenge, methods: methods.map(factorMethodName).filter((name) => name !== undefined), expiresIn };
}
