// The statements of a list's page. Each is a round trip to the database.
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { changeCounts } from '../../src/business/counter-store.ts';
import { CUSTOMERS, selectCustomers } from '../../src/business/customers/customer-store.ts';
import { insertNote, selectNotes } from '../../src/business/customers/customer-note-store.ts';
import { ORDERS, selectOrders } from '../../src/business/orders/order-store.ts';
import { PRODUCTS as PRODUCT_ROWS, selectProducts } from '../../src/business/products/product-store.ts';
import { UNLIMITED } from '../../src/platform/clock.ts';
import { newId } from '../../src/platform/db/ids.ts';
import type { Database, SqlValue, StoredValue } from '../../src/platform/db/types.ts';
import { ENGINES, SERVER_ENGINE, type TestDatabase, createTestDatabase } from '../support/databases.ts';

const TENANT = 'acme';
const NEWEST_FIRST = [{ column: 'created_at', descending: true }];
const EVERYTHING = { query: undefined, status: undefined };
const PRODUCTS = { ...EVERYTHING, category: undefined, lowStock: undefined };
const CUSTOMER = newId();
const reader = { deadline: UNLIMITED, tenantId: TENANT };
const pageOf = (page: number) => ({ page, perPage: 2, offset: (page - 1) * 2, reader });

const LISTS = {
  products: (db: Database, page: number) => selectProducts(db, TENANT, PRODUCTS, NEWEST_FIRST, pageOf(page)),
  'products found by a text': (db: Database, page: number) =>
    selectProducts(db, TENANT, { ...PRODUCTS, query: 'rose' }, NEWEST_FIRST, pageOf(page)),
  customers: (db: Database, page: number) => selectCustomers(db, TENANT, EVERYTHING, NEWEST_FIRST, pageOf(page)),
  'notes of a customer': (db: Database, page: number) =>
    selectNotes(db, { tenantId: TENANT, id: CUSTOMER }, pageOf(page)),
  orders: (db: Database, page: number) => selectOrders(db, TENANT, {}, pageOf(page)),
} as const;

/** Of five records, two on a page: the first page, the last page and a page beyond the end. */
const STATEMENTS: Readonly<Record<keyof typeof LISTS, readonly number[]>> = {
  products: [1, 1, 2],
  // A search that finds nothing must not search twice.
  'products found by a text': [2, 2, 1],
  customers: [1, 1, 2],
  'notes of a customer': [1, 1, 2],
  // Orders have items, which are read for the orders of the page alone.
  orders: [2, 2, 2],
};

describe.each(ENGINES)('on %s', (engine) => {
  let test: TestDatabase;

  beforeAll(async () => {
    test = await createTestDatabase(engine);
    for (const index of [0, 1, 2, 3, 4]) await insertRecords(test.database, index);
  });
  afterAll(() => test?.drop());

  it.each(Object.keys(LISTS) as (keyof typeof LISTS)[])('reads a page of %s in few statements', async (list) => {
    const counts: number[] = [];
    for (const page of [1, 3, 4]) {
      const { database, statements } = recording(test.database);
      const { total } = await LISTS[list](database, page);
      expect(total).toBe(5);
      counts.push(statements.length);
    }
    expect(counts).toEqual(STATEMENTS[list]);
  });

  it('returns the same pages whether it reads them from the start or from the end', async () => {
    for (const page of [1, 2, 3, 4]) {
      const fromStart = await LISTS.products(test.database, page);
      // The rows that match a text are counted first, so its pages in the second half are read from the end.
      expect(await LISTS['products found by a text'](test.database, page)).toEqual(fromStart);
    }
  });
});

