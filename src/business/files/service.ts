import { FileServiceService } from '../../../proto/gen/authservice/business/v1/file_service.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/db/types.ts';
import { createImages } from '../../platform/files/images.ts';
import type { ObjectStore } from '../../platform/files/object-store.ts';
import { type Service, implement } from '../../platform/rpc/service.ts';
import type { Call } from '../../platform/rpc/types.ts';
import { createDeleteFile, createPrepareFile } from './staged-file.ts';
import { createDownload } from './download.ts';
import { createDownloadFile, createDownloadOrderPhoto, createDownloadProductImage } from './download-file.ts';
import { createIntake } from './receive-upload.ts';
import { type OpenTransferLimits, limitTransfers } from './open-transfers.ts';
import type { StagedQuota } from './staged-quota.ts';
import { createUploadFile } from './upload-file.ts';
import { createUploadProductImage } from './upload-product-image.ts';

export interface FileDependencies {
  readonly database: Database;
  readonly objects: ObjectStore;
  readonly clock: Clock;
  /** Most bytes of a file. */
  readonly maxBytes: number;
  readonly openUploads: OpenTransferLimits;
  readonly openDownloads: OpenTransferLimits;
  readonly quota: StagedQuota;
}

export function fileService(dependencies: FileDependencies): Service {
  const { database, objects, clock, maxBytes, openUploads, openDownloads, quota } = dependencies;
  const beginUpload = limitTransfers('uploads', openUploads);
  const runUpload = async <T>(call: Call, upload: () => Promise<T>): Promise<T> => {
    const endUpload = beginUpload(call);
    return upload().finally(endUpload);
  };
  const takeIn = createIntake({ database, objects, images: createImages(), clock, quota });
  const download = createDownload({ objects, beginTransfer: limitTransfers('downloads', openDownloads) });
  const uploadFile = createUploadFile({ database, clock, takeIn });
  const uploadProductImage = createUploadProductImage({ database, clock, takeIn, maxBytes });
  return implement(FileServiceService, {
    prepareFile: createPrepareFile({ database, clock, maxBytes, quota }),
    uploadFile: { run: (parts, call, validate) => runUpload(call, () => uploadFile.run(parts, call, validate)) },
    downloadFile: createDownloadFile({ database, clock, download }),
    deleteFile: createDeleteFile({ database, clock }),
    uploadProductImage: (parts, call) => runUpload(call, () => uploadProductImage(parts, call)),
    downloadProductImage: createDownloadProductImage({ database, download }),
    downloadOrderPhoto: createDownloadOrderPhoto({ database, download }),
  });
}
