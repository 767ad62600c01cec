import { FileServiceService } from '../../../proto/gen/business/v1/file_service.ts';
import type { Clock } from '../../clock.ts';
import type { Database } from '../../db/types.ts';
import { createImages } from '../../files/images.ts';
import type { Objects } from '../../files/objects.ts';
import { implement, type Service } from '../../rpc/service.ts';
import { createDeleteFile } from './delete-file.ts';
import { createDownload } from './download.ts';
import { createDownloadFile } from './download-file.ts';
import { createDownloadOrderPhoto, createDownloadProductImage } from './download-image.ts';
import { createIntake } from './intake.ts';
import { createPrepareFile } from './prepare-file.ts';
import { createUploadFile } from './upload-file.ts';
import { createUploadProductImage } from './upload-product-image.ts';

export interface FileDependencies {
  readonly database: Database;
  readonly objects: Objects;
  readonly clock: Clock;
  /** Most bytes of a file. */
  readonly maxBytes: number;
}

export function fileService({ database, objects, clock, maxBytes }: FileDependencies): Service {
  const takeIn = createIntake({ database, objects, images: createImages(), clock });
  const download = createDownload({ objects });
  return implement(FileServiceService, {
    prepareFile: createPrepareFile({ database, clock, maxBytes }),
    uploadFile: createUploadFile({ database, clock, takeIn }),
    downloadFile: createDownloadFile({ database, clock, download }),
    deleteFile: createDeleteFile({ database, clock }),
    uploadProductImage: createUploadProductImage({ database, clock, takeIn, maxBytes }),
    downloadProductImage: createDownloadProductImage({ database, download }),
    downloadOrderPhoto: createDownloadOrderPhoto({ database, download }),
  });
}
