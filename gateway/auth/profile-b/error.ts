// The error body of Profile B: message, code, path and time.
import type { Diagnostics } from '../../../src/platform/rpc/errors/rpc-error.ts';
import { CATALOGUE } from '../../../src/platform/problem/catalogue.ts';
import type { FailureName } from '../../../src/platform/problem/catalogue.ts';
import type { SendError } from '../../errors/error-formats.ts';
import { applyDisclosure } from '../../../src/platform/problem/problem.ts';
import type { DisclosureMode, Failure } from '../../../src/platform/problem/problem.ts';
import { sendErrorResponse } from '../../errors/send-problem.ts';
import { requestPath } from '../../../src/platform/problem/request-path.ts';

export interface ProfileBError extends Partial<Diagnostics> {
  readonly message: string;
  /** Stable code for clients to branch on. */
  readonly error: string;
  /** Absent only if the path of the request could not be read. */
  readonly path?: string;
  /** ISO 8601 in UTC with milliseconds. */
  readonly timestamp: string;
}

/** Returns the error code of a failure in Profile B. */
export function profileBCode(name: FailureName): string {
  return CATALOGUE[name].profileBCode ?? name;
}

/** Not hidden under minimal disclosure, because in this profile unknown usernames lock too. */
const ALWAYS_DISCLOSED: readonly FailureName[] = ['ACCOUNT_LOCKED'];

/** Builds the response to a failed request. */
export function profileBError(failure: Failure, mode: DisclosureMode, path: string | undefined) {
  const { name, status, headers, detail, diagnostics } = applyDisclosure(failure, mode, ALWAYS_DISCLOSED);
  const body: ProfileBError = {
    message: detail,
    error: profileBCode(name),
    ...(path !== undefined && { path }),
    timestamp: new Date().toISOString(),
    ...diagnostics,
  };
  return { status, headers: { ...headers, 'content-type': 'application/json' }, body };
}

/** Sends the error response of a failed request to an authentication endpoint. */
export const sendProfileBError: SendError = (request, reply, failure, mode) =>
  sendErrorResponse(request, reply, profileBError(failure, mode, requestPath(request.originalUrl)));
