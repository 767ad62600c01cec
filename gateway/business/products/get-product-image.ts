import Type from 'typebox';
import type { Endpoint } from '../../endpoint.ts';
import { SECURITY } from '../../security.ts';
import { failuresOf } from '../../contract/operation.ts';
import { privateNoCache } from '../../http/private-no-cache.ts';
import { DOWNLOAD_CONDITIONS, DOWNLOAD_RESPONSES, sendDownload } from '../files/download.ts';
import { indexOf } from '../../contract/images.ts';

/** Any texts: what cannot be an id or an index names no image. */
const ImageParams = Type.Object({
  productId: Type.String({ description: 'Id of the product.' }),
  index: Type.String({ description: 'Place in its list of images, from 0.' }),
});

/** Sends an image of a product. */
export function getProductImage(): Endpoint {
  return (app, { file: service }, route) =>
    app.route({
      ...route,
      config: { ...route.config, failures: failuresOf(route.config.rpc!) },
      schema: {
        summary: 'Get an image of a product',
        tags: ['Products'],
        security: SECURITY,
        params: ImageParams,
        headers: DOWNLOAD_CONDITIONS,
        response: DOWNLOAD_RESPONSES,
      },
      onRequest: privateNoCache,
      handler: (request, reply) => {
        const { productId, index } = request.params;
        return sendDownload(request, reply, (range, options) =>
          service.downloadProductImage({ productId, index: indexOf(index), range }, options),
        );
      },
    });
}