describe('SQLite', () => {
  let test: TestDatabase;

  beforeAll(async () => {
    test = await createTestDatabase('sqlite');
    for (const index of [0, 1, 2, 3, 4]) await insertRecords(test.database, index);
  });
  afterAll(() => test?.drop());

  // It computes the columns of a row before it sorts the row. Those of products contain a subquery.
  it.each(['created_at', 'price', 'sku', 'name'])(
    'computes the columns of the first page alone, sorted by %s',
    async (column) => {
      const { database, statements } = recording(test.database);
      for (const query of [undefined, 'rose']) {
        statements.length = 0;
        await selectProducts(database, TENANT, { ...PRODUCTS, query }, [{ column, descending: true }], pageOf(1));
        // Two, or three where the ids break ties.
        expect([2, 3]).toContain(countHexCalls(test.url, statements.at(-1)!));
      }
    },
  );
});

/** Returns for how many rows SQLite computes the id, which it reads as hexadecimal text. */
function countHexCalls(url: string, { sql, values }: Statement): number {
  const file = new DatabaseSync(url.replace('sqlite:', ''));
  let calls = 0;
  file.function('is_wanted', () => 1);
  file.function('hex', (id) => {
    calls += 1;
    return Buffer.from(id as Uint8Array).toString('hex');
  });
  file.prepare(sql).all(...(values as StoredValue[]));
  file.close();
  return calls;
}

// Without the hint, an optimizer that knows only few files reads all files of the tenant for each product.
it(`${SERVER_ENGINE} reads the images of products by their owner`, async () => {
  const test = await createTestDatabase(SERVER_ENGINE);
  const { database, statements } = recording(test.database);
  await LISTS.products(database, 1);
  const [{ sql, values }] = statements as [Statement];
  const plan = await test.database.query(`EXPLAIN FORMAT=TRADITIONAL ${sql}`, values);
  expect(plan.find(({ table }) => table === 'files')).toMatchObject({
    key: 'files_tenant_id_owner_kind_owner_id_position_unique',
  });
  await test.drop();
});

interface Statement {
  readonly sql: string;
  readonly values: readonly SqlValue[];
}

/** Returns a database that records its reads. */
function recording(database: Database): { readonly database: Database; readonly statements: Statement[] } {
  const statements: Statement[] = [];
  const query: Database['query'] = (sql, values = []) => {
    statements.push({ sql, values });
    return database.query(sql, values);
  };
  const queryLong: Database['queryLong'] = (sql, values, by) => {
    statements.push({ sql, values });
    return database.queryLong(sql, values, by);
  };
  return { database: { ...database, query, queryLong }, statements };
}

async function insertRecords(database: Database, index: number): Promise<void> {
  const at = { createdAt: 1_000 + index, updatedAt: 1_000 + index, version: 1 };
  const common = { id: newId(), tenantId: TENANT, ...at };
  const none = { email: undefined, phone: undefined, address: undefined };
  const product = { name: 'Rose', description: undefined, category: undefined, price: 1, currency: 'EUR' };
  const items = [{ productId: newId(), name: 'Rose', quantity: 1, unitPrice: 1 }];
  const delivery = { paymentMethod: undefined, deliveryDate: undefined, deliveryAddress: undefined, note: undefined };
  const order = { number: index, customerId: CUSTOMER, items, total: 1, currency: 'EUR', status: 'NEW' } as const;
  await database.transaction(UNLIMITED, async (tx) => {
    await PRODUCT_ROWS.insert(tx, {
      ...common,
      ...product,
      sku: `S${index}`,
      stock: 1,
      reorderLevel: 0,
      status: 'ACTIVE',
    });
    await CUSTOMERS.insert(tx, {
      ...common,
      ...none,
      id: index === 0 ? CUSTOMER : newId(),
      name: 'Ada',
      status: 'ACTIVE',
    });
    await insertNote(tx, { ...common, customerId: CUSTOMER, text: 'x', authorId: newId() });
    await ORDERS.insert(tx, { ...common, ...order, ...delivery, productionPhotos: [], deliveryPhotos: [] });
    await changeCounts(tx, TENANT, 'products', [{ status: 'ACTIVE', by: 1 }]);
    await changeCounts(tx, TENANT, 'customers', [{ status: 'ACTIVE', by: 1 }]);
    await changeCounts(tx, TENANT, 'orders', [{ status: 'NEW', by: 1 }]);
  });
}
