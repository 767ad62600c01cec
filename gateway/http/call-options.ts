import type { FastifyRequest } from 'fastify';
import type { CallOptions } from '../../src/rpc/types.ts';
import { clientAddressOf } from './client-address.ts';

/** How long a call to the core may take, in milliseconds. */
const CALL_TIMEOUT_MS = 4000;
/** The same where it carries a stream, at the client's pace; the core sees to it that something moves. */
const STREAM_TIMEOUT_MS = 600_000;

/** Every value of a header in the order received: Node itself keeps one Authorization header of several. */
export function rawValues(rawHeaders: readonly string[], name: string): string[] {
  const values: string[] = [];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const candidate = rawHeaders[index] ?? '';
    if (candidate.length === name.length && candidate.toLowerCase() === name) values.push(rawHeaders[index + 1] ?? '');
  }
  return values;
}

/** What every call to the core carries beside its message: credentials as received, and whose call it is. */
export function callOptions(request: FastifyRequest): CallOptions {
  // Node's signal, not Fastify's: that one listens to the request object, which closes once its body has been read.
  const { rawHeaders, signal } = request.raw;
  return {
    timeoutMs: CALL_TIMEOUT_MS,
    signal,
    requestId: request.id,
    ...clientAddressOf(request),
    authorization: rawValues(rawHeaders, 'authorization'),
    apiKey: rawValues(rawHeaders, 'x-api-key'),
  };
}

/** The same for a call that carries a stream. */
export function streamOptions(request: FastifyRequest): CallOptions {
  return { ...callOptions(request), timeoutMs: STREAM_TIMEOUT_MS };
}
