// Files of the shop: images of products, and photos of orders.
// Decides: what a file is by its content, who may upload how much at once, and when content is removed.
// States: a file is staged until it expires, or attached to a product or an order. Its content is in use, or waits to be removed.
// Tables: file_objects, files.
// Routes: /staging/files/prepare, /files/staging/:date/:uuid, /products/upload-image, /products/:productId/images/:index,
// /orders/:orderId/{production-photos, delivery-photos}/:index.
import { FileServiceService } from '../../../proto/gen/authservice/business/v1/file_service.ts';
import { createImages } from '../../platform/files/images.ts';
import { type Service, implement } from '../../platform/rpc/service.ts';
import type { Call } from '../../platform/rpc/types.ts';
import { createDeleteFile, createPrepareFile } from './staged-file.ts';
import { createDownload } from './download.ts';
import { downloads } from './download-file.ts';
import { createIntake } from './receive-upload.ts';
import { type OpenTransferLimits, limitTransfers } from './open-transfers.ts';
import type { DropDependencies } from './release-objects.ts';
import type { StagedQuota } from './staged-quota.ts';
import { createUploadFile } from './upload-file.ts';
import { createUploadProductImage } from './upload-product-image.ts';

interface FileDependencies extends DropDependencies {
  /** Most bytes of a file. */
  readonly maxBytes: number;
  readonly openUploads: OpenTransferLimits;
  readonly openDownloads: OpenTransferLimits;
  readonly quota: StagedQuota;
}

export function fileService(dependencies: FileDependencies): Service {
  const { objects, maxBytes, openUploads, openDownloads } = dependencies;
  const beginUpload = limitTransfers('uploads', openUploads);
  const runUpload = async <T>(call: Call, upload: () => Promise<T>): Promise<T> => {
    const endUpload = beginUpload(call);
    return upload().finally(endUpload);
  };
  const takeIn = createIntake({ ...dependencies, images: createImages() });
  const download = createDownload(objects, limitTransfers('downloads', openDownloads));
  const uploadFile = createUploadFile(dependencies, takeIn);
  const uploadProductImage = createUploadProductImage(dependencies, takeIn, maxBytes);
  return implement(FileServiceService, {
    prepareFile: createPrepareFile(dependencies),
    uploadFile: { run: (parts, call, validate) => runUpload(call, () => uploadFile.run(parts, call, validate)) },
    deleteFile: createDeleteFile(dependencies),
    uploadProductImage: (parts, call) => runUpload(call, () => uploadProductImage(parts, call)),
    ...downloads(dependencies, download),
  });
}
