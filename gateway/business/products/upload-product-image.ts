import multipart from '@fastify/multipart';
import Type from 'typebox';
import type { FastifyRequest } from 'fastify';
import { authorizeFirst } from '../../http/authorize-first.ts';
import type { Endpoint } from '../../endpoint.ts';
import { GatewayError, invalidFields } from '../../errors/gateway-error.ts';
import { streamOptions } from '../../http/call-options.ts';
import { acceptUpload, drainBody, unwrapGatewayError } from '../../http/upload.ts';
import { SECURITY } from '../../security.ts';
import { apiRootOf } from '../../http/api-root.ts';
import { privateNoCache } from '../../http/private-no-cache.ts';
import { failuresOf } from '../../contract/operation.ts';
import { leftOut } from '../fields.ts';
import {
  CONTENT_HEADERS,
  CONTENT_MEMBERS,
  contentMembers,
  contentTag,
  DIGEST_HEADERS,
  NAME_MEMBERS,
  stagedPath,
} from '../files/staged-file.ts';
import { requireField } from '../../contract/require-field.ts';
import { FORM_LIMITS, imageFormOf } from './image-form.ts';

/** What a form has beside its file, in bytes at most. */
const FORM_BYTES = 65_536;

const Form = Type.Object(
  {
    file: Type.Unsafe<unknown>({ type: 'string', format: 'binary', description: 'PNG, JPEG, WebP or GIF.' }),
    productId: Type.Optional(Type.String({ description: 'The product that it becomes an image of at once.' })),
    tenantId: Type.Optional(Type.String({ description: "May name the caller's tenant, and no other." })),
  },
  { additionalProperties: false },
);

const UploadedImage = Type.Object(
  {
    ...NAME_MEMBERS,
    url: Type.String({ description: 'Path of the image.' }),
    ...CONTENT_MEMBERS,
    index: leftOut(Type.Integer({ description: "Place among the product's images." })),
  },
  {
    title: 'UploadProductImageResponse',
    description: 'The image is stored. Without a product it is a staged file.',
    headers: { ...CONTENT_HEADERS, Location: Type.String({ description: 'Path of the image.' }) },
  },
);

/** Stores an image in one go, and gives it to a product where one is named. */
export function uploadProductImage(maxBytes: number): Endpoint {
  return (app, { file: service }, route) =>
    app.register(async (scope) => {
      scope.removeAllContentTypeParsers();
      scope.addContentTypeParser('*', async () => {
        throw new GatewayError('UNSUPPORTED_MEDIA_TYPE', 'The request body must be multipart/form-data');
      });
      // One byte more than there may be, so that the core sees that it is too many.
      await scope.register(multipart, {
        limits: { ...FORM_LIMITS, fileSize: maxBytes + 1 },
        throwFileSizeLimit: false,
      });
      scope.route({
        ...route,
        config: { ...route.config, failures: failuresOf(route.config.rpc!) },
        schema: {
          summary: 'Upload an image of a product',
          tags: ['Products'],
          security: SECURITY,
          headers: DIGEST_HEADERS,
          body: { content: { 'multipart/form-data': { schema: Form } } },
          response: { 201: UploadedImage },
        },
        // The form is judged as it is read.
        validatorCompiler: () => () => true,
        onRequest: [privateNoCache, acceptUpload],
        onResponse: drainBody,
        errorHandler: authorizeFirst((_request, options) => service.uploadProductImage(nothing(), options)),
        handler: async (request, reply) => {
          refuseUnreadable(request, maxBytes);
          const form = imageFormOf(request);
          const answer = await unwrapGatewayError(service.uploadProductImage(form.parts, streamOptions(request)));
          const content = requireField(answer.content, 'content');
          const file = requireField(answer.file, 'file');
          const root = apiRootOf(request);
          const { index } = answer;
          const attached = `${root}/products/${form.productId()}/images/${index}`;
          const url = index === undefined ? stagedPath(root, file) : attached;
          reply.code(201).header('location', url).header('etag', contentTag(content));
          const { date, uuid } = file;
          return { date, uuid, tenantId: answer.tenantId, url, ...contentMembers(content, answer), index };
        },
      });
    });
}

async function* nothing(): AsyncGenerator<never> {}

function refuseUnreadable(request: FastifyRequest, maxBytes: number): void {
  if (!request.isMultipart()) {
    const params = { missingProperty: 'file' };
    const violation = { message: 'is required', format: 'required', props: ['file'], params };
    throw invalidFields([violation]);
  }
  if (Number(request.headers['content-length'] ?? 0) > maxBytes + FORM_BYTES) {
    throw new GatewayError('PAYLOAD_TOO_LARGE', `An image may have ${maxBytes} bytes at most`);
  }
}
