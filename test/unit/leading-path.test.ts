import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { withoutLeadingPath } from '../../gateway/http/leading-path.ts';

const routed = (url: string) => withoutLeadingPath({ url });

describe('a business endpoint behind a leading path', () => {
  it.each([
    ['/shop/api/v1/products', '/api/v1/products'],
    ['/a/b/c/api/v1/orders/1?page=2', '/api/v1/orders/1?page=2'],
    ['/caf%C3%A9/api/v1/customers', '/api/v1/customers'],
    ['/v1/api/api/v1/dashboard/stats', '/api/v1/dashboard/stats'],
    ['/api/v2/api/v1/files/staging/x/y', '/api/v1/files/staging/x/y'],
    ['/api/v10/api/v1/staging/files/prepare', '/api/v1/staging/files/prepare'],
    ['/shop/api/v1/products?next=/x/api/v1/orders', '/api/v1/products?next=/x/api/v1/orders'],
    ['/auth/api/v1/reference-data/payment-methods', '/api/v1/reference-data/payment-methods'],
  ])('maps %s to %s', (url, expected) => expect(routed(url)).toBe(expected));
});

describe('any other path', () => {
  it.each([
    '/api/v1/products',
    '/api/v1/auth/me',
    '/shop/api/v1/auth/login',
    '/shop/api/v1/auth/token',
    '/shop/api/v1/service-accounts/1/api-keys',
    '/shop/api/v1/productsx',
    '/shop/api/v1',
    '/shop/api/v1/',
    '/shop/api/v1//products',
    '/shop/API/v1/products',
    '/shop/Api/V1/products',
    // The first /api/v1 counts.
    '/shop/api/v1/nowhere/api/v1/products',
    '/api/v1/auth/x/api/v1/products',
    '//api/v1/products',
    '/shop//api/v1/products',
    '/./api/v1/products',
    '/shop/../api/v1/products',
    '/shop/%2e%2e/api/v1/products',
    '/shop/.%2E/api/v1/products',
    '/shop%2fx/api/v1/products',
    '/shop%5cx/api/v1/products',
    '/shop;x/api/v1/products',
    '/shop%3bx/api/v1/products',
    '/shop%00/api/v1/products',
    '/shop%ff/api/v1/products',
    '/shop%/api/v1/products',
    '/sh op/api/v1/products',
    '/shop\\api/v1/products',
    '/shop?x=/api/v1/products',
    '/shop#/api/v1/products',
    'http://other/shop/api/v1/products',
    '*',
  ])('keeps %s unchanged', (url) => expect(routed(url)).toBe(url));

  it('is unchanged or a business endpoint at the root, for any input', () => {
    const part = fc.constantFrom(
      '/',
      '/api/v1',
      '/api',
      '/v1',
      'products',
      'auth',
      '..',
      '%2e',
      ';',
      '?',
      '%',
      'é',
      '\\',
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 10 }), (parts) => {
        const url = parts.join('');
        const result = routed(url);
        if (result !== url) expect(result).toMatch(/^\/api\/v1\/products(?:[/?]|$)/);
        // Once is all.
        expect(routed(result)).toBe(result);
      }),
    );
  });
});
