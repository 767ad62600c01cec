// Responses that contain the bytes of a file.
import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { noBody, Type } from '../../type.ts';
import type {
  ByteRange,
  DownloadFileResponse,
  FileContent,
} from '../../../proto/gen/authservice/business/v1/file_service.ts';
import { RpcError } from '../../../src/platform/rpc/errors/rpc-error.ts';
import type { CallOptions } from '../../../src/platform/rpc/types.ts';
import { streamOptions } from '../../http/call-options.ts';
import { IMAGE_TYPES } from '../special-members.ts';
import { requireField } from '../../clients.ts';
import { sendNotModified } from '../../http/caching.ts';
import { ifNoneMatchContains } from '../../http/entity-tags.ts';
import { byteRangeOf, contentRangeOf } from './byte-range.ts';
import { CONTENT_HEADERS, contentTag } from './staged-file.ts';

/** Schema of the request headers that select which bytes of a file are sent. */
export const DOWNLOAD_REQUEST_HEADERS = Type.Object({
  range: Type.Optional(Type.String({ description: 'One range of bytes. Any other value is ignored.' })),
  'if-range': Type.Optional(Type.String({ description: 'The range applies only if the file has this ETag.' })),
  'if-none-match': Type.Optional(Type.String({ description: 'Returns 304 if the file has one of these ETags.' })),
});

const binary = (description: string, headers: object) => ({
  description,
  headers,
  content: { '*/*': { schema: Type.Unsafe<unknown>({ type: 'string', format: 'binary' }) } },
});

const BYTES_HEADERS = {
  ...CONTENT_HEADERS,
  'Accept-Ranges': Type.Literal('bytes'),
  'Content-Disposition': Type.String({ description: '`inline` for images, else `attachment`, with the file name.' }),
  'X-Content-Type-Options': Type.Literal('nosniff'),
};

/** Schemas of the successful responses of a download. */
export const DOWNLOAD_RESPONSES = {
  200: binary('The bytes.', BYTES_HEADERS),
  206: binary('The bytes of the range.', {
    ...BYTES_HEADERS,
    'Content-Range': Type.String({ description: 'Positions of the bytes, and the size of the file.' }),
  }),
  304: noBody("The client's copy is current.", CONTENT_HEADERS),
};

type Parts = AsyncIterable<DownloadFileResponse>;

/** Calls the download RPC of a route. `range` is undefined for the whole file. */
export type CallDownload = (range: ByteRange | undefined, options: CallOptions) => Parts;

/** Streams a file from the core to the client of a GET or HEAD, no faster than the client reads. */
export async function sendDownload(
  request: FastifyRequest,
  reply: FastifyReply,
  callDownload: CallDownload,
): Promise<FastifyReply> {
  const range = byteRangeOf(request);
  const parts = callDownload(range, streamOptions(request))[Symbol.asyncIterator]();
  const first = await parts.next().catch((error: unknown) => toDownloadError(error));
  if ('error' in first) return sendDownloadError(request, reply, first);
  const part = first.done === true ? undefined : first.value.part;
  const start = requireField(part?.$case === 'start' ? part.value : undefined, 'start');
  const content = requireField(start.content, 'content');
  setContentHeaders(reply, content);
  if (ifNoneMatchContains(request, contentTag(content))) {
    await parts.return?.();
    return sendNotModified(reply);
  }

  const contentRange = contentRangeOf(start, range);
  if (contentRange !== undefined) reply.code(206).header('content-range', contentRange);
  reply.header('content-type', content.contentType).header('content-length', start.length);
  if (request.method === 'HEAD') {
    await parts.return?.();
    return reply.send(Readable.from([]));
  }
  return reply.send(Readable.from(bytesOf(parts), { objectMode: false }));
}

/**
 * Browsers display only images, which the service re-encoded. No other content may be displayed or run in the service's origin.
 */
function setContentHeaders(reply: FastifyReply, content: FileContent): void {
  const isImage = IMAGE_TYPES.some((type) => type === content.contentType);
  reply
    .header('etag', contentTag(content))
    .header('accept-ranges', 'bytes')
    .header('content-disposition', contentDisposition(isImage ? 'inline' : 'attachment', content.fileName))
    .header('content-security-policy', "default-src 'none'; sandbox");
}

/** The error of a download that did not start. An unsatisfiable range comes with the size and hash of the file. */
interface DownloadError {
  readonly error: unknown;
  readonly size?: unknown;
  readonly sha256?: unknown;
}

function toDownloadError(error: unknown): DownloadError {
  const unsatisfied = error instanceof RpcError && error.status.reason === 'RANGE_NOT_SATISFIABLE';
  return { ...(unsatisfied && error.status.violations[0]?.params), error };
}

/** If-None-Match takes precedence over Range (RFC 9110 section 13.2.2). A 416 response states the size (section 15.5.17). */
function sendDownloadError(
  request: FastifyRequest,
  reply: FastifyReply,
  { error, size, sha256 }: DownloadError,
): FastifyReply {
  const tag = typeof sha256 === 'string' ? contentTag({ sha256: Buffer.from(sha256, 'hex') }) : undefined;
  if (tag !== undefined && ifNoneMatchContains(request, tag)) return sendNotModified(reply.header('etag', tag));
  if (typeof size === 'number') reply.header('content-range', `bytes */${size}`);
  throw error;
}

async function* bytesOf(parts: AsyncIterator<DownloadFileResponse>): AsyncGenerator<Buffer> {
  try {
    for (let next = await parts.next(); next.done !== true; next = await parts.next()) {
      const { part } = next.value;
      yield requireField(part?.$case === 'chunk' ? part.value : undefined, 'chunk');
    }
  } finally {
    await parts.return?.();
  }
}

const NOT_PLAIN = /[^\w .,()+@=~-]/g;
/** Characters that encodeURIComponent does not encode, but RFC 8187 section 3.2.1 requires to be encoded. */
const NOT_ENCODED = /['()*]/g;

/** Builds the header value: the kind, an ASCII file name for old clients, and `filename*` if the name needs more characters. */
function contentDisposition(kind: 'inline' | 'attachment', fileName: string): string {
  const wellFormed = fileName.toWellFormed();
  const plain = wellFormed.replace(NOT_PLAIN, '_');
  const encoded = encodeURIComponent(wellFormed).replace(
    NOT_ENCODED,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  const extended = plain === wellFormed ? '' : `; filename*=UTF-8''${encoded}`;
  return `${kind}; filename="${plain}"${extended}`;
}
