// Endpoints of business records that cannot be derived: files, images, photos.
import { Type } from '../../type.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { FileServiceService, type UploadFileRequest } from '../../../proto/gen/authservice/business/v1/file_service.ts';
import { clientOf } from '../../clients.ts';
import { authorizeFirst } from '../../http/authorize-first.ts';
import type { Endpoint } from '../../endpoint.ts';
import { GatewayError } from '../../errors/gateway-error.ts';
import { streamOptions } from '../../http/call-options.ts';
import { acceptUpload, drainBody, readBody, unwrapGatewayError } from '../../http/upload.ts';
import { privateNoCache } from '../../http/caching.ts';
import {
  CONTENT_HEADERS,
  CONTENT_MEMBERS,
  DIGEST_HEADERS,
  FileParams,
  NAME_MEMBERS,
  contentDigestOf,
  uploadBody,
} from './staged-file.ts';

const Bytes = Type.Unsafe<unknown>({ type: 'string', format: 'binary', description: 'The bytes, and nothing else.' });

const UploadedFile = Type.Object(
  { ...NAME_MEMBERS, ...CONTENT_MEMBERS },
  { title: 'UploadFileResponse', description: 'The bytes are stored.', headers: CONTENT_HEADERS },
);

/** Endpoint: stores the bytes of a prepared file, of any media type. Bytes are streamed to the core as they arrive. */
export function uploadFile(maxBytes: number): Endpoint {
  return (app, clients, route) =>
    app.register(async (scope) => {
      const service = clientOf(clients, FileServiceService);
      scope.removeAllContentTypeParsers();
      scope.addContentTypeParser('*', (_request, payload, done) => done(null, payload));
      scope.route({
        ...route,
        schema: {
          summary: 'Upload the bytes of a file',
          tags: ['Files'],
          params: FileParams,
          headers: DIGEST_HEADERS,
          body: { content: { '*/*': { schema: Bytes } } },
          response: { 200: UploadedFile },
        },
        onRequest: [privateNoCache, acceptUpload, ignoreType],
        onResponse: drainBody,
        errorHandler: authorizeFirst(({ params }, options) =>
          service.uploadFile(nameOf(params as FileParams), options),
        ),
        handler: async (request, reply) => {
          const { date, uuid } = request.params as FileParams;
          assertSupportedBody(request, maxBytes);
          const parts = partsOf({ date, uuid }, contentDigestOf(request), request);
          const response = await unwrapGatewayError(service.uploadFile(parts, streamOptions(request)));
          return uploadBody(reply, { date, uuid }, response);
        },
      });
    });
}

/** A hook: ignores Content-Type, because the media type was declared when the file was prepared. */
function ignoreType({ raw }: FastifyRequest, _reply: FastifyReply, done: () => void): void {
  delete raw.headers['content-type'];
  done();
}

/** Throws GatewayError if the headers show that the body cannot be the bytes of a file. Reads no byte of the body. */
function assertSupportedBody({ headers }: FastifyRequest, maxBytes: number): void {
  if (Number(headers['content-length'] ?? 0) > maxBytes) {
    throw new GatewayError('PAYLOAD_TOO_LARGE', `A file may have ${maxBytes} bytes at most`);
  }
  const { 'content-encoding': content = 'identity', 'transfer-encoding': transfer = 'chunked' } = headers;
  if (content.toLowerCase() !== 'identity' || transfer.toLowerCase() !== 'chunked') {
    throw new GatewayError('UNSUPPORTED_MEDIA_TYPE', 'The request body must have no content encoding');
  }
  // RFC 9110 section 14.5: a part could be mistaken for the whole file.
  if (headers['content-range'] !== undefined) {
    throw new GatewayError('MALFORMED_REQUEST', 'Content-Range is not supported: upload the whole file');
  }
}

async function* nameOf({ date, uuid }: FileParams, contentDigest?: string): AsyncGenerator<UploadFileRequest> {
  yield { part: { $case: 'file', value: { date, uuid } }, contentDigest };
}

async function* partsOf(
  file: FileParams,
  contentDigest: string | undefined,
  request: FastifyRequest,
): AsyncGenerator<UploadFileRequest> {
  yield* nameOf(file, contentDigest);
  yield* readBody(request, (value) => ({ part: { $case: 'chunk', value } }));
}
