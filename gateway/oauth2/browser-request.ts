// The requests that browsers bring from applications by a navigation: their parameters, their redirects, and the pages of their failures.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ReasonName } from '../../src/platform/errors.ts';
import type { FailureName } from '../../src/platform/problem/catalogue.ts';
import { RpcError } from '../../src/platform/rpc/errors/rpc-error.ts';
import { GatewayError } from '../errors/gateway-error.ts';

const MAX_PARAMETERS = 16_384;

/** What the page of a failure says. */
export type FailureKind = 'invalid-request' | 'too-large' | 'too-many-open' | 'unavailable';

/** Failures that users can do something about. All others get the page of BROWSER_ERRORS. */
const KIND_OF_FAILURE: Readonly<Record<string, FailureKind>> = {
  INVALID_REQUEST: 'invalid-request',
  PAYLOAD_TOO_LARGE: 'too-large',
  TOO_MANY_REQUESTS: 'too-many-open',
  AUTHENTICATION_SERVICE_UNAVAILABLE: 'unavailable',
  SERVICE_UNAVAILABLE: 'unavailable',
  DEADLINE_EXCEEDED: 'unavailable',
} satisfies Partial<Record<FailureName | ReasonName, FailureKind>>;

/** Sends the page of a failure that has one. */
export async function withPages(
  sendPage: (kind: FailureKind) => Promise<FastifyReply>,
  handle: () => Promise<FastifyReply>,
): Promise<FastifyReply> {
  try {
    return await handle();
  } catch (error) {
    const kind = KIND_OF_FAILURE[nameOf(error)];
    if (kind === undefined) throw error;
    return sendPage(kind);
  }
}

function nameOf(error: unknown): string {
  if (error instanceof GatewayError) return error.failure;
  return error instanceof RpcError ? error.status.reason : '';
}

export function redirect(reply: FastifyReply, location: string): FastifyReply {
  return reply.headers({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' }).redirect(location, 303);
}

/** Returns the query as it came. */
export function queryOf({ originalUrl }: FastifyRequest): string {
  const begin = originalUrl.indexOf('?');
  return begin === -1 ? '' : originalUrl.slice(begin + 1);
}

/** Returns parameters. Throws GatewayError if they are too long. */
export function limited(parameters: string): string {
  if (parameters.length > MAX_PARAMETERS) throw new GatewayError('PAYLOAD_TOO_LARGE');
  return parameters;
}

/** Returns the header Sec-Fetch-Dest as a field of the core's messages. */
export function fetchDestinationOf({ headers }: FastifyRequest): { readonly fetchDestination?: string } {
  const destination = headers['sec-fetch-dest'];
  return typeof destination === 'string' ? { fetchDestination: destination.slice(0, 64) } : {};
}
