import multipart from '@fastify/multipart';
import { optionalField, Type } from '../../type.ts';
import type { FastifyRequest } from 'fastify';
import { FileServiceService } from '../../../proto/gen/authservice/business/v1/file_service.ts';
import { authorizeFirst } from '../../http/authorize-first.ts';
import type { Endpoint } from '../../endpoint.ts';
import { GatewayError, invalidFields } from '../../errors/gateway-error.ts';
import { streamOptions } from '../../http/call-options.ts';
import { acceptUpload, drainBody, unwrapGatewayError } from '../../http/upload.ts';
import { apiRootOf } from '../../api-path.ts';
import { privateNoCache } from '../../http/caching.ts';
import {
  CONTENT_HEADERS,
  CONTENT_MEMBERS,
  DIGEST_HEADERS,
  NAME_MEMBERS,
  stagedPath,
  uploadBody,
} from '../files/staged-file.ts';
import { clientOf, requireField } from '../../clients.ts';
import { FORM_LIMITS, imageFormOf } from './image-form.ts';

/** Maximum size of a form without its file, in bytes. */
const FORM_BYTES = 65_536;

const Form = Type.Object(
  {
    file: Type.Unsafe<unknown>({ type: 'string', format: 'binary', description: 'PNG, JPEG, WebP or GIF.' }),
    productId: Type.Optional(Type.String({ description: 'The product to which the image is attached.' })),
    tenantId: Type.Optional(Type.String({ description: "May name the caller's tenant, and no other." })),
  },
  { additionalProperties: false },
);

const UploadedImage = Type.Object(
  {
    ...NAME_MEMBERS,
    url: Type.String({ description: 'Path of the image.' }),
    ...CONTENT_MEMBERS,
    index: optionalField(Type.Integer({ description: "Position in the product's list of images, from 0." })),
  },
  {
    title: 'UploadProductImageResponse',
    description: 'The image is stored. Without a product it is a staged file.',
    headers: { ...CONTENT_HEADERS, Location: Type.String({ description: 'Path of the image.' }) },
  },
);

/** Endpoint: stores an image in one request, and attaches it to a product if the form names one. */
export function uploadProductImage(maxBytes: number): Endpoint {
  return (app, clients, route) =>
    app.register(async (scope) => {
      const service = clientOf(clients, FileServiceService);
      scope.removeAllContentTypeParsers();
      scope.addContentTypeParser('*', async () => {
        throw new GatewayError('UNSUPPORTED_MEDIA_TYPE', 'The request body must be multipart/form-data');
      });
      // One byte more than allowed, so that the core sees that the file is too large.
      await scope.register(multipart, {
        limits: { ...FORM_LIMITS, fileSize: maxBytes + 1 },
        throwFileSizeLimit: false,
      });
      scope.route({
        ...route,
        schema: {
          summary: 'Upload an image of a product',
          tags: ['Products'],
          headers: DIGEST_HEADERS,
          body: { content: { 'multipart/form-data': { schema: Form } } },
          response: { 201: UploadedImage },
        },
        // The form is validated while it is read.
        validatorCompiler: () => () => true,
        onRequest: [privateNoCache, acceptUpload],
        onResponse: drainBody,
        errorHandler: authorizeFirst((_request, options) => service.uploadProductImage(noParts(), options)),
        handler: async (request, reply) => {
          assertSupportedBody(request, maxBytes);
          const form = imageFormOf(request);
          const response = await unwrapGatewayError(service.uploadProductImage(form.parts, streamOptions(request)));
          const file = requireField(response.file, 'file');
          const root = apiRootOf(request);
          const { index } = response;
          const attached = `${root}/products/${form.productId()}/images/${index}`;
          const url = index === undefined ? stagedPath(root, file) : attached;
          reply.code(201).header('location', url);
          return { ...uploadBody(reply, file, response), url, index };
        },
      });
    });
}

async function* noParts(): AsyncGenerator<never> {}

function assertSupportedBody(request: FastifyRequest, maxBytes: number): void {
  if (!request.isMultipart()) {
    const params = { missingProperty: 'file' };
    const violation = { message: 'is required', format: 'required', props: ['file'], params };
    throw invalidFields([violation]);
  }
  if (Number(request.headers['content-length'] ?? 0) > maxBytes + FORM_BYTES) {
    throw new GatewayError('PAYLOAD_TOO_LARGE', `An image must not have more than ${maxBytes} bytes`);
  }
}
