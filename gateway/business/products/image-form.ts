// The multipart form of an image upload: one file, optionally the product and the tenant, in any order.
import { createHash } from 'node:crypto';
import type { Multipart } from '@fastify/multipart';
import type { FastifyRequest } from 'fastify';
import type {
  MessageDigest,
  UploadProductImageRequest,
} from '../../../proto/gen/authservice/business/v1/file_service.ts';
import { GatewayError, invalidFields } from '../../errors/gateway-error.ts';
import { readChunks, readNext, stopReading } from '../../http/upload.ts';
import { contentDigestOf } from '../files/staged-file.ts';

/** Limits of a form, in bytes and counts. They allow more parts than are valid, so that the error can name the surplus part. */
export const FORM_LIMITS = { fieldNameSize: 100, fieldSize: 100, fields: 4, files: 2, parts: 6, headerPairs: 20 };

type Part = UploadProductImageRequest;

/** A form whose parts are streamed to the core. `productId()` is known after the last part. */
interface ImageForm {
  readonly parts: AsyncGenerator<Part>;
  productId(): string | undefined;
}

type FieldName = 'productId' | 'tenantId';

/** Reads a form as it arrives. `parts` rejects with GatewayError if the form is malformed or has invalid parts. */
export function imageFormOf(request: FastifyRequest): ImageForm {
  const fields: Partial<Record<FieldName, string>> = {};
  let fileSeen = false;

  async function* parts(): AsyncGenerator<Part> {
    const digest = digestOf(request);
    const form = request.parts();
    try {
      for (let next = await readNext(form); next.done !== true; next = await readNext(form))
        yield* messagesOf(next.value);
      if (!fileSeen) throw fieldError('is required', 'required', 'file', { missingProperty: 'file' });
      if (digest) yield { part: { $case: 'messageDigest', value: digest() } };
    } catch (error) {
      // Errors of the parser are errors of the client.
      throw error instanceof GatewayError ? error : new GatewayError('MALFORMED_REQUEST', 'Malformed form');
    } finally {
      stopReading(form);
    }
  }

  async function* messagesOf(part: Multipart): AsyncGenerator<Part> {
    const { type, fieldname: name } = part;
    if (type === 'file' && name === 'file' && !fileSeen) {
      fileSeen = true;
      yield { part: { $case: 'start', value: { fileName: fileNameOf(part.filename), ...fields } } };
      yield* readChunks(part.file, (value) => ({ part: { $case: 'chunk', value } }));
    } else if (type === 'field' && isField(name) && fields[name] === undefined) {
      // A value longer than `fieldSize` is truncated. It is not an id then, and neither was the whole value.
      const value = textOf(name, part.value);
      fields[name] = value;
      if (fileSeen) yield { part: { $case: name, value } };
    } else throw name === 'file' || isField(name) ? repeatedPart(name) : unknownPart(name);
  }
  return { parts: parts(), productId: () => fields.productId };
}

/** Hashes the body while it is read, if the request has a Content-Digest. Call the returned function after the last byte. */
function digestOf(request: FastifyRequest): (() => MessageDigest) | undefined {
  const contentDigest = contentDigestOf(request);
  if (contentDigest === undefined) return undefined;
  const sha256 = createHash('sha256');
  const sha512 = createHash('sha512');
  // Paused, so that no data is emitted before the parser listens too.
  request.raw.pause().on('data', (chunk: Buffer) => {
    sha256.update(chunk);
    sha512.update(chunk);
  });
  return () => ({ contentDigest, sha256: sha256.digest(), sha512: sha512.digest() });
}

/** Removes the path of the client's file name. A file without a name is called `image`. */
function fileNameOf(name: string | undefined): string {
  return name?.split(/[/\\]/).at(-1) || 'image';
}

function isField(name: string): name is FieldName {
  return name === 'productId' || name === 'tenantId';
}

/** The parser converts fields with a JSON content type, so the value can have any type. */
function textOf(name: FieldName, value: unknown): string {
  if (typeof value === 'string') return value;
  throw fieldError('must be string', 'type', name, { type: 'string' });
}

function repeatedPart(name: string): GatewayError {
  return fieldError('must be sent once, "file" as a file and any other field as text', 'form', name, { maximum: 1 });
}

function unknownPart(name: string): GatewayError {
  const additionalProperty = name.slice(0, FORM_LIMITS.fieldNameSize);
  return fieldError('must NOT have additional properties', 'additionalProperties', additionalProperty, {
    additionalProperty,
  });
}

function fieldError(message: string, format: string, name: string, params: Record<string, unknown>): GatewayError {
  return invalidFields([{ message, format, props: [name], params }]);
}
