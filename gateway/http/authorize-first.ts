// Order of checks: credential, role, record, then the request itself. The core does the first three. If a
// request is not JSON or violates the schema, the gateway first calls the RPC with `accessCheckOnly`.
// See docs/decisions/0015-order-of-checks.md.
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { RpcError } from '../../src/platform/rpc/errors/rpc-error.ts';
import type { CallOptions } from '../../src/platform/rpc/types.ts';
import { GatewayError } from '../errors/gateway-error.ts';
import { callOptions } from './call-options.ts';

/** Calls the route's RPC with a message that contains only the ids of the record. */
type CheckAccess = (request: FastifyRequest, options: CallOptions) => Promise<unknown>;

/** Creates a route's `errorHandler`. For an invalid request, it sends the core's error if the core denies access. */
export function authorizeFirst(checkAccess: CheckAccess) {
  return (thrown: unknown, request: FastifyRequest, reply: FastifyReply): void => {
    if (isInvalidRequest(thrown))
      void findCoreError(checkAccess, request).then((coreError) => reply.send(coreError ?? thrown));
    else reply.send(thrown);
  };
}

/** Returns the core's error. Undefined if the core allows access, or also finds only the request invalid. */
async function findCoreError(checkAccess: CheckAccess, request: FastifyRequest): Promise<unknown> {
  try {
    await checkAccess(request, { ...callOptions(request), accessCheckOnly: true });
    return undefined;
  } catch (coreError) {
    const isValidationError = coreError instanceof RpcError && coreError.status.reason === 'VALIDATION_ERROR';
    return isValidationError ? undefined : coreError;
  }
}

/** Whether an error of the parser, the schema, the handler or Fastify is due to an invalid request. */
function isInvalidRequest(error: unknown): boolean {
  const { statusCode = 500 } = error as Partial<FastifyError>;
  return error instanceof GatewayError || (statusCode >= 400 && statusCode < 500);
}
