// The error body of Profile B: message, code, path and time.
import { CATALOGUE, type FailureName } from '../../../src/platform/problem/catalogue.ts';
import type { LoginChallenge } from '../../../src/platform/errors.ts';
import { applyDisclosure } from '../../../src/platform/problem/problem.ts';
import { type ErrorFormat, isBearerChallenge } from '../../errors/error-formats.ts';

const codeOf = (name: FailureName): string => CATALOGUE[name].profileBCode ?? name;

/** Not hidden under minimal disclosure, because in this profile unknown usernames lock too. */
const ALWAYS_DISCLOSED: readonly FailureName[] = ['ACCOUNT_LOCKED'];

const challengeMembers = ({ challenge, methods, expiresIn }: LoginChallenge) => ({
  challenge,
  methods,
  expires_in: expiresIn,
});

/** The errors of authentication endpoints in Profile B. */
export const PROFILE_B_ERRORS: ErrorFormat = {
  respond(failure, mode, path) {
    const { name, status, headers, detail, challenge, diagnostics } = applyDisclosure(failure, mode, ALWAYS_DISCLOSED);
    const body = {
      message: detail,
      error: codeOf(name),
      ...(path !== undefined && { path }),
      timestamp: new Date().toISOString(),
      ...(challenge && challengeMembers(challenge)),
      ...diagnostics,
    };
    return { status, headers: { ...headers, 'content-type': 'application/json' }, body };
  },
  errorOf: (name) => ({ status: CATALOGUE[name].status, code: codeOf(name) }),
  isChallenge: isBearerChallenge,
  schemas: { 'application/json': 'ProfileBError' },
};
