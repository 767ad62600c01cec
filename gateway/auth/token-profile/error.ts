// The error body of Profile B: message, code, path and time.
import type { Diagnostics } from '../../../src/rpc/rpc-error.ts';
import type { FailureName } from '../../../src/problem/catalogue.ts';
import type { ErrorDialect } from '../../errors/dialects.ts';
import { disclosedAs } from '../../../src/problem/problem.ts';
import type { DisclosureMode, Failure } from '../../../src/problem/problem.ts';
import { sendErrorAnswer } from '../../errors/send-problem.ts';
import { requestPath } from '../../../src/problem/request-path.ts';

export interface TokenProfileError extends Partial<Diagnostics> {
  readonly message: string;
  /** Stable code; what clients branch on. */
  readonly error: string;
  /** Absent only where not even the request's path could be read. */
  readonly path?: string;
  /** ISO 8601 in UTC with milliseconds. */
  readonly timestamp: string;
}

/** The codes of failures that are not simply called by their name. */
const CODES: Partial<Readonly<Record<FailureName, string>>> = {
  VALIDATION_ERROR: 'AUTH_VALIDATION_ERROR',
  MALFORMED_REQUEST: 'AUTH_VALIDATION_ERROR',
  BAD_CREDENTIALS: 'AUTH_INVALID_CREDENTIALS',
  ACCOUNT_NOT_FOUND: 'AUTH_USER_NOT_FOUND',
  ACCOUNT_LOCKED: 'AUTH_ACCOUNT_LOCKED',
  LOGIN_POLICY_REJECTED: 'AUTH_ACCOUNT_DISABLED',
  ACCOUNT_DISABLED: 'AUTH_ACCOUNT_DISABLED',
  ACCOUNT_EXPIRED: 'AUTH_ACCOUNT_DISABLED',
  CREDENTIALS_EXPIRED: 'AUTH_ACCOUNT_DISABLED',
  REFRESH_SESSION_INVALID: 'AUTH_TOKEN_INVALID',
  TOKEN_MISSING: 'AUTH_TOKEN_MISSING',
  TOKEN_INVALID: 'AUTH_TOKEN_INVALID',
  SUBJECT_UNKNOWN: 'AUTH_TOKEN_INVALID',
  AUTHENTICATION_SERVICE_UNAVAILABLE: 'AUTH_SERVICE_UNAVAILABLE',
  SERVICE_UNAVAILABLE: 'AUTH_SERVICE_UNAVAILABLE',
  CANCELLED: 'AUTH_SERVICE_UNAVAILABLE',
};

/** The code of a failure in this profile. */
export function tokenProfileCode(name: FailureName): string {
  return CODES[name] ?? name;
}

/** Here a locked account stays one in both disclosure modes: every username locks, whether it exists or not. */
const TOLD_ALWAYS: readonly FailureName[] = ['ACCOUNT_LOCKED'];

/** Builds the answer to a failed request. */
export function tokenProfileError(told: Failure, mode: DisclosureMode, path: string | undefined) {
  const { name, status, headers, detail, diagnostics } = disclosedAs(told, mode, TOLD_ALWAYS);
  const body: TokenProfileError = {
    message: detail,
    error: tokenProfileCode(name),
    ...(path !== undefined && { path }),
    timestamp: new Date().toISOString(),
    ...diagnostics,
  };
  return { status, headers: { ...headers, 'content-type': 'application/json' }, body };
}

/** Answers failed requests to the authentication endpoints. */
export const tokenProfileDialect: ErrorDialect = (request, reply, told, mode) =>
  sendErrorAnswer(request, reply, tokenProfileError(told, mode, requestPath(request.originalUrl)));
