// FileService for gRPC clients: streams and ranges that the gateway never sends.
import { createHash } from 'node:crypto';
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import {
  FileServiceService,
  OrderPhotoKind,
  type ByteRange,
  type DownloadFileResponse,
  type PrepareFileRequest,
  type UploadFileRequest,
  type UploadProductImageRequest,
} from '../../../proto/gen/authservice/business/v1/file_service.ts';
import type { StagedFile } from '../../../proto/gen/authservice/business/v1/record.ts';
import { newId } from '../../../src/platform/db/ids.ts';
import type { CallOptions, Client } from '../../../src/platform/rpc/types.ts';
import { deploy, TRANSPORTS, type Deployment } from '../../support/deployment.ts';
import { freezeTime, passTime, until } from '../../support/frozen-time.ts';
import { testImages } from '../../support/images.ts';
import { namedObjects, storedIn } from '../../support/shop/files.ts';
import { openShop, type Shop } from '../../support/shop/core-shop.ts';
import { outcomeOf, violationsOf } from '../../support/rpc-outcomes.ts';

const TEXT = Buffer.from('0123456789');
const MEGABYTE = 1_048_576;

type UploadPart = NonNullable<UploadFileRequest['part']>;
type ImagePart = NonNullable<UploadProductImageRequest['part']>;

const chunk = (value: Buffer) => ({ $case: 'chunk', value }) as const;
const EMPTY = chunk(Buffer.alloc(0));

async function* stream<Part>(parts: readonly (Part | undefined)[]): AsyncGenerator<{ part: Part | undefined }> {
  for (const part of parts) yield { part };
}

async function drain(download: AsyncIterable<unknown>): Promise<void> {
  for await (const _part of download);
}

