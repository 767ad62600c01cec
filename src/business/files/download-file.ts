import type * as proto from '../../../proto/gen/authservice/business/v1/file_service.ts';
import { OrderPhotoKind } from '../../../proto/gen/authservice/business/v1/file_service.ts';
import type { Statements } from '../../platform/db/types.ts';
import { ServiceError } from '../../platform/errors.ts';
import { loadThenStream } from '../../platform/rpc/service.ts';
import type { Call } from '../../platform/rpc/types.ts';
import type { Download, DownloadPart } from './download.ts';
import { createFindFile } from './staged-file.ts';
import { type FileContent, MAX_IMAGES, type OwnerKind, hasContent } from './file.ts';
import { isId } from '../../platform/db/ids.ts';
import type { Dependencies } from '../dependencies.ts';
import { tenantOf } from '../../platform/rpc/tenant.ts';
import { findImage } from './file-store.ts';

const PHOTO_OWNERS: Readonly<Partial<Record<OrderPhotoKind, OwnerKind>>> = {
  [OrderPhotoKind.ORDER_PHOTO_KIND_PRODUCTION]: 'order-production',
  [OrderPhotoKind.ORDER_PHOTO_KIND_DELIVERY]: 'order-delivery',
};

interface RangeRequest {
  readonly range?: proto.ByteRange | undefined;
}

/** FileService.DownloadFile, DownloadProductImage and DownloadOrderPhoto. */
export function downloads(dependencies: Dependencies, download: Download) {
  const { database } = dependencies;
  const findFile = createFindFile(dependencies);
  /** Creates a handler that sends the content that `find` returns. */
  const sending = <Request extends RangeRequest>(find: (request: Request, call: Call) => Promise<FileContent>) =>
    loadThenStream(find, ({ range }, call, content): AsyncIterable<DownloadPart> => download(call, content, range));
  return {
    downloadFile: sending(async (request: proto.DownloadFileRequest, call) => {
      const file = await findFile(request, call);
      if (!hasContent(file)) throw new ServiceError('NOT_FOUND');
      return file;
    }),
    downloadProductImage: sending(({ productId, index }: proto.DownloadProductImageRequest, call) =>
      existingImage(database, call, 'product', productId, index),
    ),
    downloadOrderPhoto: sending(({ orderId, kind, index }: proto.DownloadOrderPhotoRequest, call) =>
      existingImage(database, call, PHOTO_OWNERS[kind], orderId, index),
    ),
  };
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
  if (!image || !hasContent(image)) throw new ServiceError('NOT_FOUND');
  return image;
}
