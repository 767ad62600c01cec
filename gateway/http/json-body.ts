import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { GatewayError } from '../errors/gateway-error.ts';
import { parseJson } from './json-parser.ts';

const CHARSET = /;\s*charset\s*=\s*"?([^";\s]*)/i;

/** Whether the headers declare UTF-8 or no charset, and no content encoding. */
export function isPlainUtf8({ headers }: Pick<FastifyRequest, 'headers'>): boolean {
  const charset = CHARSET.exec(headers['content-type'] ?? '')?.[1] ?? 'utf-8';
  const encoding = headers['content-encoding'] ?? 'identity';
  return charset.toLowerCase() === 'utf-8' && encoding.toLowerCase() === 'identity';
}

function requirePlainUtf8(request: FastifyRequest): void {
  if (isPlainUtf8(request)) return;
  throw new GatewayError(
    'UNSUPPORTED_MEDIA_TYPE',
    'The request body must be application/json in UTF-8, without content encoding',
  );
}

/** Makes application/json the only media type of request bodies. An empty body counts as a missing body. */
export function acceptJsonBodies(
  app: Pick<FastifyInstance, 'addContentTypeParser' | 'removeAllContentTypeParsers'>,
): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser<Buffer>(
    'application/json',
    { parseAs: 'buffer' },
    async (request: FastifyRequest, body: Buffer) => {
      if (body.length === 0) return undefined;
      requirePlainUtf8(request);
      return parseJson(body);
    },
  );
}

/** A hook for routes that need no body: if there is none, it removes Content-Type, so that any media type is accepted. */
export function ignoreTypeOfEmptyBody(request: FastifyRequest, _reply: FastifyReply, done: () => void): void {
  const { headers } = request.raw;
  if (headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) === 0)
    delete headers['content-type'];
  done();
}
