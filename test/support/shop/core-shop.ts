// A tenant with products, customers and orders, for tests that call the core directly.
import {
  CustomerServiceService,
  CustomerStatus,
  type CustomerFields,
} from '../../../proto/gen/authservice/business/v1/customer_service.ts';
import {
  OrderServiceService,
  OrderStatus,
  type CreateOrderRequest,
  type ListOrdersRequest,
  type Order,
  type OrderFields,
  type OrderLine,
  type SetOrderStatusRequest,
  type UpdateOrderRequest,
} from '../../../proto/gen/authservice/business/v1/order_service.ts';
import {
  ProductServiceService,
  ProductStatus,
  type Product,
  type ProductFields,
} from '../../../proto/gen/authservice/business/v1/product_service.ts';
import { tenantScope } from '../../../src/platform/db/query/tenant-scope.ts';
import type { Account } from '../../../src/auth/access/account.ts';
import type { Role } from '../../../src/auth/access/roles/built-in-roles.ts';
import { ORDER_STATUSES, type OrderStatus as StatusName } from '../../../src/business/orders/order-status.ts';
import { RpcError } from '../../../src/platform/rpc/errors/rpc-error.ts';
import type { CallOptions, Client } from '../../../src/platform/rpc/types.ts';
import { seedAccount } from '../accounts.ts';
import type { Deployment } from '../deployment.ts';
import { signIn } from '../sessions.ts';

export interface Shop {
  readonly tenantId: string;
  /** The shop's manager. */
  readonly manager: Account;
  /** Options for calls as the manager. */
  readonly as: CallOptions;
  /** The shop's customer. */
  readonly regular: string;
  readonly orders: Client<typeof OrderServiceService>;
  readonly products: Client<typeof ProductServiceService>;
  readonly customers: Client<typeof CustomerServiceService>;
  /** Returns options for calls as another user of the shop. */
  actor(roles: readonly Role[]): Promise<CallOptions>;
  product(fields?: Partial<ProductFields>): Promise<Product>;
  setPrice(product: Pick<Product, 'id'>, price: number): Promise<unknown>;
  setProductStatus(product: Pick<Product, 'id'>, status: 'ACTIVE' | 'INACTIVE' | 'ARCHIVED'): Promise<unknown>;
  removeProduct(product: Pick<Product, 'id'>): Promise<unknown>;
  customerId(fields?: Partial<CustomerFields>): Promise<string>;
  /** Creates an order of the shop's customer. */
  place(fields: Partial<OrderFields>, more?: Partial<CreateOrderRequest>): Promise<Order>;
  get(order: Pick<Order, 'id'>): Promise<Order>;
  list(request?: Partial<ListOrdersRequest>): Promise<readonly Order[]>;
  /** Updates the given fields. */
  change(order: Pick<Order, 'id'>, fields: Partial<OrderFields>, more?: Partial<UpdateOrderRequest>): Promise<Order>;
  setStatus(order: Pick<Order, 'id'>, status: StatusName, more?: Partial<SetOrderStatusRequest>): Promise<Order>;
  remove(order: Pick<Order, 'id'>): Promise<unknown>;
  stockOf(product: Pick<Product, 'id'>): Promise<number>;
  /** Returns the number of orders by status: counted from rows, and read from the counters. Omits statuses without orders. */
  counts(): Promise<{ readonly rows: Counts; readonly counters: Counts }>;
}

type Counts = Readonly<Record<string, number>>;

const PATHS: Readonly<Record<keyof OrderFields, string>> = {
  customerId: 'customer_id',
  items: 'items',
  paymentMethod: 'payment_method',
  deliveryDate: 'delivery_date',
  deliveryAddress: 'delivery_address',
  note: 'note',
};

let opened = 0;

