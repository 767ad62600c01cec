// Images of products that a body references as staged files.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../../src/platform/db/ids.ts';
import { deploy, DIAGONAL, type Deployment } from '../../support/deployment.ts';
import { testImages, type Images } from '../../support/images.ts';
import { API, caller, comparable, etagOf, faults, type Caller } from '../../support/callers.ts';
import { namedObjects, pathOf, prepare, stage, storedIn, sweep, type FileName } from '../../support/shop/files.ts';
import { addProduct, newProduct } from '../../support/shop/products.ts';

const MAX_BYTES = 20_000;

describe.each(DIAGONAL)('$engine over $transport', (kind) => {
  let deployment: Deployment;
  let manager: Caller;
  let stranger: Caller;
  let images: Images;

  beforeAll(async () => {
    images = await testImages();
    deployment = await deploy({ ...kind, settings: { 'app.files.max-bytes': String(MAX_BYTES) } });
    manager = await caller(deployment);
    stranger = await caller(deployment, { tenantId: 'other', roles: ['ADMIN'] });
  });
  afterAll(() => deployment?.close());

  const stagePng = () => stage(manager, images.png, { contentType: 'image/png' });
  const stageGif = () => stage(manager, images.gif, { contentType: 'image/gif' });
  const show = async ({ id }: { id: string }) => (await manager.get(`/products/${id}`)).body;

  describe('images in a body', () => {
    it('are attached to a new product in the given order, and are no longer staged', async () => {
      const files = [await stageGif(), await stagePng()];
      const product = await addProduct(manager, { images: files });
      const url = `${API}/products/${product.id}/images`;
      expect(product.images).toEqual([
        { index: 0, url: `${url}/0`, contentType: 'image/gif', size: expect.any(Number) },
        { index: 1, url: `${url}/1`, contentType: 'image/png', size: expect.any(Number) },
      ]);
      expect(await show(product)).toEqual(product);
      const listed = (await manager.get('/products?perPage=100')).body.find(({ id }: any) => id === product.id);
      expect(listed).toEqual(product);
      for (const file of files) expect((await manager.get(pathOf(file))).status).toBe(404);

      const response = await manager.get(`/products/${product.id}/images/1`);
      expect([response.status, response.headers.get('content-type'), response.headers.get('content-length')]).toEqual([
        200,
        'image/png',
        String(product.images[1].size),
      ]);
      const etag = etagOf(response)!;
      expect((await manager.get(`/products/${product.id}/images/1`, { 'if-none-match': etag })).status).toBe(304);
      const part = await manager.get(`/products/${product.id}/images/1`, { range: 'bytes=0-7', 'if-range': etag });
      expect([part.status, part.headers.get('content-length')]).toEqual([206, '8']);
      // Who may read products may see them, but not change them.
      const reader = await caller(deployment, { roles: ['TENANT_USER'] });
      expect((await reader.get(`/products/${product.id}/images/0`)).status).toBe(200);
      const carrier = await caller(deployment, { roles: ['DELIVERY'] });
      expect((await carrier.get(`/products/${product.id}/images/0`)).status).toBe(403);
    });

    it('replace the images of a product, and replaced and deleted ones are removed', async () => {
      const product = await addProduct(manager, { images: [await stagePng(), await stagePng()] });
      const changed = await manager.patch(`/products/${product.id}`, { images: [await stageGif()] });
      expect(changed.body.images).toMatchObject([{ index: 0, contentType: 'image/gif' }]);
      expect(etagOf(changed)).toBe('"2"');
      expect((await manager.get(`/products/${product.id}/images/1`)).status).toBe(404);
      const put = await manager.put(`/products/${product.id}`, newProduct({ images: [] }));
      expect([put.status, put.body.images.length]).toEqual([200, 1]);
      const other = await addProduct(manager, { images: [await stagePng()] });
      expect((await manager.patch(`/products/${product.id}`, { images: null })).body.images).toEqual([]);
      expect((await manager.delete(`/products/${other.id}`)).status).toBe(204);
      expect((await manager.get(`/products/${other.id}/images/0`)).status).toBe(404);
      expect((await namedObjects(deployment)).loose).toHaveLength(4);

      deployment.clock.advance(60_000);
      await sweep(deployment);
      const { files, loose } = await namedObjects(deployment);
      expect(loose).toEqual([]);
      expect((await storedIn(deployment.filesFolder)).objects).toEqual(files);
    });

    it('stay staged if the change fails', async () => {
      const product = await addProduct(manager, { images: [await stagePng()] });
      const file = await stageGif();
      const body = { images: [file], sku: 'taken' };
      await addProduct(manager, { sku: 'taken' });
      expect((await manager.patch(`/products/${product.id}`, body)).status).toBe(409);
      expect((await manager.patch(`/products/${product.id}`, body, { 'if-match': '"7"' })).status).toBe(412);
      expect(await show(product)).toEqual(product);
      expect((await manager.get(pathOf(file))).status).toBe(200);
    });

    it('must be staged images without duplicates: anything else is the same violation', async () => {
      const good = await stagePng();
      const bad: Record<string, FileName> = {
        unknown: { date: good.date, uuid: newId() },
        'of another day': { date: '2020-01-01', uuid: good.uuid },
        'no name at all': { date: '..', uuid: '../../etc' },
        "another tenant's": await stage(stranger, images.png, { contentType: 'image/png' }),
        'no image': await stage(manager, Buffer.from('text')),
        'never uploaded': await prepare(manager, 5, { contentType: 'image/png' }),
        attached: await stagePng().then(async (file) => {
          await addProduct(manager, { images: [file] });
          return file;
        }),
        'named twice': good,
      };
      const product = await addProduct(manager);
      for (const [what, file] of Object.entries(bad)) {
        const body = { images: [good, file] };
        const responses = [
          await manager.post('/products', newProduct(body)),
          await manager.patch(`/products/${product.id}`, body),
        ];
        for (const response of responses) {
          expect([what, response.status, response.body.violations]).toEqual([
            what,
            400,
            [{ message: 'names no record', format: 'reference', props: ['images', '1'] }],
          ]);
        }
      }
      expect(faults(await manager.post('/products', newProduct({ images: Array(21).fill(good) })))).toEqual(['images']);
      expect((await manager.get(pathOf(good))).status).toBe(200);
    });

    it('are attached to one of two parallel requests', async () => {
      const files = [await stagePng(), await stagePng()];
      const bodies = [files, files.toReversed(), files, files.toReversed()].map((named) =>
        newProduct({ images: named }),
      );
      const responses = await Promise.all(bodies.map((body) => manager.post('/products', body)));
      expect(responses.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 400, 400, 400]);
    });
  });

  describe('of missing files', () => {
    it("return the same bytes for another tenant's file and a missing one", async () => {
      const product = await addProduct(manager, { images: [await stagePng()] });
      const expected = comparable(await manager.get(`/products/${newId()}/images/0`));
      expect(expected).toMatchObject({ status: 404 });
      expect(comparable(await stranger.get(`/products/${product.id}/images/0`))).toEqual(expected);
      for (const index of ['1', '20', '-1', '00', '0.0', '1e0', '%30%00', 'x', '..%2f0', '9'.repeat(400)])
        expect(comparable(await manager.get(`/products/${product.id}/images/${index}`))).toEqual(expected);
      expect((await manager.get(`/products/${product.id}/images/%30`)).status).toBe(200);
    });
  });
});
