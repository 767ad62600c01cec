// Encoding images takes seconds: no tenant may delay another one by it. `image-fairness.timed.test.ts` measures the time limit.
import { readFile, rename, writeFile } from 'node:fs/promises';
import { deflateSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createImages } from '../../../src/platform/files/images.ts';
import type { OpenFile } from '../../../src/platform/files/object-store.ts';
import { beginUpload, contentOf, type Upload } from '../../../src/platform/files/uploads.ts';
import { deploy, ON_SQLITE, type Deployment } from '../../support/deployment.ts';
import { eventually } from '../../support/eventually.ts';
import { pixelBomb, pngChunk, slowGif, testImages, withChunks } from '../../support/images.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { caller, type Caller } from '../../support/callers.ts';
import { sendForm } from '../../support/shop/files.ts';

/** Maximum number of waiting images of a tenant. */
const QUEUED = 8;

const fileOf = (upload: Upload, bytes: Buffer): Promise<OpenFile> =>
  upload.write(
    (async function* () {
      yield bytes;
    })(),
  );

/** Encodes large images until the test ends them. */
function heldEncoder() {
  const started: { readonly source: OpenFile; readonly end: () => void }[] = [];
  let running = 0;
  return {
    started,
    running: () => running,
    async encode({ source }: { readonly source: OpenFile }): Promise<undefined> {
      const held = Promise.withResolvers<void>();
      started.push({ source, end: held.resolve });
      running += 1;
      await held.promise;
      running -= 1;
    },
  };
}

/** The number of processes that this one has started. Each large image is encoded in one. */
const processes = () => process.getActiveResourcesInfo().filter((name) => name === 'ProcessWrap').length;

describe('images', () => {
  const upload = beginUpload(temporaryFolder('images-'));
  afterAll(() => upload.end());
  const { signal } = new AbortController();

  it('are encoded one at a time if they are large, of waiting tenants in turns. Small ones do not wait for them', async () => {
    const encoder = heldEncoder();
    const images = createImages(undefined, encoder.encode);
    const refusals: unknown[] = [];
    const clean = (tenantId: string, source: OpenFile, type: 'image/png' | 'image/gif') =>
      images.clean({ tenantId, source, createTarget: upload.newFile, type }, signal);
    /** Begins to encode images of a tenant: as many as may wait, and so many more. */
    const flood = (tenantId: string, source: OpenFile, type: 'image/png' | 'image/gif', more: number) =>
      Array.from({ length: QUEUED + more }, () =>
        clean(tenantId, source, type).catch((error: unknown) => refusals.push(error)),
      );

    const gif = await fileOf(upload, slowGif());
    const first = flood('first', gif, 'image/gif', 4);
    await eventually(() => expect([encoder.running(), refusals.length]).toEqual([1, 3]));
    // Large, and quickly encoded.
    const second = flood('second', await fileOf(upload, await pixelBomb('png', 2100, 2100)), 'image/png', 1);
    await eventually(() => expect(refusals).toHaveLength(4));
    await clean('third', await fileOf(upload, (await testImages()).png), 'image/png');

    for (let count = 1; count <= 1 + 2 * QUEUED; count += 1) {
      await eventually(() => expect(encoder.started).toHaveLength(count));
      expect(encoder.running()).toBe(1);
      encoder.started.at(-1)!.end();
    }
    await Promise.all([...first, ...second]);
    const tenants = encoder.started.map(({ source }) => (source === gif ? 'first' : 'second'));
    expect(tenants).toEqual(['first', ...Array.from({ length: QUEUED }, () => ['second', 'first']).flat()]);
    expect(refusals).toMatchObject(Array.from({ length: 4 }, () => ({ reason: 'SERVICE_UNAVAILABLE' })));
  });

  it('are encoded from the received file into the new one, even if other files replaced them', async () => {
    const { png } = await testImages();
    const source = await fileOf(upload, png);
    const target = await upload.newFile();
    for (const { path } of [source, target]) {
      await writeFile(`${path}-other`, 'other');
      await rename(`${path}-other`, path);
    }
    await createImages().clean({ tenantId: 'a', source, createTarget: async () => target, type: 'image/png' }, signal);
    expect((await contentOf(target)).size).toBeGreaterThan(50);
    for (const { path } of [source, target]) expect(await readFile(path, 'utf8')).toBe('other');
  });

  it('have a time limit for encoding', async () => {
    const source = await fileOf(upload, slowGif(500, 183, 183));
    const image = { tenantId: 'a', source, createTarget: upload.newFile, type: 'image/gif' } as const;
    // By itself it takes half a minute, and succeeds.
    await expect(createImages(0.6).clean(image, signal)).rejects.toMatchObject({
      name: 'UnreadableImageError',
      params: { maxSeconds: 0.6 },
    });
  });

  it('stop encoding when their call ends', async () => {
    const caller = new AbortController();
    const source = await fileOf(upload, slowGif(60, 528, 528));
    const image = { tenantId: 'a', source, createTarget: upload.newFile, type: 'image/gif' } as const;
    const before = processes();
    const cleaned = createImages(60).clean(image, caller.signal);
    await eventually(() => expect(processes()).toBe(before + 1));
    caller.abort();
    await expect(cleaned).rejects.toMatchObject({ reason: 'SERVICE_UNAVAILABLE' });
    await eventually(() => expect(processes()).toBe(before));
  });
});

