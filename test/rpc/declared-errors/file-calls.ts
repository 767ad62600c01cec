// Calls of FileService that provoke its declared errors.
import {
  OrderPhotoKind,
  type ByteRange,
  type UploadFileRequest,
  type UploadProductImageRequest,
} from '../../../proto/gen/authservice/business/v1/file_service.ts';
import type { StagedFile } from '../../../proto/gen/authservice/business/v1/record.ts';
import { confirmedOrder } from './business-calls.ts';
import { OTHER_TENANT, partsOf, TEXT, UNKNOWN, type Calls, type Message, type Provoke, type Scene } from './scene.ts';

const MEGABYTE = 1_048_576;
/** Fills a chunk. Only the last chunk may be short. */
const padded = (bytes: Buffer) => Buffer.concat([bytes, Buffer.alloc(MEGABYTE - bytes.length)]);

async function* imageOf(start: Message, chunks: readonly Buffer[]): AsyncGenerator<UploadProductImageRequest> {
  yield { part: { $case: 'start', value: { fileName: 'a.png', ...start } } };
  for (const value of chunks) yield { part: { $case: 'chunk', value } };
}

const upload = ({ files, world }: Scene, file: StagedFile, ...chunks: Buffer[]) =>
  files.uploadFile(partsOf(file, chunks), world.admin.as);
const uploadImage = ({ files, world }: Scene, start: Message, ...chunks: Buffer[]) =>
  files.uploadProductImage(imageOf(start, chunks), world.admin.as);

async function drain(download: AsyncIterable<unknown>): Promise<void> {
  for await (const _part of download);
}
const downloadFile = ({ files, world }: Scene, file: StagedFile, range?: ByteRange) =>
  drain(files.downloadFile({ file, range }, world.admin.as));
const downloadImage = ({ files, world }: Scene, index: number, range?: ByteRange, productId = UNKNOWN) =>
  drain(files.downloadProductImage({ productId, index, range }, world.admin.as));
const downloadPhoto = ({ files, world }: Scene, orderId: string, range?: ByteRange) => {
  const kind = OrderPhotoKind.ORDER_PHOTO_KIND_PRODUCTION;
  return drain(files.downloadOrderPhoto({ orderId, kind, index: 0, range }, world.admin.as));
};

/** Adds an image to the product, and downloads its first one. */
async function downloadNewImage(scene: Scene, range?: ByteRange): Promise<void> {
  const { product_id: productId } = scene.records;
  await uploadImage(scene, { productId }, scene.png);
  await downloadImage(scene, 0, range, productId);
}

/** Creates an order with a photo, and downloads the photo. */
async function downloadNewPhoto(scene: Scene, range?: ByteRange): Promise<void> {
  const file = await scene.prepare(scene.png.length, 'image/png');
  await upload(scene, file, scene.png);
  const orderId = await confirmedOrder(scene);
  await scene.call('OrderService/SetOrderStatus', { orderId, status: 4, photos: [file] });
  await downloadPhoto(scene, orderId, range);
}

type WithFile = (scene: Scene, file: StagedFile) => Promise<unknown>;

/** Makes a call while the only download that the account may have is open. */
function whileDownloading(act: WithFile): Provoke {
  return async (scene) => {
    const file = await scene.stage();
    const opened = scene.files.downloadFile({ file }, scene.world.admin.as)[Symbol.asyncIterator]();
    await opened.next();
    await act(scene, file).finally(() => void opened.return?.());
  };
}

/** Makes a call while the only upload that the account may have is open. */
function whileUploading(act: WithFile): Provoke {
  return async (scene) => {
    const file = await scene.prepare();
    const ended = Promise.withResolvers<void>();
    const silent: AsyncIterable<UploadFileRequest> = {
      [Symbol.asyncIterator]: () => ({ next: () => ended.promise.then(() => ({ done: true, value: undefined })) }),
    };
    const opened = scene.files.uploadFile(silent, scene.world.admin.as).catch(() => undefined);
    await act(scene, file).finally(() => ended.resolve());
    await opened;
  };
}

