// The images of a product, which are one text in its row. Servers truncate the text without an error.
import { pino } from 'pino';
import { createConnection, type RowDataPacket } from 'mysql2/promise';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { MAX_IMAGES, type Image } from '../../src/business/files/file.ts';
import { PRODUCTS } from '../../src/business/products/product-store.ts';
import { UNLIMITED } from '../../src/platform/clock.ts';
import { connectDatabase } from '../../src/platform/db/connect.ts';
import { idToBytes, newId } from '../../src/platform/db/ids.ts';
import type { Statements } from '../../src/platform/db/types.ts';
import { createTestDatabase, SERVER_ENGINE, type TestDatabase } from '../support/databases.ts';

const TENANT = 'acme';
/** Its text is as long as the columns permit. */
const LONGEST: Image = { contentType: `image/${'x'.repeat(121)}`, size: Number.MAX_SAFE_INTEGER };

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase(SERVER_ENGINE);
});
afterAll(() => test?.drop());

it(`${SERVER_ENGINE} returns all images, although its default truncates their text`, async () => {
  const id = newId();
  await test.database.transaction(UNLIMITED, async (tx) => {
    await insertProductWithId(tx, id);
    for (let position = 0; position < MAX_IMAGES; position += 1) await insertImage(tx, id, position);
  });
  const server = await createConnection({ uri: test.url });
  const [[before]] = await server.query<RowDataPacket[]>('SELECT @@GLOBAL.group_concat_max_len AS bytes');
  await server.query('SET GLOBAL group_concat_max_len = 32');
  const database = connectDatabase({ url: test.url, poolSize: 1, log: pino({ level: 'silent' }) });
  try {
    const product = await PRODUCTS.find(database, TENANT, id);
    expect(product!.images).toEqual(Array.from({ length: MAX_IMAGES }, () => LONGEST));
  } finally {
    await server.query('SET GLOBAL group_concat_max_len = ?', [before!['bytes']]);
    await server.end();
    await database.close();
  }
});

async function insertProductWithId(tx: Statements, id: string): Promise<void> {
  const times = { createdAt: 1, updatedAt: 1, version: 1 };
  const texts = { sku: 'S', name: 'Rose', description: undefined, category: undefined };
  const amounts = { price: 1, currency: 'EUR', stock: 1, reorderLevel: 0 };
  await PRODUCTS.insert(tx, { id, tenantId: TENANT, ...times, ...texts, ...amounts, status: 'ACTIVE' });
}

async function insertImage(tx: Statements, productId: string, position: number): Promise<void> {
  const row = {
    tenant_id: Buffer.from(TENANT),
    id: idToBytes(newId()),
    date: Buffer.from('2026-01-01'),
    file_name: 'x',
    declared_type: 'image/png',
    declared_size: 1,
    content_type: LONGEST.contentType,
    size: LONGEST.size,
    sha256: Buffer.alloc(32),
    object_key: Buffer.from(`key-${position}`),
    owner_kind: 'product',
    owner_id: idToBytes(productId),
    position,
    created_by: idToBytes(newId()),
    created_at: 1,
  };
  const columns = Object.keys(row);
  const places = columns.map(() => '?').join(', ');
  await tx.execute(`INSERT INTO files (${columns.join(', ')}) VALUES (${places})`, Object.values(row));
}
