import type { IncomingHttpHeaders } from 'node:http2';
import { isIP } from 'node:net';
import { Metadata } from '@grpc/grpc-js';
import type { TraceHeaders } from '../../tracing/tracer.ts';
import type { Incoming } from '../pipeline/host.ts';
import { isRequestId } from '../pipeline/request-id.ts';
import type { CallOptions } from '../types.ts';
import { sizeOfHeaders } from './request-bytes.ts';
import type { CallMetadata } from './server-call.ts';

/**
 * A value that plain metadata carries unchanged: printable ASCII, no leading or trailing space, no comma (it separates
 * values).
 */
const PLAIN = /^[!-+\--~](?:[ -+\--~]*[!-+\--~])?$/;

/** A tracestate has commas: HTTP/2 libraries may join its parts, which keeps its meaning. */
const PRINTABLE = /^[ -~]+$/;

/** The values that gRPC allows in metadata whose name does not end with `-bin`. grpc-js drops others. */
const LEGAL = /^[ -~]*$/;
const NO_VALUES: string[] = [];

/** The metadata of a call with at most one value for each name, and none in bytes. */
export class HeaderMetadata implements CallMetadata {
  readonly #headers: IncomingHttpHeaders;

  constructor(headers: IncomingHttpHeaders) {
    this.#headers = headers;
  }

  /** The size of all headers, in bytes. */
  size(): number {
    return sizeOfHeaders(this.#headers);
  }

  get(name: string): string[] {
    const value = this.#headers[name];
    return typeof value === 'string' && LEGAL.test(value) ? [value] : NO_VALUES;
  }
}

/** Converts call options to gRPC metadata. Never throws, whatever bytes the headers contain. */
export function toMetadata(options: CallOptions): Metadata {
  const metadata = new Metadata();
  if (isRequestId(options.requestId)) metadata.set('x-request-id', options.requestId);
  if (isIP(options.clientAddress ?? '') !== 0) metadata.set('x-client-address', options.clientAddress!);
  if (options.sharedAddress === true) metadata.set('x-client-address-shared', '1');
  setAll(metadata, 'authorization', options.authorization);
  setAll(metadata, 'x-api-key', options.apiKey);
  if (options.accessCheckOnly === true) metadata.set('x-access-check-only', '1');
  if (options.trace !== undefined) setTrace(metadata, options.trace);
  return metadata;
}

function setTrace(metadata: Metadata, { traceparent, tracestate }: TraceHeaders): void {
  metadata.set('traceparent', traceparent);
  if (tracestate !== undefined && PRINTABLE.test(tracestate)) metadata.set('tracestate', tracestate);
}

/** Reads the W3C Trace Context that a caller sends. */
export function traceFromMetadata(metadata: CallMetadata): TraceHeaders | undefined {
  const traceparent = metadata.get('traceparent')[0];
  if (traceparent === undefined) return undefined;
  return { traceparent: traceparent.toString(), tracestate: metadata.get('tracestate').join(',') || undefined };
}

/**
 * Several values, or one that is not plain, are sent as bytes, because HTTP/2 libraries drop or join repeated headers.
 */
function setAll(metadata: Metadata, key: string, values: readonly string[] = []): void {
  const [first] = values;
  if (values.length === 1 && PLAIN.test(first!)) return metadata.set(key, first!);
  for (const value of values) metadata.add(`${key}-bin`, Buffer.from(value, 'utf8'));
}

/** Reads metadata written by toMetadata, and the plain headers that other clients write. */
export function fromMetadata(
  metadata: CallMetadata,
): Pick<Incoming, 'requestId' | 'clientAddress' | 'sharedAddress' | 'authorization' | 'apiKey' | 'accessCheckOnly'> {
  return {
    requestId: metadata.get('x-request-id')[0]?.toString(),
    clientAddress: metadata.get('x-client-address')[0]?.toString(),
    sharedAddress: metadata.get('x-client-address-shared').length > 0,
    authorization: getAll(metadata, 'authorization', 'authorization-bin'),
    apiKey: getAll(metadata, 'x-api-key', 'x-api-key-bin'),
    accessCheckOnly: metadata.get('x-access-check-only').length > 0,
  };
}

function getAll(metadata: CallMetadata, key: string, binaryKey: string): string[] {
  const plain = metadata.get(key) as string[];
  const binary = metadata.get(binaryKey);
  return binary.length === 0 ? plain : [...plain, ...binary].map((value) => value.toString());
}