describe.each(TRANSPORTS)('over %s', (transport) => {
  let deployment: Deployment;
  let shop: Shop;
  let files: Client<typeof FileServiceService>;
  let as: CallOptions;
  let png: Buffer;
  let named: StagedFile;

  beforeAll(async () => {
    deployment = await deploy({ engine: 'sqlite', transport });
    shop = await openShop(deployment);
    files = deployment.client(FileServiceService);
    ({ as } = shop);
    ({ png } = await testImages());
    named = await prepare();
    await upload([{ $case: 'file', value: named }, chunk(TEXT)]);
  });
  afterAll(() => deployment?.close());
  afterEach(() => vi.useRealTimers());

  const prepare = async (fields: Partial<PrepareFileRequest> = {}) =>
    (await files.prepareFile({ fileName: 'a', contentType: 'a/b', size: TEXT.length, ...fields }, as)).file!;
  const upload = (parts: readonly (UploadPart | undefined)[]) => files.uploadFile(stream(parts), as);
  const uploadImage = (parts: readonly (ImagePart | undefined)[]) => files.uploadProductImage(stream(parts), as);

  async function read(file: StagedFile | undefined, range?: ByteRange): Promise<string> {
    const chunks: Buffer[] = [];
    for await (const { part } of files.downloadFile({ file, range }, as) as AsyncIterable<DownloadFileResponse>) {
      if (part?.$case === 'chunk') chunks.push(part.value);
    }
    return Buffer.concat(chunks).toString();
  }

  /** Nothing of a refused stream is kept, and the file is what it was. */
  const expectNothingKept = async () => {
    const { objects, uploads } = await storedIn(deployment.filesFolder);
    expect([objects, uploads]).toEqual([(await namedObjects(deployment)).files, []]);
    expect(await read(named)).toBe(TEXT.toString());
  };

  it.each<[string, Partial<PrepareFileRequest>, string]>([
    ['a negative size', { size: -1 }, 'size: range'],
    ['the largest number', { size: Number.MAX_SAFE_INTEGER }, 'PAYLOAD_TOO_LARGE'],
    ['a name of half a character', { fileName: 'a/b' }, 'fileName: characters'],
    ['no type', { contentType: '' }, 'contentType: length'],
    ['a type that never ends', { contentType: `a/b${'; c="'.repeat(19)}` }, 'contentType: media-type'],
  ])('prepares no file with %s', async (_what, fields, expected) => {
    const refused = prepare(fields);
    if (expected === 'PAYLOAD_TOO_LARGE') expect(await outcomeOf(refused)).toBe(expected);
    else expect(await violationsOf(refused)).toEqual([expected]);
  });

  describe('an upload', () => {
    const file = (): UploadPart => ({ $case: 'file', value: named });
    it.each<[string, () => readonly (UploadPart | undefined)[], string]>([
      ['of nothing', () => [], 'VALIDATION_ERROR'],
      ['of an empty part', () => [undefined], 'VALIDATION_ERROR'],
      ['of bytes alone', () => [chunk(TEXT)], 'VALIDATION_ERROR'],
      ['of two names', () => [file(), file()], 'VALIDATION_ERROR'],
      ['with a name behind', () => [file(), chunk(TEXT), file()], 'VALIDATION_ERROR'],
      ['with an empty part behind', () => [file(), chunk(TEXT), undefined], 'VALIDATION_ERROR'],
      ['with an empty chunk', () => [file(), EMPTY, chunk(TEXT)], 'VALIDATION_ERROR'],
      ['with too long a chunk', () => [file(), chunk(Buffer.alloc(MEGABYTE + 1))], 'VALIDATION_ERROR'],
      ['of a name alone', () => [file()], 'VALIDATION_ERROR'],
      ['of more', () => [file(), chunk(Buffer.concat([TEXT, TEXT]))], 'PAYLOAD_TOO_LARGE'],
      [
        'with a short chunk before another',
        () => [file(), chunk(Buffer.alloc(5)), chunk(Buffer.alloc(5))],
        'VALIDATION_ERROR',
      ],
      ['of no name', () => [{ $case: 'file', value: { date: '', uuid: '' } }, chunk(TEXT)], 'NOT_FOUND'],
      ['of another name', () => [{ $case: 'file', value: { ...named, uuid: newId() } }, chunk(TEXT)], 'NOT_FOUND'],
      ['of a day of 64 kB', () => [{ $case: 'file', value: { ...named, date: '2'.repeat(65_536) } }], 'NOT_FOUND'],
    ])('is rejected: %s', async (_what, parts, reason) => {
      expect(await outcomeOf(upload(parts()))).toBe(reason);
      await expect.poll(async () => (await storedIn(deployment.filesFolder)).uploads).toEqual([]);
      await expectNothingKept();
    });
  });

  describe('chunks', () => {
    const CHUNK = 65_536;
    async function* pieces(file: StagedFile, sizes: Iterable<number>): AsyncGenerator<UploadFileRequest> {
      yield { part: { $case: 'file', value: file } };
      for (const size of sizes) yield { part: chunk(Buffer.alloc(size, 'x')) };
    }

    it('of a download have 64 kB, the last one fewer', async () => {
      const sizes = [CHUNK, MEGABYTE, CHUNK, 1];
      const size = sizes.reduce((all, one) => all + one);
      const { receivedSize } = await files.uploadFile(pieces(await prepare({ size }), sizes), as);
      expect(receivedSize).toBe(size);
    });

    it('of a slow upload may be shorter, one per second', async () => {
      const file = await prepare();
      freezeTime();
      const end = Promise.withResolvers<void>();
      async function* slow(): AsyncGenerator<UploadFileRequest> {
        yield* pieces(file, [5]);
        await end.promise;
        yield { part: chunk(Buffer.alloc(5, 'x')) };
      }
      const uploaded = files.uploadFile(slow(), as);
      await until(() => globSync(join(deployment.filesFolder, '.uploads/*')).length === 1);
      await passTime(1_000);
      end.resolve();
      expect((await uploaded).receivedSize).toBe(10);
    });

    it('of one byte end an upload at the second chunk', async () => {
      const size = MEGABYTE;
      let sent = 0;
      function* single() {
        for (; sent < size; sent += 1) yield 1;
      }
      const refused = files.uploadFile(pieces(await prepare({ size }), single()), as);
      expect(await violationsOf(refused)).toEqual(['part: part']);
      // Those that were on their way.
      expect(sent).toBeLessThan(size / 10);
    });
  });

  describe('an image', () => {
    const start = (productId?: string): ImagePart => ({ $case: 'start', value: { fileName: 'a', productId } });
    const product = (value: string): ImagePart => ({ $case: 'productId', value });
    it.each<[string, () => readonly (ImagePart | undefined)[], string]>([
      ['of nothing', () => [], 'VALIDATION_ERROR'],
      ['without a start', () => [chunk(png)], 'VALIDATION_ERROR'],
      ['with two starts', () => [start(), start()], 'VALIDATION_ERROR'],
      ['without bytes', () => [start()], 'UNSUPPORTED_MEDIA_TYPE'],
      ['with a product and no bytes', () => [start(), product(newId())], 'UNSUPPORTED_MEDIA_TYPE'],
      ['with bytes behind the product', () => [start(), chunk(png), product('x'), chunk(png)], 'VALIDATION_ERROR'],
      [
        'with a short chunk before another',
        () => [start(), chunk(png.subarray(0, 9)), chunk(png.subarray(9))],
        'VALIDATION_ERROR',
      ],
      ['with two products', () => [start(), chunk(png), product('x'), product('x')], 'VALIDATION_ERROR'],
      ['of an unknown product', () => [start(newId()), chunk(png)], 'VALIDATION_ERROR'],
      ['of no product', () => [start(''), chunk(png)], 'VALIDATION_ERROR'],
      ['with an unknown product behind', () => [start(), chunk(png), product(newId())], 'VALIDATION_ERROR'],
      ['with a slash', () => [{ $case: 'start', value: { fileName: 'a/b' } }, chunk(png)], 'VALIDATION_ERROR'],
    ])('is rejected: %s', async (_what, parts, reason) => {
      expect(await outcomeOf(uploadImage(parts()))).toBe(reason);
      await expect.poll(async () => (await storedIn(deployment.filesFolder)).uploads).toEqual([]);
      await expectNothingKept();
    });

    it("accepts the caller's tenant once, and no other", async () => {
      const tenant = (value: string): ImagePart => ({ $case: 'tenantId', value });
      const named = (tenantId: string): ImagePart => ({ $case: 'start', value: { fileName: 'a', tenantId } });
      const outcomes = [];
      for (const parts of [
        [named(shop.tenantId), chunk(png)],
        [start(), chunk(png), tenant(shop.tenantId)],
        [start(), chunk(png), tenant(shop.tenantId), product(newId())],
        [named('other'), chunk(png)],
        [start(), chunk(png), tenant('other')],
        [named(shop.tenantId), chunk(png), tenant(shop.tenantId)],
        [start(), chunk(png), tenant(shop.tenantId), chunk(png)],
      ])
        outcomes.push(await outcomeOf(uploadImage(parts)));
      const bad = 'VALIDATION_ERROR';
      expect(outcomes).toEqual(['OK', 'OK', bad, 'TENANT_MISMATCH', 'TENANT_MISMATCH', bad, bad]);
    });

    it('is rejected if the product is given twice', async () => {
      const { id } = await shop.product();
      expect(await outcomeOf(uploadImage([start(id), chunk(png), product(id)]))).toBe('VALIDATION_ERROR');
    });

    it.each([-1, 20, 2 ** 31 - 1, -(2 ** 31)])('returns NOT_FOUND for the index %i', async (index) => {
      const { id } = await shop.product();
      for (const download of [
        files.downloadProductImage({ productId: id, index }, as),
        ...[0, 1, 2, 17].map((kind) =>
          files.downloadOrderPhoto({ orderId: id, kind: kind as OrderPhotoKind, index }, as),
        ),
      ])
        expect(await outcomeOf(drain(download))).toBe('NOT_FOUND');
    });
  });

  describe('a digest', () => {
    const digestOf = (bytes: Buffer) => `sha-256=:${createHash('sha256').update(bytes).digest('base64')}:`;
    const start = (contentDigest: string): ImagePart => ({ $case: 'start', value: { fileName: 'a', contentDigest } });
    async function* file(contentDigest: string, later?: string): AsyncGenerator<UploadFileRequest> {
      yield { part: { $case: 'file', value: named }, contentDigest };
      yield { part: chunk(TEXT), contentDigest: later };
    }

    it('of the content is checked, and the response contains the hash of the received bytes', async () => {
      const { receivedSha256, receivedSize } = await files.uploadFile(file(digestOf(TEXT)), as);
      expect([receivedSize, digestOf(TEXT)]).toEqual([10, `sha-256=:${receivedSha256.toString('base64')}:`]);
      const image = await uploadImage([start(digestOf(png)), chunk(png)]);
      expect([image.receivedSize, digestOf(png)]).toEqual([
        png.length,
        `sha-256=:${image.receivedSha256.toString('base64')}:`,
      ]);
    });

    it('that does not match, or arrives too late, stores nothing', async () => {
      const { objects } = await storedIn(deployment.filesFolder);
      const wrong = digestOf(Buffer.from('x'));
      const message = { contentDigest: wrong, sha256: Buffer.alloc(32), sha512: Buffer.alloc(0) };
      for (const refused of [
        () => files.uploadFile(file(wrong), as),
        () => files.uploadFile(file('x'), as),
        () => files.uploadFile(file(digestOf(TEXT), digestOf(TEXT)), as),
        () => uploadImage([start(wrong), chunk(png)]),
        () => uploadImage([start('x'), chunk(png)]),
        () =>
          uploadImage([
            { $case: 'start', value: { fileName: 'a' } },
            chunk(png),
            { $case: 'messageDigest', value: message },
          ]),
      ])
        expect(await outcomeOf(refused())).toBe('VALIDATION_ERROR');
      expect(await read(named)).toBe(TEXT.toString());
      await expect.poll(() => storedIn(deployment.filesFolder)).toEqual({ objects, uploads: [] });
    });
  });

  it.each<[string, ByteRange, string]>([
    ['from its beginning', { first: 0 }, '0123456789'],
    ['from its end', { first: -4 }, '6789'],
    ['of more than there is', { first: -Number.MAX_SAFE_INTEGER }, '0123456789'],
    ['of one byte', { first: 9, last: Number.MAX_SAFE_INTEGER }, '9'],
    ['beyond', { first: 10 }, 'RANGE_NOT_SATISFIABLE'],
    ['backwards', { first: 5, last: 4 }, 'VALIDATION_ERROR'],
    ['with two ends', { first: -5, last: 6 }, 'VALIDATION_ERROR'],
    ['with a negative end', { first: 0, last: -1 }, 'VALIDATION_ERROR'],
    ['of other bytes', { first: 5, last: 4, ifSha256: Buffer.alloc(32) }, '0123456789'],
    ['of bytes without a hash', { first: 20, ifSha256: Buffer.alloc(0) }, '0123456789'],
  ])('returns a range %s', async (_what, range, expected) => {
    const reading = read(named, range);
    expect(await reading.catch(() => outcomeOf(reading))).toBe(expected);
  });

  it('returns NOT_FOUND for a download without a file', async () => {
    expect(await outcomeOf(read(undefined))).toBe('NOT_FOUND');
    expect(await outcomeOf(files.deleteFile({}, as))).toBe('NOT_FOUND');
  });
});
