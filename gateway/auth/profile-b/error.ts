// The error body of Profile B: message, code, path and time.
import { CATALOGUE, type FailureName } from '../../../src/platform/problem/catalogue.ts';
import type { LoginChallenge } from '../../../src/platform/errors.ts';
import { type ErrorFormat, isBearerChallenge } from '../../errors/error-formats.ts';

const codeOf = (name: FailureName): string => CATALOGUE[name].profileBCode ?? name;

const challengeMembers = ({ challenge, methods, expiresIn }: LoginChallenge) => ({
  challenge,
  ...(methods.length > 0 && { methods }),
  expires_in: expiresIn,
});

/** The errors of authentication endpoints in Profile B. */
export const PROFILE_B_ERRORS: ErrorFormat = {
  // In this profile unknown usernames lock too.
  minimal: { alwaysNamed: ['ACCOUNT_LOCKED'] },
  respond({ name, status, headers, detail, challenge, diagnostics }, path) {
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
