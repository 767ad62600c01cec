// Answers that are the bytes of a file.
import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import Type from 'typebox';
import type {
  ByteRange,
  DownloadFileResponse,
  FileContent,
} from '../../../proto/gen/authservice/business/v1/file_service.ts';
import { RpcError } from '../../../src/rpc/errors/rpc-error.ts';
import type { CallOptions } from '../../../src/rpc/types.ts';
import { streamOptions } from '../../http/call-options.ts';
import { IMAGE_TYPES } from '../../contract/images.ts';
import { requireField } from '../../contract/require-field.ts';
import { sendNotModified } from '../../http/send-not-modified.ts';
import { ifNoneMatchNames } from '../../http/entity-tags.ts';
import { byteRangeOf, contentRangeOf } from './byte-range.ts';
import { contentDisposition } from './content-disposition.ts';
import { CONTENT_HEADERS, contentTag } from './staged-file.ts';

/** For a route's description: the headers that choose what of a file comes. */
export const DOWNLOAD_CONDITIONS = Type.Object({
  range: Type.Optional(Type.String({ description: 'One range of bytes; anything else is ignored.' })),
  'if-range': Type.Optional(Type.String({ description: 'The range counts only for the bytes of this tag.' })),
  'if-none-match': Type.Optional(Type.String({ description: 'Nothing comes where the client has these bytes.' })),
});

const binary = (description: string, headers: object) => ({
  description,
  headers,
  content: { '*/*': { schema: Type.Unsafe<unknown>({ type: 'string', format: 'binary' }) } },
});

const BYTES_HEADERS = {
  ...CONTENT_HEADERS,
  'Accept-Ranges': Type.Literal('bytes'),
  'Content-Disposition': Type.String({ description: 'inline for images, else attachment; with the name of the file.' }),
  'X-Content-Type-Options': Type.Literal('nosniff'),
};

/** For a route's description: what it answers with. */
export const DOWNLOAD_RESPONSES = {
  200: binary('The bytes.', BYTES_HEADERS),
  206: binary('The bytes of the range.', {
    ...BYTES_HEADERS,
    'Content-Range': Type.String({ description: 'Which bytes of how many.' }),
  }),
  304: Type.Unsafe<undefined>({ type: 'null', description: 'The client has these bytes.', headers: CONTENT_HEADERS }),
};

type Parts = AsyncIterable<DownloadFileResponse>;

/** Calls the route's RPC for a range of its file. */
export type Open = (range: ByteRange | undefined, options: CallOptions) => Parts;

/** Answers a GET or a HEAD with what the core sends of a file, no faster than the client reads. */
export async function sendDownload(request: FastifyRequest, reply: FastifyReply, open: Open): Promise<FastifyReply> {
  const range = byteRangeOf(request);
  const parts = open(range, streamOptions(request))[Symbol.asyncIterator]();
  const first = await parts.next().catch((error: unknown) => refusalOf(error));
  if ('error' in first) return sendRefusal(request, reply, first);
  const part = first.done === true ? undefined : first.value.part;
  const start = requireField(part?.$case === 'start' ? part.value : undefined, 'start');
  const content = requireField(start.content, 'content');
  writeContent(reply, content);
  if (ifNoneMatchNames(request, contentTag(content))) {
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

/** Only images that were written anew are shown; nothing else may run or be shown in the service's origin. */
function writeContent(reply: FastifyReply, content: FileContent): void {
  const isImage = IMAGE_TYPES.some((type) => type === content.contentType);
  reply
    .header('etag', contentTag(content))
    .header('accept-ranges', 'bytes')
    .header('content-disposition', contentDisposition(isImage ? 'inline' : 'attachment', content.fileName))
    .header('content-security-policy', "default-src 'none'; sandbox");
}

/** Why a download does not begin; where its range cannot be had, what there is. */
interface Refusal {
  readonly error: unknown;
  readonly size?: unknown;
  readonly sha256?: unknown;
}

function refusalOf(error: unknown): Refusal {
  const unsatisfied = error instanceof RpcError && error.status.reason === 'RANGE_NOT_SATISFIABLE';
  return { ...(unsatisfied && error.status.violations[0]?.params), error };
}

/** Which bytes there are counts before a range of them (RFC 9110 section 13.2.2), and how many it is told (section 15.5.17). */
function sendRefusal(request: FastifyRequest, reply: FastifyReply, { error, size, sha256 }: Refusal): FastifyReply {
  const tag = typeof sha256 === 'string' ? contentTag({ sha256: Buffer.from(sha256, 'hex') }) : undefined;
  if (tag !== undefined && ifNoneMatchNames(request, tag)) return sendNotModified(reply.header('etag', tag));
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
