import { Type } from '../../type.ts';
import { OrderPhotoKind } from '../../../proto/gen/authservice/business/v1/file_service.ts';
import { type Endpoint, SECURITY } from '../../endpoint.ts';
import { failuresOf } from '../../contract/contracts.ts';
import { privateNoCache } from '../../http/caching.ts';
import { DOWNLOAD_REQUEST_HEADERS, DOWNLOAD_RESPONSES, sendDownload } from '../files/download.ts';
import { indexOf } from '../../contract/special-members.ts';

/** Accepts any text: a malformed id or index is NOT_FOUND, not a violation. */
const PhotoParams = Type.Object({
  orderId: Type.String({ description: 'Id of the order.' }),
  index: Type.String({ description: "Position in the order's list of photos, from 0." }),
});

const KINDS = {
  production: {
    kind: OrderPhotoKind.ORDER_PHOTO_KIND_PRODUCTION,
    operationId: 'downloadOrderPhoto',
    summary: 'Get a photo of a finished order',
  },
  delivery: {
    kind: OrderPhotoKind.ORDER_PHOTO_KIND_DELIVERY,
    operationId: 'downloadOrderPhotoOfDelivery',
    summary: 'Get a photo of a delivered order',
  },
};

/** Endpoint: sends a photo of an order. */
export function getOrderPhoto(taken: keyof typeof KINDS): Endpoint {
  const { kind, ...described } = KINDS[taken];
  return (app, { file: service }, route) =>
    app.route({
      ...route,
      config: { ...route.config, failures: failuresOf(route.config.rpc!) },
      schema: {
        ...described,
        tags: ['Orders'],
        security: SECURITY,
        params: PhotoParams,
        headers: DOWNLOAD_REQUEST_HEADERS,
        response: DOWNLOAD_RESPONSES,
      },
      onRequest: privateNoCache,
      handler: (request, reply) => {
        const { orderId, index } = request.params;
        return sendDownload(request, reply, (range, options) =>
          service.downloadOrderPhoto({ orderId, kind, index: indexOf(index), range }, options),
        );
      },
    });
}