export const FILE_CALLS: Calls = {
  'FileService/DeleteFile NOT_FOUND': ({ call }) =>
    call('FileService/DeleteFile', { file: { date: '2026-01-01', uuid: UNKNOWN } }),
  'FileService/DownloadFile NOT_FOUND': (scene) => downloadFile(scene, { date: '2026-01-01', uuid: UNKNOWN }),
  'FileService/DownloadFile RANGE_NOT_SATISFIABLE': async (scene) =>
    downloadFile(scene, await scene.stage(), { first: 10 }),
  'FileService/DownloadOrderPhoto NOT_FOUND': (scene) => downloadPhoto(scene, UNKNOWN),
  'FileService/DownloadOrderPhoto RANGE_NOT_SATISFIABLE': (scene) => downloadNewPhoto(scene, { first: 1_000_000 }),
  'FileService/DownloadProductImage NOT_FOUND': (scene) => downloadImage(scene, 0),
  'FileService/DownloadProductImage RANGE_NOT_SATISFIABLE': (scene) => downloadNewImage(scene, { first: 1_000_000 }),
  'FileService/PrepareFile TENANT_MISMATCH': ({ call }) =>
    call('FileService/PrepareFile', { fileName: 'a', contentType: 'a/b', size: 1, ...OTHER_TENANT }),
  'FileService/PrepareFile PAYLOAD_TOO_LARGE': ({ call }) =>
    call('FileService/PrepareFile', { fileName: 'a', contentType: 'a/b', size: 1e12 }),
  'FileService/UploadFile NOT_FOUND': (scene) => upload(scene, { date: '2026-01-01', uuid: UNKNOWN }, TEXT),
  'FileService/UploadFile PAYLOAD_TOO_LARGE': async (scene) =>
    upload(scene, await scene.prepare(), Buffer.concat([TEXT, TEXT])),
  'FileService/UploadFile VALIDATION_ERROR': async (scene) => upload(scene, await scene.prepare()),
  'FileService/UploadFile UNSUPPORTED_MEDIA_TYPE': async (scene) =>
    upload(scene, await scene.prepare(TEXT.length, 'image/png'), TEXT),
  'FileService/UploadProductImage VALIDATION_ERROR': (scene) => uploadImage(scene, { productId: UNKNOWN }, scene.png),
  'FileService/UploadProductImage TENANT_MISMATCH': (scene) => uploadImage(scene, OTHER_TENANT, scene.png),
  'FileService/UploadProductImage PAYLOAD_TOO_LARGE': (scene) =>
    uploadImage(scene, {}, padded(scene.png), ...Array.from({ length: 10 }, () => Buffer.alloc(MEGABYTE))),
  'FileService/UploadProductImage UNSUPPORTED_MEDIA_TYPE': (scene) => uploadImage(scene, {}, TEXT),
  'FileService/DownloadFile TOO_MANY_REQUESTS': whileDownloading((scene, file) => downloadFile(scene, file)),
  'FileService/DownloadProductImage TOO_MANY_REQUESTS': whileDownloading((scene) => downloadNewImage(scene)),
  'FileService/DownloadOrderPhoto TOO_MANY_REQUESTS': whileDownloading((scene) => downloadNewPhoto(scene)),
  'FileService/UploadFile TOO_MANY_REQUESTS': whileUploading((scene, file) => upload(scene, file, TEXT)),
  'FileService/UploadProductImage TOO_MANY_REQUESTS': whileUploading((scene) => uploadImage(scene, {}, scene.png)),
};

/** As FILE_CALLS, in a deployment whose limits are as low as possible. */
export const LIMITED_FILE_CALLS: Calls = {
  'FileService/PrepareFile QUOTA_EXCEEDED': async ({ call, prepare }) => {
    await prepare().catch(() => undefined);
    await call('FileService/PrepareFile', { fileName: 'a', contentType: 'a/b', size: 1 });
  },
  'FileService/UploadProductImage QUOTA_EXCEEDED': async (scene) => {
    await scene.prepare().catch(() => undefined);
    await uploadImage(scene, {}, scene.png);
  },
};
