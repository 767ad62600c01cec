// Failures as HTTP responses: problem documents, OAuth errors, token mode's errors.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { RpcError } from '../../src/platform/rpc/errors/rpc-error.ts';
import type { SendFailure } from './error-formats.ts';
import { toFailure } from './failure.ts';
import type { Disclosure } from './failure.ts';

/** Sends the response for an error. */
export type HandleError = (error: unknown, request: FastifyRequest, reply: FastifyReply) => void;

/**
 * Creates the only error handler. It logs unexpected errors completely. Responses show their class and frames under maximal
 * disclosure only.
 */
export function errorHandler(send: SendFailure, disclosure: Disclosure): HandleError {
  return (error, request, reply) => {
    const failure = toFailure(error, disclosure, request.routeOptions.config?.checksCredential === true);
    if (failure.name === 'INTERNAL_ERROR' && !(error instanceof RpcError))
      request.log.error(
        { requestId: request.id, ...(request.span && { trace_id: request.span.traceId }), err: error },
        'Unexpected error while serving a request',
      );
    send(request, reply, failure);
  };
}