/** Creates a tenant with a manager and one customer. */
export async function openShop(deployment: Deployment): Promise<Shop> {
  const { database } = deployment;
  const tenantId = `shop-${(opened += 1)}`;
  const orders = deployment.client(OrderServiceService);
  const products = deployment.client(ProductServiceService);
  const customers = deployment.client(CustomerServiceService);
  const customerId = async (fields: Partial<CustomerFields> = {}): Promise<string> => {
    const customer = { name: 'Customer', status: CustomerStatus.CUSTOMER_STATUS_ACTIVE, ...fields };
    return (await customers.createCustomer({ customer }, as)).customer!.id;
  };
  const manager = await seedAccount(database, { tenantId, roles: ['MANAGER'] });
  const as = await signIn(deployment, manager);
  const regular = await customerId();
  let made = 0;

  return {
    tenantId,
    manager,
    as,
    regular,
    orders,
    products,
    customers,
    customerId,
    actor: async (roles) => signIn(deployment, await seedAccount(database, { tenantId, roles })),
    async product(fields = {}) {
      made += 1;
      const defaults = { sku: `sku-${made}`, name: `Product ${made}`, price: 250, stock: 10, status: 0, images: [] };
      const { product } = await products.createProduct({ product: { ...defaults, ...fields } as ProductFields }, as);
      return product!;
    },
    setPrice: ({ id }, price) =>
      products.updateProduct({ productId: id, product: { price, status: 0, images: [] }, updateMask: ['price'] }, as),
    setProductStatus: ({ id }, status) =>
      products.setProductStatus({ productId: id, status: ProductStatus[`PRODUCT_STATUS_${status}`] }, as),
    removeProduct: ({ id }) => products.deleteProduct({ productId: id }, as),
    async place(fields, more = {}) {
      const order = { customerId: regular, items: [], paymentMethod: 0, ...fields } as OrderFields;
      return (await orders.createOrder({ order, ...more }, as)).order!;
    },
    get: async ({ id }) => (await orders.getOrder({ orderId: id }, as)).order!,
    list: async (request = {}) => (await orders.listOrders({ sort: '', status: 0, ...request }, as)).orders,
    async change({ id }, fields, more = {}) {
      const order: OrderFields = { items: [], paymentMethod: 0, ...fields };
      const updateMask = Object.keys(fields).map((name) => PATHS[name as keyof OrderFields]);
      return (await orders.updateOrder({ orderId: id, order, updateMask, ...more }, as)).order!;
    },
    async setStatus({ id }, status, more = {}) {
      const request = { orderId: id, status: OrderStatus[`ORDER_STATUS_${status}`], photos: [], ...more };
      return (await orders.setOrderStatus(request, as)).order!;
    },
    remove: ({ id }) => orders.deleteOrder({ orderId: id }, as),
    stockOf: async ({ id }) => (await products.getProduct({ productId: id }, as)).product!.stock,
    async counts() {
      const scope = tenantScope(database, tenantId);
      const rows = await scope.query<{ status: string; found: number }>(
        'SELECT status, COUNT(*) AS found FROM orders WHERE tenant_id = :tenant GROUP BY status',
      );
      const counters = await scope.query<{ name: Uint8Array; value: number }>(
        'SELECT name, value FROM tenant_counters WHERE tenant_id = :tenant',
      );
      const byName = counters.map(({ name, value }) => [Buffer.from(name).toString(), value] as const);
      return {
        rows: Object.fromEntries(rows.map(({ status, found }) => [status, found])),
        counters: Object.fromEntries(
          byName.flatMap(([name, value]) =>
            name.startsWith('orders:') && value !== 0 ? [[name.slice('orders:'.length), value]] : [],
          ),
        ),
      };
    },
  };
}

/** Returns an order item. */
export function line({ id }: Pick<Product, 'id'>, quantity: number): OrderLine {
  return { productId: id, quantity };
}

/** Returns a status without its prefix. */
export function statusOf({ status }: Pick<Order, 'status'>): StatusName {
  return ORDER_STATUSES.find((name) => OrderStatus[`ORDER_STATUS_${name}`] === status)!;
}

/** Status transitions from a new order to each status. */
export const WAYS: Readonly<Record<StatusName, readonly StatusName[]>> = {
  NEW: [],
  CONFIRMED: ['CONFIRMED'],
  IN_PRODUCTION: ['CONFIRMED', 'IN_PRODUCTION'],
  READY: ['CONFIRMED', 'IN_PRODUCTION', 'READY'],
  OUT_FOR_DELIVERY: ['CONFIRMED', 'IN_PRODUCTION', 'READY', 'OUT_FOR_DELIVERY'],
  DELIVERED: ['CONFIRMED', 'IN_PRODUCTION', 'READY', 'OUT_FOR_DELIVERY', 'DELIVERED'],
  COMPLETED: ['CONFIRMED', 'IN_PRODUCTION', 'READY', 'COMPLETED'],
  CANCELLED: ['CANCELLED'],
};

/** Changes the status of a new order, step by step, to the given status. */
export async function lead(shop: Shop, order: Order, status: StatusName): Promise<Order> {
  let led = order;
  for (const next of WAYS[status]) led = await shop.setStatus(order, next);
  return led;
}

/**
 * Repeats a call while the service is overloaded: a call that was rejected for this reason had no effect. Deadlocks are not
 * repeated.
 */
export async function insist<T>(call: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await call();
    } catch (error) {
      const isBusy = error instanceof RpcError && error.status.reason === 'SERVICE_UNAVAILABLE';
      if (!isBusy || error.status.message.includes('deadlock')) throw error;
    }
  }
}