describe('a PNG', () => {
  const upload = beginUpload(temporaryFolder('texts-'));
  afterAll(() => upload.end());

  const clean = async (texts: readonly Buffer[]) => {
    const source = await fileOf(upload, withChunks((await testImages()).png, texts));
    const image = { tenantId: 'a', source, createTarget: upload.newFile, type: 'image/png' } as const;
    await createImages().clean(image, new AbortController().signal);
  };
  // 50 MB of zeros become 50 kB.
  const packed = deflateSync(Buffer.alloc(50_000_000), { level: 9 });
  const zTXt = pngChunk('zTXt', Buffer.concat([Buffer.from('Comment\0\0'), packed]));
  const iTXt = (compressed: number, text: Buffer) =>
    pngChunk('iTXt', Buffer.concat([Buffer.from('Comment\0'), Buffer.from([compressed, 0, 0, 0]), text]));

  it.each([
    ['zTXt', [zTXt, zTXt]],
    ['iTXt', [iTXt(1, packed), iTXt(1, packed)]],
    ['both, between many others', [zTXt, ...Array<Buffer>(6_000).fill(iTXt(0, Buffer.from('x'))), iTXt(1, packed)]],
  ])('is rejected for compressed texts that take long to unpack: %s', async (_what, texts) => {
    await expect(clean(texts)).rejects.toMatchObject({
      name: 'UnreadableImageError',
      params: { maxCompressedTextBytes: 65_536 },
    });
  });

  it('is accepted with a small compressed text and a large uncompressed one', async () => {
    await clean([zTXt, iTXt(0, Buffer.alloc(200_000, 'x'))]);
  });
});

describe.each(ON_SQLITE)('images over REST', (kind) => {
  let deployment: Deployment;
  let victim: Caller;
  let flooders: readonly Caller[];

  beforeAll(async () => {
    deployment = await deploy(kind);
    victim = await caller(deployment, { tenantId: 'victim' });
    const flooder = () => caller(deployment, { tenantId: 'flood' });
    flooders = await Promise.all([flooder(), flooder()]);
  });
  afterAll(() => deployment?.close());

  it('of one tenant do not wait for many images of another', async () => {
    const { png } = await testImages();
    const gif = slowGif();
    // The library is loaded with the first image.
    await sendForm(victim, [['file', png]]);

    const before = processes();
    let answered = 0;
    const flood = flooders.map(async (by) => {
      await sendForm(by, [['file', gif]]);
      answered += 1;
    });
    await eventually(() => expect(processes()).toBe(before + 1));
    expect((await sendForm(victim, [['file', png]])).status).toBe(201);
    expect(answered).toBeLessThan(flooders.length);
    await Promise.all(flood);
  });
});
