import { FileServiceService, OrderPhotoKind } from '../../../proto/gen/authservice/business/v1/file_service.ts';
import { elsewhere, hidden, probes, reference, type RestCases, rpcCases } from '../probe-case.ts';
import { PNG } from '../png.ts';

const PREPARED = { fileName: 'isolation.png', contentType: 'image/png', size: PNG.length };

export const FILE_ROUTES: RestCases = {
  'POST /staging/files/prepare': probes(elsewhere(({ tenant }) => ({ body: { ...PREPARED, tenantId: tenant } }))),
  'PUT /files/staging/{date}/{uuid}': probes(
    hidden(({ file }) => ({ path: { ...file }, headers: { 'content-type': 'image/png' }, content: PNG })),
  ),
  'GET /files/staging/{date}/{uuid}': probes(hidden(({ file }) => ({ path: { ...file } }))),
  'DELETE /files/staging/{date}/{uuid}': probes(hidden(({ file }) => ({ path: { ...file } }))),
  'POST /products/upload-image': probes(
    reference(({ product }) => ({ form: { productId: product, file: PNG } })),
    elsewhere(({ tenant }) => ({ form: { tenantId: tenant, file: PNG } })),
  ),
  'GET /products/{productId}/images/{index}': probes(
    hidden(({ product }) => ({ path: { productId: product, index: '0' } })),
  ),
  'GET /orders/{orderId}/production-photos/{index}': probes(
    hidden(({ photographedOrder }) => ({ path: { orderId: photographedOrder, index: '0' } })),
  ),
  'GET /orders/{orderId}/delivery-photos/{index}': probes(
    hidden(({ photographedOrder }) => ({ path: { orderId: photographedOrder, index: '0' } })),
  ),
};

const CONTENT = { part: { $case: 'chunk' as const, value: PNG } };
const { ORDER_PHOTO_KIND_DELIVERY: DELIVERY, ORDER_PHOTO_KIND_PRODUCTION: PRODUCTION } = OrderPhotoKind;

export const FILE_RPCS = rpcCases(FileServiceService, {
  prepareFile: probes(elsewhere(({ tenant }) => ({ ...PREPARED, tenantId: tenant }))),
  uploadFile: probes(hidden(({ file }) => [{ part: { $case: 'file', value: file } }, CONTENT])),
  downloadFile: probes(hidden(({ file }) => ({ file }))),
  deleteFile: probes(hidden(({ file }) => ({ file }))),
  uploadProductImage: probes(
    reference(({ product }) => [
      { part: { $case: 'start', value: { fileName: 'isolation.png', productId: product } } },
      CONTENT,
    ]),
    reference(({ product }) => [
      { part: { $case: 'start', value: { fileName: 'isolation.png' } } },
      CONTENT,
      { part: { $case: 'productId', value: product } },
    ]),
    elsewhere(({ tenant }) => [
      { part: { $case: 'start', value: { fileName: 'isolation.png', tenantId: tenant } } },
      CONTENT,
    ]),
    elsewhere(({ tenant }) => [
      { part: { $case: 'start', value: { fileName: 'isolation.png' } } },
      CONTENT,
      { part: { $case: 'tenantId', value: tenant } },
    ]),
  ),
  downloadProductImage: probes(hidden(({ product }) => ({ productId: product, index: 0 }))),
  downloadOrderPhoto: probes(
    hidden(({ photographedOrder }) => ({ orderId: photographedOrder, kind: PRODUCTION, index: 0 })),
    hidden(({ photographedOrder }) => ({ orderId: photographedOrder, kind: DELIVERY, index: 0 })),
  ),
});
