// Errors of endpoints that take the access token of an application (RFC 6750 section 3).
import type { FailureName } from '../../../src/platform/problem/catalogue.ts';
import type { ErrorFormat } from '../../errors/error-formats.ts';
import { tokenError, tokenErrorOf } from './token-error.ts';

function bearerErrorOf(name: FailureName) {
  const { status, code } = tokenErrorOf(name);
  return { status, code: status === 401 ? 'invalid_token' : code };
}

const isChallenge = (name: FailureName): boolean => {
  return bearerErrorOf(name).status === 401 || name === 'INSUFFICIENT_SCOPE' || name === 'INVALID_REQUEST';
};

/** @param scope The scope that the endpoint needs. */
export const bearerErrors = (scope: string): ErrorFormat => ({
  minimal: { textOf: (name) => bearerErrorOf(name).code },
  respond(disclosed) {
    const { name } = disclosed;
    const { status, code } = bearerErrorOf(name);
    return {
      status,
      headers: {
        ...disclosed.headers,
        'content-type': 'application/json',
        'cache-control': 'no-store',
        pragma: 'no-cache',
        ...(isChallenge(name) && { 'www-authenticate': challenge(name, code, scope) }),
      },
      body: tokenError(disclosed, code),
    };
  },
  errorOf: bearerErrorOf,
  isChallenge,
  schemas: { 'application/json': 'OAuthError' },
});

/** A request without a token gets no error code (RFC 6750 section 3.1). */
function challenge(name: FailureName, code: string, scope: string): string {
  if (name === 'TOKEN_MISSING') return 'Bearer';
  return `Bearer error="${code}"${name === 'INSUFFICIENT_SCOPE' ? `, scope="${scope}"` : ''}`;
}
