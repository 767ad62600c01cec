// The order in which a request is judged: credential, role, record, and only then the request itself. The first three are
// the core's to judge, so a request that breaks the route's schema, or is no JSON at all, is still taken to the core, marked
// as invalid. See docs/decisions/0015-order-of-checks.md.
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { RpcError } from '../../src/rpc/errors/rpc-error.ts';
import type { CallOptions } from '../../src/rpc/types.ts';
import { GatewayError } from '../errors/gateway-error.ts';
import { callOptions } from './call-options.ts';

/** Calls the route's RPC with a message of nothing but what names its record. */
export type Ask = (request: FastifyRequest, options: CallOptions) => Promise<unknown>;

/** A route's `errorHandler`: before a broken request is answered as such, the core may refuse it for a graver reason. */
export function authorizeFirst(ask: Ask) {
  return (thrown: unknown, request: FastifyRequest, reply: FastifyReply): void => {
    if (isBrokenRequest(thrown)) void findCoreError(ask, request).then((graver) => reply.send(graver ?? thrown));
    else reply.send(thrown);
  };
}

/** The core's refusal; undefined where it too has nothing to object to but the mark. */
async function findCoreError(ask: Ask, request: FastifyRequest): Promise<unknown> {
  try {
    await ask(request, { ...callOptions(request), accessCheckOnly: true });
    return undefined;
  } catch (refusal) {
    const agrees = refusal instanceof RpcError && refusal.status.reason === 'VALIDATION_ERROR';
    return agrees ? undefined : refusal;
  }
}

/** What a route's parser, schema or handler objects to, or Fastify itself. */
function isBrokenRequest(error: unknown): boolean {
  const { statusCode = 500 } = error as Partial<FastifyError>;
  return error instanceof GatewayError || (statusCode >= 400 && statusCode < 500);
}
