// The members of records in responses have the order of the documentation, for human readers.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ON_SQLITE, deploy, type Deployment } from '../../support/deployment.ts';
import { addCustomer } from '../../support/shop/customers.ts';
import { newOrder, openShop, pathOf, type Shop } from '../../support/shop/orders.ts';
import { addProduct } from '../../support/shop/products.ts';

const MEMBERS: Readonly<Record<string, string>> = {
  product:
    'id tenantId sku name description category price currency stock reorderLevel status images createdAt updatedAt',
  order:
    'id tenantId number customerId items total currency status paymentMethod deliveryDate deliveryAddress note ' +
    'productionPhotos deliveryPhotos createdAt updatedAt',
  item: 'productId name quantity unitPrice lineTotal',
  change: 'from to at by tenantId',
  customer: 'id tenantId name email phone address status createdAt updatedAt',
  note: 'id tenantId text authorId createdAt',
  match: 'id name email phone matchedOn tenantId',
};

describe.each(ON_SQLITE)('$engine over $transport', (kind) => {
  let deployment: Deployment;
  let shop: Shop;

  beforeAll(async () => {
    deployment = await deploy(kind);
    shop = await openShop(deployment);
  });
  afterAll(() => deployment?.close());

  const order = async () => {
    const details = {
      paymentMethod: 'CARD',
      deliveryDate: '2030-01-01',
      deliveryAddress: '1 Main Street',
      note: 'Ring.',
    };
    const { body } = await shop.manager.post('/orders', newOrder(shop, details));
    return body;
  };
  const customer = () =>
    addCustomer(shop.manager, { email: 'order@members.test', phone: '+49 30 1', address: '1 Main Street' });

  it.each<[keyof typeof MEMBERS, () => Promise<object>]>([
    ['product', () => addProduct(shop.manager, { description: 'Pink.', category: 'Roses' })],
    ['order', order],
    ['item', async () => (await order()).items[0]],
    ['change', async () => (await shop.manager.get(`${pathOf(await order())}/status-history`)).body[0]],
    ['customer', customer],
    [
      'note',
      async () => (await shop.manager.post(`/customers/${shop.customerId}/notes`, { text: 'Likes roses.' })).body,
    ],
    [
      'match',
      async () => {
        await customer();
        return (await shop.manager.get('/customers/check-duplicate?email=order@members.test')).body.matches[0];
      },
    ],
  ])('returns the members of a %s in the documented order', async (name, get) => {
    expect(Object.keys(await get()).join(' ')).toBe(MEMBERS[name]);
  });
});
