import { apiPath } from '../api-path.ts';
import type { GatewaySettings } from '../context.ts';
import type { RouteEntry } from '../endpoint.ts';
import type { GatewayModule } from '../module.ts';
import { deleteFile } from './files/delete-file.ts';
import { getDeliveryPhoto, getFile, getProductImage, getProductionPhoto } from './files/get-content.ts';
import { prepareFile } from './files/prepare-file.ts';
import { uploadFile } from './files/upload-file.ts';
import { uploadProductImage } from './products/upload-product-image.ts';

/** The shop. Its routes written by hand are those of file content. */
export const SHOP: GatewayModule = {
  packages: ['authservice.business.v1'],
  isEnabled: (settings) => settings['app.business.enabled'],
  routes: fileRoutes,
};

function fileRoutes(settings: GatewaySettings): RouteEntry[] {
  const api = apiPath(settings);
  const files = 'authservice.business.v1.FileService';
  const staged = `${api}/files/staging/:date/:uuid`;
  const image = `${api}/products/:productId/images/:index`;
  const photos = (kind: string) => `${api}/orders/:orderId/${kind}-photos/:index`;
  const maxBytes = settings['app.files.max-bytes'];
  return [
    ['POST', `${api}/products/upload-image`, `${files}/UploadProductImage`, uploadProductImage(maxBytes)],
    ['GET', image, `${files}/DownloadProductImage`, getProductImage],
    ['GET', photos('production'), `${files}/DownloadOrderPhoto`, getProductionPhoto],
    ['GET', photos('delivery'), `${files}/DownloadOrderPhoto`, getDeliveryPhoto],
    ['POST', `${api}/staging/files/prepare`, `${files}/PrepareFile`, prepareFile],
    ['PUT', staged, `${files}/UploadFile`, uploadFile(maxBytes)],
    ['GET', staged, `${files}/DownloadFile`, getFile],
    ['DELETE', staged, `${files}/DeleteFile`, deleteFile],
  ];
}
