import type { FastifyReply, FastifyRequest } from 'fastify';
import { NO_SNIFFING } from './no-sniffing.ts';
import { requestPath } from '../../src/problem/request-path.ts';
import { problem } from '../../src/problem/problem.ts';
import type { DisclosureMode, Failure, Problem } from '../../src/problem/problem.ts';

/** Answers a request with the problem document of its failure. */
export function sendProblem(request: FastifyRequest, reply: FastifyReply, told: Failure, mode: DisclosureMode): void {
  sendErrorAnswer(request, reply, problem(told, mode, requestPath(request.originalUrl)));
}

/** Answers a request with an error of any form; `headers` name its content type. */
export function sendErrorAnswer(
  request: FastifyRequest,
  reply: FastifyReply,
  { status, headers, body }: Omit<Problem, 'body'> & { readonly body: unknown },
): void {
  // Fastify asks to close the connection when it has not read a body to its end. The client, still sending,
  // would then lose the answer to a reset; Node discards the rest, for as long as the request timeout allows.
  if (reply.hasHeader('connection')) reply.removeHeader('connection');
  // Bytes, because Fastify adds a charset parameter, which JSON does not have, to text.
  reply
    .code(status)
    .header('x-request-id', request.id)
    .headers(NO_SNIFFING)
    .headers(headers)
    .send(Buffer.from(JSON.stringify(body)));
}
