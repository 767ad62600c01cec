import type { FastifyRequest } from 'fastify';
import type { CallOptions } from '../../src/platform/rpc/types.ts';
import { clientAddressOf } from './client-address.ts';
import { disconnectionOf } from './disconnection.ts';

/** Longest call to the core, in milliseconds. */
const CALL_TIMEOUT_MS = 4000;
/** Longest streaming call, in milliseconds. The client sets the pace, and the core ends streams without progress. */
const STREAM_TIMEOUT_MS = 600_000;

/** Returns all values of a header, in the order received. `request.headers` keeps only one of several Authorization headers. */
export function rawValues(rawHeaders: readonly string[], name: string): string[] {
  const values: string[] = [];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const candidate = rawHeaders[index] ?? '';
    if (candidate.length === name.length && candidate.toLowerCase() === name) values.push(rawHeaders[index + 1] ?? '');
  }
  return values;
}

/** Returns the options of a call to the core: timeout, abort signal, request id, client address and credentials as received. */
export function callOptions(request: FastifyRequest, timeoutMs = CALL_TIMEOUT_MS): CallOptions {
  const { rawHeaders, socket } = request.raw;
  return {
    timeoutMs,
    signal: disconnectionOf(socket),
    requestId: request.id,
    ...(request.span && { trace: request.span.headers }),
    ...clientAddressOf(request),
    authorization: rawValues(rawHeaders, 'authorization'),
    apiKey: rawValues(rawHeaders, 'x-api-key'),
  };
}

/** Returns the options of a streaming call to the core. */
export function streamOptions(request: FastifyRequest): CallOptions {
  return callOptions(request, STREAM_TIMEOUT_MS);
}
