// Endpoints that send the bytes of staged files, images of products and photos of orders.
import type { Static, TSchema } from 'typebox';
import { Type } from '../../type.ts';
import {
  FileServiceService,
  OrderPhotoKind,
  type ByteRange,
} from '../../../proto/gen/authservice/business/v1/file_service.ts';
import type { CallOptions, Client } from '../../../src/platform/rpc/types.ts';
import { clientOf } from '../../clients.ts';
import type { Endpoint } from '../../endpoint.ts';
import { indexOf } from '../special-members.ts';
import { privateNoCache } from '../../http/caching.ts';
import { DOWNLOAD_REQUEST_HEADERS, DOWNLOAD_RESPONSES, sendDownload, type CallDownload } from './download.ts';
import { FileParams } from './staged-file.ts';

interface Content<Params extends TSchema> {
  /** Tag, summary and, if two routes call the RPC, the operationId. */
  readonly described: { readonly tags: string[]; readonly summary: string; readonly operationId?: string };
  readonly params: Params;
  readonly call: (
    files: Client<typeof FileServiceService>,
    params: Static<Params>,
    range: ByteRange | undefined,
    options: CallOptions,
  ) => ReturnType<CallDownload>;
}

function contentEndpoint<Params extends TSchema>({ described, params, call }: Content<Params>): Endpoint {
  return (app, clients, route) => {
    const files = clientOf(clients, FileServiceService);
    app.route({
      ...route,
      schema: {
        ...described,
        params,
        headers: DOWNLOAD_REQUEST_HEADERS,
        response: DOWNLOAD_RESPONSES,
      },
      onRequest: privateNoCache,
      handler: (request, reply) =>
        sendDownload(request, reply, (range, options) => call(files, request.params as Static<Params>, range, options)),
    });
  };
}

/** Endpoint: sends a staged file. */
export const getFile = contentEndpoint({
  described: { summary: 'Get an unattached file', tags: ['Files'] },
  params: FileParams,
  call: (files, file, range, options) => files.downloadFile({ file, range }, options),
});

/** Accepts any text: a malformed id or index is NOT_FOUND, not a violation. */
const ImageParams = Type.Object({
  productId: Type.String({ description: 'Id of the product.' }),
  index: Type.String({ description: "Position in the product's list of images, from 0." }),
});

/** Endpoint: sends an image of a product. */
export const getProductImage = contentEndpoint({
  described: { summary: 'Get an image of a product', tags: ['Products'] },
  params: ImageParams,
  call: (files, { productId, index }, range, options) =>
    files.downloadProductImage({ productId, index: indexOf(index), range }, options),
});

const PhotoParams = Type.Object({
  orderId: Type.String({ description: 'Id of the order.' }),
  index: Type.String({ description: "Position in the order's list of photos, from 0." }),
});

/** Endpoint: sends a photo of an order. */
const getOrderPhoto = (kind: OrderPhotoKind, described: { readonly summary: string; readonly operationId?: string }) =>
  contentEndpoint({
    described: { ...described, tags: ['Orders'] },
    params: PhotoParams,
    call: (files, { orderId, index }, range, options) =>
      files.downloadOrderPhoto({ orderId, kind, index: indexOf(index), range }, options),
  });

export const getProductionPhoto = getOrderPhoto(OrderPhotoKind.ORDER_PHOTO_KIND_PRODUCTION, {
  summary: 'Get a photo of a finished order',
});
export const getDeliveryPhoto = getOrderPhoto(OrderPhotoKind.ORDER_PHOTO_KIND_DELIVERY, {
  operationId: 'downloadOrderPhotoOfDelivery',
  summary: 'Get a photo of a delivered order',
});
