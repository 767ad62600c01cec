import { describe, expect, it } from 'vitest';
import { readContracts } from '../../src/platform/rpc/contract/contracts.ts';

const contracts = readContracts();
const pathIn = (rpc: string, ...props: string[]) => contracts.get(`/authservice.${rpc}`)!.toFieldPath(props);

describe('the path of a field in the proto of its request', () => {
  it.each([
    ['business.v1.ProductService/UpdateProduct', ['images', '0'], 'product.images[0]'],
    ['business.v1.ProductService/UpdateProduct', ['sku'], 'product.sku'],
    ['business.v1.ProductService/UpdateProduct', ['updateMask'], 'update_mask'],
    ['business.v1.ProductService/ListProducts', ['perPage'], 'page.per_page'],
    ['business.v1.ProductService/ListProducts', ['page'], 'page.page'],
    ['business.v1.OrderService/CreateOrder', ['items'], 'order.items'],
    ['business.v1.OrderService/CreateOrder', ['items', '3', 'quantity'], 'order.items[3].quantity'],
    ['business.v1.OrderService/CreateOrder', ['items', '12', 'productId'], 'order.items[12].product_id'],
    ['business.v1.OrderService/CreateOrder', ['Idempotency-Key'], 'idempotency_key'],
    ['session.v1.SessionService/Login', ['username'], 'username'],
    ['session.v1.SessionService/Login', ['refresh_token_transport'], 'refresh_token_transport'],
    ['identity.v1.IdentityService/CreateUser', ['roles', '7'], 'roles[7]'],
    ['identity.v1.IdentityService/CreateUser', ['roles'], 'roles'],
    ['business.v1.FileService/UploadFile', ['content'], ''],
  ])('%s %j: %s', (rpc, props, path) => {
    expect(pathIn(rpc, ...props)).toBe(path);
  });

  it.each([[[]], [['X-Api-Key']], [['constructor']], [['__proto__', '0']], [['']]])('is empty for %j', (props) => {
    expect(pathIn('business.v1.OrderService/CreateOrder', ...props)).toBe('');
  });
});
