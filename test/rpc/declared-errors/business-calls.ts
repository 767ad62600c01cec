// Calls of the business services that provoke their declared errors.
import { OTHER_TENANT, type Calls, type Message, type Scene } from './scene.ts';

const CUSTOMER = { customer: { name: 'Ben', status: 0 } };
const PRODUCT = { sku: 'TULIP', name: 'Tulip', price: 100, status: 0, images: [] };
const OTHER_VERSION = { precondition: { versions: [99] } };
export const orderOf = ({ records }: Scene, quantity: number, fields: Message = {}) => ({
  order: {
    customerId: records['customer_id'],
    items: [{ productId: records['product_id'], quantity }],
    paymentMethod: 0,
    ...fields,
  },
});
const product = ({ call, records }: Scene, method: string, fields: Message) =>
  call(`ProductService/${method}`, { productId: records['product_id'], ...fields });
const renamed = { product: { status: 0, images: [], name: 'Peony' }, updateMask: ['name'] };
const customer = ({ call, records }: Scene, method: string, fields: Message) =>
  call(`CustomerService/${method}`, { customerId: records['customer_id'], ...fields });
const order = ({ call, records }: Scene, method: string, fields: Message) =>
  call(`OrderService/${method}`, { orderId: records['order_id'], ...fields });
const noted = { order: { items: [], paymentMethod: 0, note: 'Red' }, updateMask: ['note'] };
/** Creates an order and moves it to a status in which it cannot be deleted. */
export async function confirmedOrder(scene: Scene): Promise<string> {
  const created = await scene.call('OrderService/CreateOrder', orderOf(scene, 1));
  const { id } = (created as { readonly order: { readonly id: string } }).order;
  for (const status of [2, 3]) await scene.call('OrderService/SetOrderStatus', { orderId: id, status });
  return id;
}

export const BUSINESS_CALLS: Calls = {
  'CustomerService/CreateCustomer TENANT_MISMATCH': ({ call }) =>
    call('CustomerService/CreateCustomer', { ...CUSTOMER, ...OTHER_TENANT }),
  'CustomerService/CreateCustomerNote TENANT_MISMATCH': (scene) =>
    customer(scene, 'CreateCustomerNote', { text: 'Note', ...OTHER_TENANT }),
  'CustomerService/SetCustomerStatus TENANT_MISMATCH': (scene) =>
    customer(scene, 'SetCustomerStatus', { status: 1, ...OTHER_TENANT }),
  'CustomerService/SetCustomerStatus PRECONDITION_FAILED': (scene) =>
    customer(scene, 'SetCustomerStatus', { status: 1, ...OTHER_VERSION }),
  'CustomerService/UpdateCustomer TENANT_MISMATCH': (scene) =>
    customer(scene, 'UpdateCustomer', { ...CUSTOMER, updateMask: ['name'], ...OTHER_TENANT }),
  'CustomerService/UpdateCustomer PRECONDITION_FAILED': (scene) =>
    customer(scene, 'UpdateCustomer', { ...CUSTOMER, updateMask: ['name'], ...OTHER_VERSION }),

  // Its request has no field. Two credentials in one call are a violation of every RPC.
  'DashboardService/GetDashboardStats VALIDATION_ERROR': ({ call, world }) =>
    call('DashboardService/GetDashboardStats', {}, { ...world.admin.as, apiKey: ['key'] }),

  'OrderService/CreateOrder TENANT_MISMATCH': (scene) =>
    scene.call('OrderService/CreateOrder', { ...orderOf(scene, 1), ...OTHER_TENANT }),
  'OrderService/CreateOrder INSUFFICIENT_STOCK': (scene) =>
    scene.call('OrderService/CreateOrder', orderOf(scene, 9_999)),
  'OrderService/CreateOrder CONFLICT': async (scene) => {
    const idempotencyKey = 'once';
    await scene.call('OrderService/CreateOrder', { ...orderOf(scene, 1), idempotencyKey });
    await scene.call('OrderService/CreateOrder', { ...orderOf(scene, 1, { note: 'Other' }), idempotencyKey });
  },
  'OrderService/UpdateOrder TENANT_MISMATCH': (scene) => order(scene, 'UpdateOrder', { ...noted, ...OTHER_TENANT }),
  'OrderService/UpdateOrder PRECONDITION_FAILED': (scene) =>
    order(scene, 'UpdateOrder', { ...noted, ...OTHER_VERSION }),
  'OrderService/UpdateOrder INSUFFICIENT_STOCK': (scene) =>
    order(scene, 'UpdateOrder', { ...orderOf(scene, 9_999), updateMask: ['items'] }),
  'OrderService/UpdateOrder CONFLICT': async (scene) =>
    scene.call('OrderService/UpdateOrder', {
      orderId: await confirmedOrder(scene),
      ...orderOf(scene, 2),
      updateMask: ['items'],
    }),
  'OrderService/SetOrderStatus PERMISSION_DENIED': async (scene) => {
    const { as } = await scene.world.actor({ tenantId: 'acme', roles: ['DELIVERY'] });
    await scene.call('OrderService/SetOrderStatus', { orderId: scene.records['order_id'], status: 2 }, as);
  },
  'OrderService/SetOrderStatus TENANT_MISMATCH': (scene) =>
    order(scene, 'SetOrderStatus', { status: 2, ...OTHER_TENANT }),
  'OrderService/SetOrderStatus PRECONDITION_FAILED': (scene) =>
    order(scene, 'SetOrderStatus', { status: 2, ...OTHER_VERSION }),
  'OrderService/SetOrderStatus INVALID_TRANSITION': (scene) => order(scene, 'SetOrderStatus', { status: 6 }),
  'OrderService/DeleteOrder PRECONDITION_FAILED': (scene) => order(scene, 'DeleteOrder', OTHER_VERSION),
  'OrderService/DeleteOrder CONFLICT': async (scene) =>
    scene.call('OrderService/DeleteOrder', { orderId: await confirmedOrder(scene) }),

  'ProductService/CreateProduct TENANT_MISMATCH': ({ call }) =>
    call('ProductService/CreateProduct', { product: PRODUCT, ...OTHER_TENANT }),
  'ProductService/CreateProduct CONFLICT': ({ call }) =>
    call('ProductService/CreateProduct', { product: { ...PRODUCT, sku: 'ROSE' } }),
  'ProductService/UpdateProduct TENANT_MISMATCH': (scene) =>
    product(scene, 'UpdateProduct', { ...renamed, ...OTHER_TENANT }),
  'ProductService/UpdateProduct PRECONDITION_FAILED': (scene) =>
    product(scene, 'UpdateProduct', { ...renamed, ...OTHER_VERSION }),
  'ProductService/UpdateProduct CONFLICT': async (scene) => {
    await scene.call('ProductService/CreateProduct', { product: PRODUCT });
    await product(scene, 'UpdateProduct', { product: PRODUCT, updateMask: ['sku'] });
  },
  'ProductService/SetProductStatus TENANT_MISMATCH': (scene) =>
    product(scene, 'SetProductStatus', { status: 1, ...OTHER_TENANT }),
  'ProductService/SetProductStatus PRECONDITION_FAILED': (scene) =>
    product(scene, 'SetProductStatus', { status: 1, ...OTHER_VERSION }),
  'ProductService/DeleteProduct PRECONDITION_FAILED': (scene) => product(scene, 'DeleteProduct', OTHER_VERSION),
};
