// Creates the records of the demo's shops through the code of the services, so that counters, stock and history match.
import { changeCounts, type CountChange } from '../../business/counter-store.ts';
import type { NewCustomer } from '../../business/customers/customer.ts';
import { insertNote } from '../../business/customers/customer-note-store.ts';
import { CUSTOMERS } from '../../business/customers/customer-store.ts';
import type { Dependencies } from '../../business/dependencies.ts';
import { newRecord } from '../../business/record-store.ts';
import { PRODUCTS } from '../../business/products/product-store.ts';
import { UNLIMITED } from '../../platform/clock.ts';
import { newId } from '../../platform/db/ids.ts';
import { repeatRolledBack } from '../../platform/db/repeat-rolled-back.ts';
import type { Statements } from '../../platform/db/types.ts';
import type { AccountStore } from '../../auth/identity/account-store.ts';
import { DEMO_ACME } from './demo-acme.ts';
import { DEMO_GLOBEX } from './demo-globex.ts';
import { addOrders } from './demo-orders.ts';
import type { Opening } from './demo-shop.ts';

const SHOPS = [DEMO_ACME, DEMO_GLOBEX];

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** Days before the first customer. */
const ASSORTMENT_AGE_MS = 100 * DAY_MS;

/**
 * Creates the records of these tenants. The caller must have created the tenants, so that concurrent starts create each
 * shop once.
 */
export async function createDemoBusiness(
  tenantIds: readonly string[],
  { database, accounts, clock }: Dependencies & { readonly accounts: AccountStore },
): Promise<void> {
  const now = clock();
  const idOf = async (username: string) => (await accounts.findByUsername(username))!.account.id;
  for (const shop of SHOPS.filter(({ tenantId }) => tenantIds.includes(tenantId))) {
    const { sales, workshop, office } = shop.staff;
    const staff = { sales: await idOf(sales), workshop: await idOf(workshop), office: await idOf(office) };
    const open = async (tx: Statements) => {
      const opening = { tx, shop, staff, now };
      const products = await addProducts(opening);
      const customers = await addCustomers(opening);
      await addOrders(opening, { products, customers });
    };
    await repeatRolledBack(() => database.transaction(UNLIMITED, open));
  }
}

/** Adds the products. Returns their ids by SKU. */
async function addProducts({ tx, shop, now }: Opening): Promise<ReadonlyMap<string, string>> {
  const { tenantId, descriptions } = shop;
  const products = shop.products.map(([sku, name, category, price, stock, reorderLevel, status = 'ACTIVE'], index) => {
    const fields = { sku, name, category, price, stock, reorderLevel, status, description: descriptions?.[sku] };
    return { ...fields, currency: 'EUR', ...newRecord(tenantId, now - ASSORTMENT_AGE_MS + index * MINUTE_MS) };
  });
  for (const product of products) await PRODUCTS.insert(tx, product);
  await changeCounts(tx, tenantId, 'products', countsOf(products));
  return new Map(products.map(({ sku, id }) => [sku, id]));
}

/** Adds the customers. Returns them by name. */
async function addCustomers({ tx, shop, staff, now }: Opening): Promise<ReadonlyMap<string, NewCustomer>> {
  const { tenantId } = shop;
  const customers: NewCustomer[] = [];
  const oldestFirst = shop.customers.toSorted((a, b) => b[4] - a[4]);
  for (const [name, email, phone, address, daysAgo, status = 'ACTIVE'] of oldestFirst) {
    const customer = { name, email, phone, address, status, ...newRecord(tenantId, now - daysAgo * DAY_MS) };
    await CUSTOMERS.insert(tx, customer);
    const notes = shop.notes.filter(([of]) => of === name);
    for (const [index, [, text]] of notes.entries()) {
      const note = { id: newId(), tenantId, customerId: customer.id, text, authorId: staff.sales };
      await insertNote(tx, { ...note, createdAt: customer.createdAt + (index + 1) * HOUR_MS });
    }
    customers.push(customer);
  }
  await changeCounts(tx, tenantId, 'customers', countsOf(customers));
  return new Map(customers.map((customer) => [customer.name, customer]));
}

function countsOf(records: readonly { readonly status: string }[]): CountChange[] {
  return [...Map.groupBy(records, ({ status }) => status)].map(([status, { length }]) => ({ status, by: length }));
}
