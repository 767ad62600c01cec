// The form that brings an image: one file, and the product that it is for, in either order.
import type { FastifyRequest } from 'fastify';
import type { UploadProductImageRequest } from '../../../proto/gen/business/v1/file_service.ts';
import { GatewayError } from '../../errors/gateway-error.ts';
import { inTime } from '../../http/upload.ts';

/** Bounds of a form in bytes and counts: more parts are read than there may be, so that what is too much can be named. */
export const FORM_LIMITS = { fieldNameSize: 100, fieldSize: 100, fields: 3, files: 2, parts: 5, headerPairs: 20 };

type Part = UploadProductImageRequest;

/** What the form turned out to hold, once its parts have been passed on. */
export interface ImageForm {
  readonly parts: AsyncGenerator<Part>;
  productId(): string | undefined;
}

/** Reads a form as it arrives. Its parts reject with GatewayError where it is not made as it should be. */
export function imageFormOf(request: FastifyRequest): ImageForm {
  let productId: string | undefined;
  let sawFile = false;

  async function* parts(): AsyncGenerator<Part> {
    for await (const part of inTime(request.parts())) {
      const { type, fieldname: name } = part;
      if (type === 'file' && name === 'file' && !sawFile) {
        sawFile = true;
        yield { part: { $case: 'start', value: { fileName: fileNameOf(part.filename), productId } } };
        for await (const value of inTime<Buffer>(part.file)) yield { part: { $case: 'chunk', value } };
      } else if (type === 'field' && name === 'productId' && productId === undefined) {
        if (typeof part.value !== 'string' || part.valueTruncated) throw violated('names no record', 'reference', name);
        productId = part.value;
        if (sawFile) yield { part: { $case: 'productId', value: productId } };
      } else throw isKnown(name) ? violated('must come once, as it should', 'form', name) : unknown(name);
    }
    if (!sawFile) throw violated('is required', 'required', 'file');
  }
  return { parts: wellFormed(parts()), productId: () => productId };
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

function isKnown(name: string): boolean {
  return name === 'file' || name === 'productId';
}

function unknown(name: string): GatewayError {
  return violated('must NOT have additional properties', 'additionalProperties', name);
}

function violated(message: string, format: string, name: string): GatewayError {
  return new GatewayError('VALIDATION_ERROR', 'Request validation failed', [
    { message, format, props: [name.slice(0, FORM_LIMITS.fieldNameSize)] },
  ]);
}
