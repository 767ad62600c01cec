// The form that brings an image: one file, the product that it is for and the tenant, in any order.
import { createHash } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import type {
  MessageDigest,
  UploadProductImageRequest,
} from '../../../proto/gen/authservice/business/v1/file_service.ts';
import { GatewayError, invalidFields } from '../../errors/gateway-error.ts';
import { gather, withReadTimeout } from '../../http/upload.ts';
import { contentDigestOf } from '../files/staged-file.ts';

/** Bounds of a form in bytes and counts: more parts are read than there may be, so that what is too much can be named. */
export const FORM_LIMITS = { fieldNameSize: 100, fieldSize: 100, fields: 4, files: 2, parts: 6, headerPairs: 20 };

type Part = UploadProductImageRequest;

/** What the form turned out to hold, once its parts have been passed on. */
export interface ImageForm {
  readonly parts: AsyncGenerator<Part>;
  productId(): string | undefined;
}

type FieldName = 'productId' | 'tenantId';

/** Reads a form as it arrives. Its parts reject with GatewayError where it is not made as it should be. */
export function imageFormOf(request: FastifyRequest): ImageForm {
  const fields: Partial<Record<FieldName, string>> = {};
  let sawFile = false;

  async function* parts(): AsyncGenerator<Part> {
    const digest = digestOf(request);
    for await (const part of withReadTimeout(request.parts())) {
      const { type, fieldname: name } = part;
      if (type === 'file' && name === 'file' && !sawFile) {
        sawFile = true;
        yield { part: { $case: 'start', value: { fileName: fileNameOf(part.filename), ...fields } } };
        for await (const value of gather(withReadTimeout<Buffer>(part.file))) yield { part: { $case: 'chunk', value } };
      } else if (type === 'field' && isField(name) && fields[name] === undefined) {
        // One that is cut short names nothing, as the whole would.
        const value = textOf(name, part.value);
        fields[name] = value;
        if (sawFile) yield { part: { $case: name, value } };
      } else throw name === 'file' || isField(name) ? repeated(name) : unknown(name);
    }
    if (!sawFile) throw violated('is required', 'required', 'file', { missingProperty: 'file' });
    if (digest) yield { part: { $case: 'messageDigest', value: digest() } };
  }
  return { parts: wellFormed(parts()), productId: () => fields.productId };
}

/** Hashes a body as it is read, where a digest came for it. Call the result after the last byte. */
function digestOf(request: FastifyRequest): (() => MessageDigest) | undefined {
  const contentDigest = contentDigestOf(request);
  if (contentDigest === undefined) return undefined;
  const sha256 = createHash('sha256');
  const sha512 = createHash('sha512');
  // Paused, so that nothing flows before the parser listens too.
  request.raw.pause().on('data', (chunk: Buffer) => {
    sha256.update(chunk);
    sha512.update(chunk);
  });
  return () => ({ contentDigest, sha256: sha256.digest(), sha512: sha512.digest() });
}

/** What the parser objects to is the client's fault, whatever it is called. */
async function* wellFormed(parts: AsyncGenerator<Part>): AsyncGenerator<Part> {
  try {
    yield* parts;
  } catch (error) {
    throw error instanceof GatewayError ? error : new GatewayError('MALFORMED_REQUEST', 'Malformed form');
  }
}

/** Paths are the client's own business; a file without a name gets one. */
function fileNameOf(name: string | undefined): string {
  return name?.split(/[/\\]/).at(-1) || 'image';
}

function isField(name: string): name is FieldName {
  return name === 'productId' || name === 'tenantId';
}

/** A field that says it is JSON may be anything. */
function textOf(name: FieldName, value: unknown): string {
  if (typeof value === 'string') return value;
  throw violated('must be string', 'type', name, { type: 'string' });
}

function repeated(name: string): GatewayError {
  return violated('must come once, as it should', 'form', name, { maximum: 1 });
}

function unknown(name: string): GatewayError {
  const additionalProperty = name.slice(0, FORM_LIMITS.fieldNameSize);
  return violated('must NOT have additional properties', 'additionalProperties', additionalProperty, {
    additionalProperty,
  });
}

function violated(message: string, format: string, name: string, params: Record<string, unknown>): GatewayError {
  return invalidFields([{ message, format, props: [name], params }]);
}
