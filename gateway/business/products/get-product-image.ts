import { Type } from '../../type.ts';
import { type Endpoint, SECURITY } from '../../endpoint.ts';
import { failuresOf } from '../../contract/contracts.ts';
import { privateNoCache } from '../../http/caching.ts';
import { DOWNLOAD_REQUEST_HEADERS, DOWNLOAD_RESPONSES, sendDownload } from '../files/download.ts';
import { indexOf } from '../../contract/special-members.ts';

/** Accepts any text: a malformed id or index is NOT_FOUND, not a violation. */
const ImageParams = Type.Object({
  productId: Type.String({ description: 'Id of the product.' }),
  index: Type.String({ description: "Position in the product's list of images, from 0." }),
});

/** Endpoint: sends an image of a product. */
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
        headers: DOWNLOAD_REQUEST_HEADERS,
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
