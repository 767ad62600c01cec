// In which form the failure of a request is told: as a problem document, unless its path has a form of its own.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { requestPath } from '../../src/problem/request-path.ts';
import type { DisclosureMode, Failure } from '../../src/problem/problem.ts';
import { sendProblem } from './send-problem.ts';

/** Answers a failed request in one form. */
export type SendError = (request: FastifyRequest, reply: FastifyReply, told: Failure, mode: DisclosureMode) => void;

/** An error answer of any form, without its transport. `headers` name its content type. */
export interface ErrorResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** What an error looks like where there is no request to look at, but at best a path. */
export type ErrorFormatter = (
  path: string | undefined,
) => (told: Failure, mode: DisclosureMode, path: string | undefined) => ErrorResponse;

/** The form of a path's errors; undefined where these are problem documents. */
export type SendErrorByPath = (path: string) => SendError | undefined;

/** Answers a failed request in the form of its path. */
export type SendFailure = (request: FastifyRequest, reply: FastifyReply, told: Failure) => void;

/** Chooses by the pattern of the route, or by the path as received where no route matches. */
export function failureSender(dialects: SendErrorByPath, mode: DisclosureMode): SendFailure {
  return (request, reply, told) => {
    const path = request.routeOptions.url ?? requestPath(request.originalUrl);
    (dialects(path) ?? sendProblem)(request, reply, told, mode);
  };
}
