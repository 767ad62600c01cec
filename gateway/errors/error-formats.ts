// The error format of a request: a problem document, unless its path has another format.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { requestPath } from '../../src/platform/problem/request-path.ts';
import type { DisclosureMode, Failure } from '../../src/platform/problem/problem.ts';
import { sendProblem } from './send-problem.ts';

/** Sends the error response of a failed request in one format. */
export type SendError = (request: FastifyRequest, reply: FastifyReply, failure: Failure, mode: DisclosureMode) => void;

/** An error response of any format. `headers` contain its content type. */
export interface ErrorResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** Returns the error format of input that could not be parsed as a request. The path is undefined if it is unknown. */
export type ErrorFormatter = (
  path: string | undefined,
) => (failure: Failure, mode: DisclosureMode, path: string | undefined) => ErrorResponse;

/** Returns the error sender of a path. Undefined if its errors are problem documents. */
export type SendErrorByPath = (path: string) => SendError | undefined;

/** Sends the error response of a failed request in the format of its path. */
export type SendFailure = (request: FastifyRequest, reply: FastifyReply, failure: Failure) => void;

/** Creates the error sender. It chooses the format by the route's pattern, or by the received path if no route matches. */
export function failureSender(senderByPath: SendErrorByPath, mode: DisclosureMode): SendFailure {
  return (request, reply, failure) => {
    const path = request.routeOptions.url ?? requestPath(request.originalUrl);
    (senderByPath(path) ?? sendProblem)(request, reply, failure, mode);
  };
}
