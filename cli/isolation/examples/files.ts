import { FileServiceService, OrderPhotoKind } from '../../../proto/gen/authservice/business/v1/file_service.ts';
import { examplesOf } from '../example.ts';
import { PNG } from '../png.ts';
import { elsewhere, hidden, reference } from '../probe-case.ts';

const { ORDER_PHOTO_KIND_DELIVERY: DELIVERY, ORDER_PHOTO_KIND_PRODUCTION: PRODUCTION } = OrderPhotoKind;
const CONTENT = { part: { $case: 'chunk' as const, value: PNG } };
const started = (fields: object = {}) => ({
  part: { $case: 'start' as const, value: { fileName: 'isolation.png', ...fields } },
});

export const FILES = examplesOf(FileServiceService, {
  prepareFile: () => ({ fileName: 'isolation.png', contentType: 'image/png', size: PNG.length }),
  uploadFile: ({ file }) => [{ part: { $case: 'file' as const, value: file } }, CONTENT],
  downloadFile: ({ file }) => ({ file }),
  deleteFile: ({ file }) => ({ file }),
  // The ids are in the first or in the last message.
  uploadProductImage: {
    request: ({ product }) => [started({ productId: product }), CONTENT],
    probes: [
      reference(({ product }) => [started({ productId: product }), CONTENT]),
      reference(({ product }) => [started(), CONTENT, { part: { $case: 'productId' as const, value: product } }]),
      elsewhere(({ tenant }) => [started({ tenantId: tenant }), CONTENT]),
      elsewhere(({ tenant }) => [started(), CONTENT, { part: { $case: 'tenantId' as const, value: tenant } }]),
    ],
  },
  downloadProductImage: ({ product }) => ({ productId: product, index: 0 }),
  downloadOrderPhoto: {
    request: ({ photographedOrder }) => ({ orderId: photographedOrder, kind: PRODUCTION, index: 0 }),
    more: [hidden(({ photographedOrder }) => ({ orderId: photographedOrder, kind: DELIVERY, index: 0 }))],
  },
});
