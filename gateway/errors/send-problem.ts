import type { FastifyReply, FastifyRequest } from 'fastify';
import { requestPath } from '../../src/platform/problem/request-path.ts';
import { type DisclosureMode, type Failure, type Problem, problem } from '../../src/platform/problem/problem.ts';

/** Header of every response. Browsers then use the declared content type and do not guess (Fetch standard section 3.6). */
export const NO_SNIFFING = { 'x-content-type-options': 'nosniff' } as const;

/** Sends the problem document of a failure. */
export function sendProblem(
  request: FastifyRequest,
  reply: FastifyReply,
  failure: Failure,
  mode: DisclosureMode,
): void {
  sendErrorResponse(request, reply, problem(failure, mode, requestPath(request.originalUrl)));
}

/** Sends an error response of any format. `headers` contain its content type. */
export function sendErrorResponse(
  request: FastifyRequest,
  reply: FastifyReply,
  { status, headers, body }: Omit<Problem, 'body'> & { readonly body: unknown },
): void {
  // Fastify sends `connection: close` if it has not read the whole body. A client that still sends would then get a reset
  // instead of the response. Without the header, Node discards the rest until the request timeout.
  if (reply.hasHeader('connection')) reply.removeHeader('connection');
  // A Buffer, because Fastify adds a charset parameter to strings, which JSON does not have.
  reply
    .code(status)
    .header('x-request-id', request.id)
    .headers(NO_SNIFFING)
    .headers(headers)
    .send(Buffer.from(JSON.stringify(body)));
}
