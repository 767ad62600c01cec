// The parts of the order routes that are not derived: paths, and the bounds of dates.
import { describe, expect, it } from 'vitest';
import { apiRootOf } from '../../gateway/api-path.ts';
import { contracts } from '../../gateway/contract/contracts.ts';
import { compileEncode } from '../../gateway/contract/encode.ts';
import { SHOP } from '../../gateway/business/module.ts';
import { addSpecialMembers } from '../../gateway/contract/special-members.ts';
import { responseShape } from '../../gateway/contract/request-shape.ts';
import { beginOf, endOf } from '../../gateway/schema/time-bounds.ts';
import { OrderStatus, PaymentMethod } from '../../proto/gen/authservice/business/v1/order_service.ts';

addSpecialMembers(SHOP.specialMembers);

type Request = Parameters<typeof apiRootOf>[0];

describe('the root of the API', () => {
  it.each([
    ['/api/v1/orders', '/api/v1/orders', '/api/v1'],
    ['/api/v1/orders/x?from=/a/b', '/api/v1/orders/:id', '/api/v1'],
    ['/api/v1/orders/a%2Fb/status-history', '/api/v1/orders/:id/status-history', '/api/v1'],
    ['/api/v1/dashboard/recent-orders#x', '/api/v1/dashboard/recent-orders', '/api/v1'],
    ['/shop/api/v1/orders/x', '/shop/api/v1/orders/:id', '/shop/api/v1'],
    ['/api/v1/api/v1/orders', '/api/v1/api/v1/orders', '/api/v1/api/v1'],
    // A gateway that takes any leading path has routes without one.
    ['/any/where/api/v1/customers/x/orders', '/api/v1/customers/:id/orders', '/any/where/api/v1'],
    ['http://shop.test/api/v1/orders/x', '/api/v1/orders/:id', '/api/v1'],
  ])('of %s is found', (originalUrl, url, expected) => {
    expect(apiRootOf({ originalUrl, routeOptions: { url } } as Request)).toBe(expected);
  });
});

describe('an order', () => {
  it('contains the paths of its photos', () => {
    const time = new Date(0);
    const { type } = responseShape(contracts().methodOf('authservice.business.v1.OrderService/GetOrder'));
    const body = compileEncode(type)(
      {
        id: 'o-1',
        tenantId: 'acme',
        number: 7,
        customerId: 'c-1',
        items: [{ productId: 'p-1', name: 'Rose', quantity: 3, unitPrice: 7, lineTotal: 21 }],
        total: 21,
        currency: 'EUR',
        status: OrderStatus.ORDER_STATUS_OUT_FOR_DELIVERY,
        paymentMethod: PaymentMethod.PAYMENT_METHOD_UNSPECIFIED,
        productionPhotos: [
          { contentType: 'image/png', size: 1 },
          { contentType: 'image/webp', size: 2 },
        ],
        deliveryPhotos: [{ contentType: 'image/jpeg', size: 3 }],
        createdAt: time,
        updatedAt: time,
        version: 4,
      },
      '/shop/api/v1',
    );
    const path = '/shop/api/v1/orders/o-1';
    expect(body).toMatchObject({
      items: [{ unitPrice: 0.07, lineTotal: 0.21 }],
      status: 'OUT_FOR_DELIVERY',
      paymentMethod: undefined,
      productionPhotos: [
        { index: 0, url: `${path}/production-photos/0`, contentType: 'image/png', size: 1 },
        { index: 1, url: `${path}/production-photos/1`, contentType: 'image/webp', size: 2 },
      ],
      deliveryPhotos: [{ index: 0, url: `${path}/delivery-photos/0`, contentType: 'image/jpeg', size: 3 }],
    });
    expect(body).not.toHaveProperty('version');
  });
});

describe('the bounds of a time range', () => {
  it.each([
    ['2026-02-14', '2026-02-14T00:00:00.000Z', '2026-02-14T23:59:59.999Z'],
    ['0000-01-01', '0000-01-01T00:00:00.000Z', '0000-01-01T23:59:59.999Z'],
    ['2026-02-14T10:00:00+02:00', '2026-02-14T08:00:00.000Z', '2026-02-14T08:00:00.000Z'],
    ['2026-02-14t10:00:00.5z', '2026-02-14T10:00:00.500Z', '2026-02-14T10:00:00.500Z'],
  ])('of %s are computed', (text, begin, end) => {
    expect([beginOf(text, 'from')?.toISOString(), endOf(text, 'to')?.toISOString()]).toEqual([begin, end]);
  });

  it('are undefined for absent parameters', () => {
    expect([beginOf(undefined, 'from'), endOf(undefined, 'to')]).toEqual([undefined, undefined]);
  });

  it('are rejected for a leap second', () => {
    expect(() => beginOf('2016-12-31T23:59:60Z', 'from')).toThrow('Request validation failed');
  });
});
