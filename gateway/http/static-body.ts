// Response bodies that never change: pages, scripts, documents. Each exists once per encoding and is compressed before its first
// response. So no response copies or compresses it, and clients that read slowly share it.
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { negotiate } from '@fastify/accept-negotiator';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ifNoneMatchContains } from './entity-tags.ts';
import { sendNotModified } from './caching.ts';

/** The headers of a body besides its type, its encoding and its ETag. */
export interface StaticHeaders {
  readonly 'cache-control': string;
  readonly [name: string]: string;
}

interface Representation {
  readonly bytes: Buffer;
  /** A strong entity tag: each encoding has its own. */
  readonly etag: string;
}

export interface StaticBody {
  readonly type: string;
  readonly headers: StaticHeaders;
  /** By content coding (RFC 9110 section 8.4.1), the smallest first. `identity` always exists. */
  readonly representations: ReadonlyMap<string, Representation>;
}

/** Smaller bodies fit into one packet. */
const MIN_COMPRESSED_BYTES = 1_024;

/** For 1.7 MB: 0.2 s in another thread, and 390 kB. The best quality takes 5 s and saves 30 kB. */
const BROTLI_QUALITY = 9;

const COMPRESSIONS: Readonly<Record<string, (bytes: Buffer) => Promise<Buffer>>> = {
  br: (bytes) => promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } }),
  gzip: (bytes) => promisify(gzip)(bytes, { level: constants.Z_BEST_COMPRESSION }),
};

/** Creates a body in all encodings that make it smaller. */
export async function createStaticBody(
  content: string | Buffer,
  type: string,
  headers: StaticHeaders,
): Promise<StaticBody> {
  const bytes = Buffer.from(content);
  const compressions = bytes.length < MIN_COMPRESSED_BYTES ? [] : Object.entries(COMPRESSIONS);
  const compressed = await Promise.all(
    compressions.map(async ([coding, compress]) => [coding, await compress(bytes)] as const),
  );
  return precompressedBody({ ...Object.fromEntries(compressed), identity: bytes }, type, headers);
}

/** Creates a body from its bytes in each encoding, the smallest first. Encodings that are not smaller are left out. */
export function precompressedBody(
  codings: { readonly identity: Buffer; readonly [coding: string]: Buffer },
  type: string,
  headers: StaticHeaders,
): StaticBody {
  const used = Object.entries(codings).filter(
    ([coding, { length }]) => coding === 'identity' || length < codings.identity.length,
  );
  return { type, headers, representations: new Map(used.map(([coding, bytes]) => [coding, withTag(bytes)])) };
}

/** Sends the body in the encoding that the client prefers, or 304 if the client has it. */
export function sendStaticBody(
  request: FastifyRequest,
  reply: FastifyReply,
  { type, headers, representations }: StaticBody,
): FastifyReply {
  const codings = [...representations.keys()];
  const coding = negotiate(request.headers['accept-encoding'] ?? '', codings) ?? 'identity';
  const { bytes, etag } = representations.get(coding)!;
  reply.headers({ ...headers, etag });
  if (codings.length > 1) addVary(reply, 'Accept-Encoding');
  if (ifNoneMatchContains(request, etag)) return sendNotModified(reply);
  if (coding !== 'identity') reply.header('content-encoding', coding);
  return reply.type(type).send(bytes);
}

/** Returns a function that creates a value at its first call. A failure is not kept. */
export function createOnce<T>(create: () => Promise<T>): () => Promise<T> {
  let created: Promise<T> | undefined;
  return () =>
    (created ??= create().catch((error: unknown) => {
      created = undefined;
      throw error;
    }));
}

/** Returns a function that creates a body for a key and keeps the latest one, for content that rarely changes. */
export function keepLatestBody(create: (key: string) => Promise<StaticBody>): (key: string) => Promise<StaticBody> {
  let latest: { readonly key: string; readonly body: () => Promise<StaticBody> } | undefined;
  return (key) => {
    if (latest?.key !== key) latest = { key, body: createOnce(() => create(key)) };
    return latest.body();
  };
}

/** Adds to Vary. It may contain Origin already. */
function addVary(reply: FastifyReply, name: string): void {
  const vary = reply.getHeader('vary');
  reply.header('vary', vary === undefined ? name : `${String(vary)}, ${name}`);
}

function withTag(bytes: Buffer): Representation {
  return { bytes, etag: `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"` };
}
