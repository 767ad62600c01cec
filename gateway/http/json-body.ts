import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { GatewayError } from '../errors/gateway-error.ts';
import { parseJson } from './json-parser.ts';

const CHARSET = /;\s*charset\s*=\s*"?([^";\s]*)/i;

/** Whether the body is said to be UTF-8, or nothing else, and neither compressed nor otherwise encoded. */
export function isPlainUtf8({ headers }: Pick<FastifyRequest, 'headers'>): boolean {
  const charset = CHARSET.exec(headers['content-type'] ?? '')?.[1] ?? 'utf-8';
  const encoding = headers['content-encoding'] ?? 'identity';
  return charset.toLowerCase() === 'utf-8' && encoding.toLowerCase() === 'identity';
}

function requirePlainUtf8(request: FastifyRequest): void {
  if (isPlainUtf8(request)) return;
  throw new GatewayError(
    'UNSUPPORTED_MEDIA_TYPE',
    'The request body must be application/json in UTF-8, not encoded otherwise',
  );
}

/** Makes application/json the only media type of request bodies; an empty one counts as none. */
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

/** A hook for routes that need no body: without one, whatever media type the request names does not matter. */
export function ignoreTypeOfEmptyBody(request: FastifyRequest, _reply: FastifyReply, done: () => void): void {
  const { headers } = request.raw;
  if (headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) === 0)
    delete headers['content-type'];
  done();
}
