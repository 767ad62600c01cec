import {
  type DownloadFileRequest,
  type DownloadOrderPhotoRequest,
  type DownloadProductImageRequest,
  OrderPhotoKind,
} from '../../../proto/gen/authservice/business/v1/file_service.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Statements } from '../../platform/db/types.ts';
import { ServiceError } from '../../platform/errors.ts';
import { loadThenStream } from '../../platform/rpc/service.ts';
import type { Call } from '../../platform/rpc/types.ts';
import type { Download, DownloadPart } from './download.ts';
import { createFindFile } from './staged-file.ts';
import { type FileContent, MAX_IMAGES, type OwnerKind } from './file.ts';
import { isId } from '../../platform/db/ids.ts';
import { tenantOf } from '../tenant.ts';
import { findImage } from './file-store.ts';

export interface DownloadFileDependencies {
  readonly database: Statements;
  readonly clock: Clock;
  readonly download: Download;
}

/** FileService.DownloadFile. */
export function createDownloadFile({ download, ...dependencies }: DownloadFileDependencies) {
  const findFile = createFindFile(dependencies);
  return loadThenStream(
    async (request: DownloadFileRequest, call: Call): Promise<FileContent> => {
      const { content } = await findFile(request, call);
      if (content === undefined) throw new ServiceError('NOT_FOUND');
      return content;
    },
    ({ range }, call, content): AsyncIterable<DownloadPart> => download(call, content, range),
  );
}

interface DownloadImageDependencies {
  readonly database: Statements;
  readonly download: Download;
}

const PHOTO_OWNERS: Readonly<Partial<Record<OrderPhotoKind, OwnerKind>>> = {
  [OrderPhotoKind.ORDER_PHOTO_KIND_PRODUCTION]: 'order-production',
  [OrderPhotoKind.ORDER_PHOTO_KIND_DELIVERY]: 'order-delivery',
};

/** FileService.DownloadProductImage. */
export function createDownloadProductImage({ database, download }: DownloadImageDependencies) {
  return loadThenStream(
    ({ productId, index }: DownloadProductImageRequest, call: Call) =>
      existingImage(database, call, 'product', productId, index),
    ({ range }, call, content): AsyncIterable<DownloadPart> => download(call, content, range),
  );
}

/** FileService.DownloadOrderPhoto. */
export function createDownloadOrderPhoto({ database, download }: DownloadImageDependencies) {
  return loadThenStream(
    ({ orderId, kind, index }: DownloadOrderPhotoRequest, call: Call) =>
      existingImage(database, call, PHOTO_OWNERS[kind], orderId, index),
    ({ range }, call, content): AsyncIterable<DownloadPart> => download(call, content, range),
  );
}

/** Returns an image of a record of the caller's tenant. Throws NOT_FOUND. */
async function existingImage(
  database: Statements,
  call: Call,
  kind: OwnerKind | undefined,
  id: string,
  index: number,
): Promise<FileContent> {
  const tenantId = tenantOf(call);
  const canBe = kind !== undefined && isId(id) && index >= 0 && index < MAX_IMAGES;
  const image = canBe ? await findImage(database, tenantId, { kind, id }, index) : undefined;
  if (!image) throw new ServiceError('NOT_FOUND');
  return image;
}
