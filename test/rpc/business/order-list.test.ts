// OrderService.ListOrders: filters, search, order and pages.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { OrderStatus, type ListOrdersRequest } from '../../../proto/gen/authservice/business/v1/order_service.ts';
import { deploy, DIAGONAL, type Deployment } from '../../support/deployment.ts';
import { lead, line, openShop, type Shop } from '../../support/shop/core-shop.ts';
import { violationsOf } from '../../support/rpc-outcomes.ts';

const DAY_MS = 86_400;

describe.each(DIAGONAL)('on $engine over $transport', ({ engine, transport }) => {
  let deployment: Deployment;
  let shop: Shop;
  let other: string;
  let start: number;

  // Numbers 1 to 12, one second apart.
  beforeAll(async () => {
    deployment = await deploy({ engine, transport });
    shop = await openShop(deployment);
    const product = await shop.product({ stock: 1_000, price: 100 });
    other = await shop.customerId();
    start = deployment.clock.now();
    for (let index = 0; index < 12; index += 1) {
      const order = await shop.place({
        items: [line(product, 1 + (index % 4))],
        ...(index % 3 === 0 && { customerId: other, deliveryDate: `2030-01-0${1 + index / 3}` }),
        ...(index === 4 && { note: 'Für Ärzte 100%' }),
        ...(index === 5 && { deliveryAddress: 'STRASSE DER ROSEN 7' }),
      });
      if (index % 5 === 0) await lead(shop, order, 'CONFIRMED');
      deployment.clock.advance(1_000);
    }
    // What another tenant has is in none of the lists.
    const foreign = await openShop(deployment);
    await foreign.place({ items: [line(await foreign.product(), 1)] });
  });
  afterAll(() => deployment?.close());

  const at = (index: number) => new Date(start + index * 1_000);
  const numbersOf = async (request: Partial<ListOrdersRequest>) =>
    (await shop.list({ sort: 'number', ...request })).map(({ number }) => number);

  it.each<[string, () => Partial<ListOrdersRequest>, number[]]>([
    ['a status', () => ({ status: OrderStatus.ORDER_STATUS_CONFIRMED }), [1, 6, 11]],
    ['a status that none has', () => ({ status: OrderStatus.ORDER_STATUS_READY }), []],
    ['a customer', () => ({ customerId: other }), [1, 4, 7, 10]],
    ['a customer and a status', () => ({ customerId: other, status: OrderStatus.ORDER_STATUS_CONFIRMED }), [1]],
    ['a customer that there is not', () => ({ customerId: '01890a5d-ac96-774b-bcce-b302099a8057' }), []],
    ['from', () => ({ from: at(9) }), [10, 11, 12]],
    ['from, a millisecond later', () => ({ from: new Date(at(9).getTime() + 1) }), [11, 12]],
    ['to', () => ({ to: at(1) }), [1, 2]],
    ['to, a millisecond earlier', () => ({ to: new Date(at(1).getTime() - 1) }), [1]],
    ['one moment', () => ({ from: at(3), to: at(3) }), [4]],
    ['a time before all', () => ({ to: new Date(start - DAY_MS) }), []],
    ['part of the number', () => ({ query: '1' }), [1, 5, 10, 11, 12]],
    ['part of the note, without regard to case', () => ({ query: 'für ärzte' }), [5]],
    ['part of the address, without regard to case', () => ({ query: 'der Rosen' }), [6]],
    ['a percent sign, which is one', () => ({ query: '%' }), [5]],
    ['an underscore, which is one', () => ({ query: '_' }), []],
    ['a NUL', () => ({ query: '\u0000' }), []],
    ['everything at once', () => ({ customerId: other, from: at(2), to: at(8), query: '7', status: 1 }), [7]],
  ])('%s', async (_what, request, expected) => {
    expect(await numbersOf(request())).toEqual(expected);
    const { page } = await shop.orders.listOrders({ sort: '', status: 0, ...request() }, shop.as);
    expect(page).toEqual({ page: 1, perPage: 20, total: expected.length });
  });

  it.each([
    ['', [12, 11, 10, 9, 8]],
    ['createdAt', [1, 2, 3, 4, 5]],
    ['-number', [12, 11, 10, 9, 8]],
    ['total,-number', [9, 5, 1, 10, 6]],
    ['-deliveryDate,number', [10, 7, 4, 1, 2]],
    ['deliveryDate,number', [2, 3, 5, 6, 8]],
  ])('sorted by %j', async (sort, expected) => {
    expect((await numbersOf({ sort })).slice(0, 5)).toEqual(expected);
  });

  it.each([1, 5, 7, 12, 100])('pages of %i contain every order once, and the next page is empty', async (perPage) => {
    const numbers: number[] = [];
    for (let page = 1; page <= Math.ceil(12 / perPage); page += 1) {
      numbers.push(...(await numbersOf({ sort: '', page: { page, perPage } })));
    }
    expect(numbers).toEqual([12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1]);
    for (const page of [13, 1_000_000]) {
      const beyond = await shop.orders.listOrders({ sort: '', status: 0, page: { page, perPage } }, shop.as);
      expect(beyond).toEqual({ orders: [], page: { page, perPage, total: 12 } });
    }
  });

  it.each<[string, Partial<ListOrdersRequest>, string[]]>([
    ['a customer id that cannot be one', { customerId: 'x' }, ['customerId: uuid']],
    ['an empty customer id', { customerId: '' }, ['customerId: uuid']],
    ['from after to', { from: new Date(1), to: new Date(0) }, ['from: range']],
    ['times beyond all years', { from: new Date(-1), to: new Date(8.64e15) }, ['from: date-time', 'to: date-time']],
    ['an unknown status', { status: 99 as OrderStatus }, ['status: enum']],
    ['a negative status', { status: -1 }, ['status: enum']],
    ['an unknown field to sort by', { sort: 'customerId' }, ['sort: sort']],
    ['a field twice', { sort: 'total,-total' }, ['sort: sort']],
    ['SQL', { sort: 'total; DROP TABLE orders' }, ['sort: sort']],
    ['a long search', { query: 'x'.repeat(255) }, ['query: length']],
    ['page 0 of too many', { page: { page: -1, perPage: 101 } }, ['page: range', 'perPage: range']],
  ])('returns VALIDATION_ERROR for %s', async (_what, request, expected) => {
    expect(await violationsOf(shop.list(request))).toEqual(expected);
  });
});
