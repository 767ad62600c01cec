// The error body of Profile B: message, code, path and time.
import type { Diagnostics } from '../../../src/rpc/errors/rpc-error.ts';
import { CATALOGUE } from '../../../src/problem/catalogue.ts';
import type { FailureName } from '../../../src/problem/catalogue.ts';
import type { SendError } from '../../errors/error-formats.ts';
import { applyDisclosure } from '../../../src/problem/problem.ts';
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

/** The code of a failure in this profile. */
export function tokenProfileCode(name: FailureName): string {
  return CATALOGUE[name].tokenProfileCode ?? name;
}

/** Here a locked account stays one in both disclosure modes: every username locks, whether it exists or not. */
const TOLD_ALWAYS: readonly FailureName[] = ['ACCOUNT_LOCKED'];

/** Builds the answer to a failed request. */
export function tokenProfileError(told: Failure, mode: DisclosureMode, path: string | undefined) {
  const { name, status, headers, detail, diagnostics } = applyDisclosure(told, mode, TOLD_ALWAYS);
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
export const tokenProfileDialect: SendError = (request, reply, told, mode) =>
  sendErrorAnswer(request, reply, tokenProfileError(told, mode, requestPath(request.originalUrl)));
