// POST /products/upload-image: an image uploaded and attached in one request.
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../../src/platform/db/ids.ts';
import { deploy, DIAGONAL, type Deployment } from '../../support/deployment.ts';
import { testImages, type Images } from '../../support/images.ts';
import { problem } from '../../support/problems.ts';
import { API, caller, etagOf, type Caller } from '../../support/callers.ts';
import { pathOf, sendForm, stage, storedIn, type FileName } from '../../support/shop/files.ts';
import { addProduct } from '../../support/shop/products.ts';

const FORM = '/products/upload-image';
const hashOf = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
const MAX_BYTES = 20_000;

describe.each(DIAGONAL)('$engine over $transport', (kind) => {
  let deployment: Deployment;
  let manager: Caller;
  let images: Images;

  beforeAll(async () => {
    images = await testImages();
    deployment = await deploy({ ...kind, settings: { 'app.files.max-bytes': String(MAX_BYTES) } });
    manager = await caller(deployment);
  });
  afterAll(() => deployment?.close());

  const stagePng = () => stage(manager, images.png, { contentType: 'image/png' });
  const show = async ({ id }: { id: string }) => (await manager.get(`/products/${id}`)).body;

  describe('images uploaded and attached in one request', () => {
    type Parts = Parameters<typeof sendForm>[1];

    it.each(['before', 'behind'])('are attached to the product with its id %s the file', async (where) => {
      const product = await addProduct(manager, { images: [await stagePng()] });
      const parts = [['productId', product.id] as const, ['file', images.jpeg, 'rose.txt'] as const];
      const response = await sendForm(manager, where === 'before' ? parts : parts.toReversed());
      const url = `${API}/products/${product.id}/images/1`;
      expect(response.status).toBe(201);
      expect(response.body).toEqual({
        date: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
        uuid: expect.any(String),
        tenantId: 'acme',
        url,
        contentType: 'image/jpeg',
        size: expect.any(Number),
        sha256: etagOf(response)!.slice(1, -1),
        receivedSize: images.jpeg.length,
        receivedSha256: hashOf(images.jpeg),
        index: 1,
      });
      expect(response.headers.get('location')).toBe(url);
      const shown = await manager.get(`/products/${product.id}/images/1`);
      expect([shown.status, shown.headers.get('content-disposition')]).toEqual([200, 'inline; filename="rose.txt"']);
      expect(etagOf(response)).toBe(etagOf(shown));
      expect((await manager.get(pathOf(response.body))).status).toBe(404);
      const { images: list, updatedAt } = await show(product);
      expect([list.length, updatedAt]).toEqual([2, new Date(deployment.clock.now()).toISOString()]);
      expect(etagOf(await manager.get(`/products/${product.id}`))).toBe('"2"');
    });

    it('are staged files if no product is given', async () => {
      const response = await sendForm(manager, [['file', images.webp, 'C:\\photos\\rose.webp']]);
      expect(response.body).toEqual({
        date: expect.any(String),
        uuid: expect.any(String),
        tenantId: 'acme',
        url: API + pathOf(response.body),
        contentType: 'image/webp',
        size: expect.any(Number),
        sha256: etagOf(response)!.slice(1, -1),
        receivedSize: images.webp.length,
        receivedSha256: hashOf(images.webp),
      });
      const file = await manager.get(pathOf(response.body));
      expect(file.headers.get('content-disposition')).toBe('inline; filename="rose.webp"');
      const { date, uuid } = response.body;
      const product = await addProduct(manager, { images: [{ date, uuid }] });
      expect(product.images).toHaveLength(1);
    });

    it.each(['before', 'behind'])("accept the caller's tenant %s the file", async (where) => {
      const product = await addProduct(manager);
      const file = ['file', images.png] as const;
      const names = [['tenantId', 'acme'] as const, ['productId', product.id] as const];
      const response = await sendForm(manager, where === 'before' ? [...names, file] : [file, ...names]);
      expect([response.status, response.body.index]).toEqual([201, 0]);
    });

    it.each(['other', 'nowhere', '', 'x'.repeat(9_000)])('return 403 for another tenant: "%.10s"', async (tenantId) => {
      const before = { ...(await storedIn(deployment.filesFolder)), uploads: [] };
      const file = ['file', images.png] as const;
      const name = ['tenantId', tenantId] as const;
      for (const parts of [
        [name, file],
        [file, name],
      ])
        expect(await sendForm(manager, parts)).toEqual(problem(403, 'tenant-mismatch', API + FORM));
      await expect.poll(() => storedIn(deployment.filesFolder)).toEqual(before);
    });

    it('return the parameters of the violated rule', async () => {
      const file = ['file', images.png] as const;
      const violationOf = async (...parts: Parts) => (await sendForm(manager, parts)).body.violations[0];
      expect(await violationOf()).toMatchObject({ format: 'required', params: { missingProperty: 'file' } });
      expect(await violationOf(['productId', newId()])).toMatchObject({ params: { missingProperty: 'file' } });
      expect(await violationOf(file, ['title', 'x'])).toMatchObject({ params: { additionalProperty: 'title' } });
      expect(await violationOf(file, file)).toMatchObject({ format: 'form', params: { maximum: 1 } });
      expect(await violationOf(file, ['productId', newId()])).toEqual({
        message: 'names no record',
        format: 'reference',
        props: ['productId'],
        params: { record: 'product' },
      });
      const half = images.png.subarray(0, 80);
      expect(await violationOf(['file', half])).toMatchObject({ params: { contentType: 'image/png' } });
    });

    it('are limited to 20 per product', async () => {
      const staged: FileName[] = [];
      while (staged.length < 19) staged.push(await stagePng());
      const product = await addProduct(manager, { images: staged });
      const responses = await Promise.all(
        Array.from({ length: 3 }, () =>
          sendForm(manager, [
            ['file', images.png],
            ['productId', product.id],
          ]),
        ),
      );
      expect(responses.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 400, 400]);
      const refused = responses.find(({ status }) => status === 400)!;
      expect(refused.body.violations).toEqual([
        { message: 'has 20 images', format: 'maxItems', props: ['productId'], params: { limit: 20 } },
      ]);
      expect((await show(product)).images).toHaveLength(20);
    });
  });
});
