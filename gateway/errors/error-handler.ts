// Turns whatever a request has failed with into its answer.
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { RpcError } from '../../src/rpc/rpc-error.ts';
import type { SendFailure } from './dialects.ts';
import { GatewayError } from './gateway-error.ts';
import { failure } from './problem.ts';
import type { Failure } from './problem.ts';

/** What Fastify's own errors mean; other errors of the client's count as malformed requests. */
const FASTIFY_FAILURES: Readonly<Record<string, Failure>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: failure('PAYLOAD_TOO_LARGE'),
  FST_ERR_CTP_INVALID_MEDIA_TYPE: failure(
    'UNSUPPORTED_MEDIA_TYPE',
    'The request body must be application/json in UTF-8',
  ),
  FST_ERR_MAX_PARAM_LENGTH: failure('URI_TOO_LONG'),
};

function fromFastify(error: Partial<FastifyError>): Failure | undefined {
  const known = FASTIFY_FAILURES[error.code ?? ''];
  if (known !== undefined) return known;
  const status = error.statusCode ?? 500;
  return status >= 400 && status < 500 ? failure('MALFORMED_REQUEST') : undefined;
}

/** Where a credential is being checked, any outage is an outage of authentication. */
function fromRpc({ status }: RpcError, checksCredential: boolean): Failure {
  const { reason, ...told } = status;
  const name = checksCredential && reason === 'SERVICE_UNAVAILABLE' ? 'AUTHENTICATION_SERVICE_UNAVAILABLE' : reason;
  return { ...told, name };
}

function failureOf(error: unknown, checksCredential: boolean): Failure | undefined {
  if (error instanceof RpcError) return fromRpc(error, checksCredential);
  if (error instanceof GatewayError) return { ...failure(error.failure, error.message), violations: error.violations };
  return error instanceof Error ? fromFastify(error) : undefined;
}

/** The one error handler. What it does not know is a defect of the gateway: logged, and told to nobody. */
export function errorHandler(send: SendFailure) {
  return (error: unknown, request: FastifyRequest, reply: FastifyReply): void => {
    const told = failureOf(error, request.routeOptions.config?.checksCredential === true);
    if (told === undefined) request.log.error({ requestId: request.id, err: error }, 'Unexpected error');
    send(request, reply, told ?? failure('INTERNAL_ERROR'));
  };
}
