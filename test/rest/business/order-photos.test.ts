// Photos of orders: uploaded with a status, deleted with the order.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../../src/platform/db/ids.ts';
import { deploy, DIAGONAL, type Deployment } from '../../support/deployment.ts';
import { testImages, type Images } from '../../support/images.ts';
import { API, caller, comparable, type Caller } from '../../support/callers.ts';
import { namedObjects, pathOf, stage, storedIn, sweep } from '../../support/shop/files.ts';
import { openShop, orderIn, pathOf as orderPath, setStatus, type Shop } from '../../support/shop/orders.ts';

describe.each(DIAGONAL)('$engine over $transport', (kind) => {
  let deployment: Deployment;
  let shop: Shop;
  let manager: Caller;
  let images: Images;

  beforeAll(async () => {
    images = await testImages();
    deployment = await deploy(kind);
    shop = await openShop(deployment);
    manager = shop.manager;
  });
  afterAll(() => deployment?.close());

  const stagePng = (by = manager) => stage(by, images.png, { contentType: 'image/png' });

  it('become production photos at READY and delivery photos at DELIVERED', async () => {
    const florist = await caller(deployment, { roles: ['FLORIST', 'DELIVERY'] });
    const order = await orderIn(shop, 'IN_PRODUCTION');
    const url = API + orderPath(order);
    const files = [await stagePng(florist), await stagePng(florist)];
    const ready = await setStatus(florist, order, 'READY', { photos: files });
    expect(ready.body.productionPhotos).toEqual(
      [0, 1].map((index) => ({
        index,
        url: `${url}/production-photos/${index}`,
        contentType: 'image/png',
        size: expect.any(Number),
      })),
    );
    expect(ready.body.deliveryPhotos).toEqual([]);
    for (const file of files) expect((await manager.get(pathOf(file))).status).toBe(404);

    await setStatus(florist, order, 'OUT_FOR_DELIVERY');
    const delivered = await setStatus(florist, order, 'DELIVERED', { photos: [await stagePng(florist)] });
    expect(delivered.body.productionPhotos).toEqual(ready.body.productionPhotos);
    expect(delivered.body.deliveryPhotos).toMatchObject([{ index: 0, url: `${url}/delivery-photos/0` }]);

    const shown = (await manager.get(orderPath(order))).body;
    expect(shown).toEqual(delivered.body);
    const [listed] = (await manager.get('/orders?status=DELIVERED')).body;
    expect(listed).toEqual(shown);
    const [recent] = (await manager.get('/dashboard/recent-orders')).body;
    expect(recent.deliveryPhotos).toEqual(shown.deliveryPhotos);

    const photo = await manager.get(`${orderPath(order)}/production-photos/1`);
    expect([photo.status, photo.headers.get('content-type')]).toEqual([200, 'image/png']);
    expect((await manager.get(`${orderPath(order)}/delivery-photos/0`)).status).toBe(200);
    const missing = comparable(await manager.get(`/orders/${newId()}/delivery-photos/0`));
    expect(comparable(await manager.get(`${orderPath(order)}/delivery-photos/1`))).toEqual(missing);
    expect(comparable(await manager.get(`${orderPath(order)}/delivery-photos/x`))).toEqual(missing);
    const stranger = await caller(deployment, { tenantId: 'other', roles: ['ADMIN'] });
    expect(comparable(await stranger.get(`${orderPath(order)}/delivery-photos/0`))).toEqual(missing);
  });

  it('are rejected at other statuses, and must be staged images', async () => {
    const file = await stagePng();
    const order = await orderIn(shop, 'NEW');
    const early = await setStatus(manager, order, 'CONFIRMED', { photos: [file] });
    expect([early.status, early.body.violations[0].props]).toEqual([400, ['photos']]);
    const other = await orderIn(shop, 'IN_PRODUCTION');
    for (const photos of [
      [file, file],
      [file, { date: file.date, uuid: newId() }],
    ]) {
      const response = await setStatus(manager, other, 'READY', { photos });
      expect([response.status, response.body.violations]).toEqual([
        400,
        [{ message: 'names no record', format: 'reference', props: ['photos', '1'] }],
      ]);
    }
    // A refused move leaves them staged.
    expect((await setStatus(manager, order, 'READY', { photos: [file] })).status).toBe(409);
    expect((await manager.get(pathOf(file))).status).toBe(200);
  });

  it('are deleted with a cancelled order', async () => {
    const order = await orderIn(shop, 'IN_PRODUCTION');
    await setStatus(manager, order, 'READY', { photos: [await stagePng()] });
    await setStatus(manager, order, 'CANCELLED');
    expect((await manager.get(`${orderPath(order)}/production-photos/0`)).status).toBe(200);
    expect((await manager.delete(orderPath(order))).status).toBe(204);
    expect((await manager.get(`${orderPath(order)}/production-photos/0`)).status).toBe(404);
    deployment.clock.advance(60_000);
    await sweep(deployment);
    const { files, loose } = await namedObjects(deployment);
    expect(loose).toEqual([]);
    expect((await storedIn(deployment.filesFolder)).objects).toEqual(files);
  });
});
