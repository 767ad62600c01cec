import { CustomerServiceService } from '../../proto/gen/authservice/business/v1/customer_service.ts';
import { DashboardServiceService } from '../../proto/gen/authservice/business/v1/dashboard_service.ts';
import { FileServiceService } from '../../proto/gen/authservice/business/v1/file_service.ts';
import { OrderServiceService } from '../../proto/gen/authservice/business/v1/order_service.ts';
import { ProductServiceService } from '../../proto/gen/authservice/business/v1/product_service.ts';
import { ReferenceDataServiceService } from '../../proto/gen/authservice/business/v1/reference_data_service.ts';
import { apiPath } from '../api-path.ts';
import type { RpcNameOf } from '../clients.ts';
import type { GatewaySettings } from '../context.ts';
import type { RouteEntry } from '../endpoint.ts';
import type { GatewayModule } from '../module.ts';
import { deleteFile } from './files/delete-file.ts';
import { getDeliveryPhoto, getFile, getProductImage, getProductionPhoto } from './files/get-content.ts';
import { prepareFile } from './files/prepare-file.ts';
import { uploadFile } from './files/upload-file.ts';
import { uploadProductImage } from './products/upload-product-image.ts';
import { SPECIAL_MEMBERS } from './special-members.ts';

/** The shop. Its routes written by hand are those of file content. */
export const SHOP: GatewayModule = {
  packages: ['authservice.business.v1'],
  services: [
    ProductServiceService,
    OrderServiceService,
    CustomerServiceService,
    DashboardServiceService,
    ReferenceDataServiceService,
    FileServiceService,
  ],
  permissions: [
    'READ_ORDERS',
    'WRITE_ORDERS',
    'CHANGE_ORDER_STATUS',
    'PRODUCE_ORDERS',
    'DELIVER_ORDERS',
    'READ_PRODUCTS',
    'WRITE_PRODUCTS',
    'READ_CUSTOMERS',
    'WRITE_CUSTOMERS',
    'READ_DASHBOARD',
    'READ_REFERENCE_DATA',
    'USE_FILES',
  ],
  specialMembers: SPECIAL_MEMBERS,
  description: ', and the business endpoints behind them',
  tags: [
    { name: 'Products', description: 'Products of the tenant, with their stock and images.' },
    { name: 'Orders', description: 'Orders of the tenant, with their items, statuses and photos.' },
    { name: 'Customers', description: 'Customers of the tenant, with notes and statistics.' },
    { name: 'Dashboard', description: 'Statistics of the tenant, and records that need attention.' },
    { name: 'Reference data', description: 'Codes that records refer to, with labels.' },
    { name: 'Files', description: 'Uploads before they are attached to a product or an order.' },
  ],
  resources: ['products', 'orders', 'customers', 'dashboard', 'reference-data', 'staging', 'files'],
  isEnabled: (settings) => settings['app.business.enabled'],
  routes: fileRoutes,
};

function fileRoutes(settings: GatewaySettings): RouteEntry<RpcNameOf<typeof FileServiceService>>[] {
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
