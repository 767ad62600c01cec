import type { Knex } from 'knex';
import {
  amount,
  blob,
  bytes,
  bytesKey,
  computedFlag,
  createTable,
  integer,
  largeBlob,
  longText,
  optional,
  text,
  time,
} from '../src/db/create-table.ts';

// Amounts are in minor units. Statuses and the like are stored by name. An order keeps the ids of its customer and its products
// without a foreign key: products may be deleted, and a key would lock their rows. Which index serves what, and what it costs:
// docs/performance.md.
export async function up(knex: Knex): Promise<void> {
  await createTable(knex, 'products', {
    columns: {
      tenant_id: bytesKey(63),
      id: bytes(16),
      sku: bytesKey(256),
      name: text(200),
      description: optional(longText),
      category: optional(text(100)),
      price: amount,
      currency: text(3),
      stock: integer,
      reorder_level: integer,
      low_stock: computedFlag('stock <= reorder_level'),
      status: text(16),
      created_at: time,
      updated_at: time,
      version: integer,
      search_text: blob,
    },
    primaryKey: ['tenant_id', 'id'],
    unique: [['tenant_id', 'sku']],
    indexes: [
      ['tenant_id', 'created_at'],
      ['tenant_id', 'status', 'created_at'],
      // The status, so that whoever counts alerts reads no row.
      ['tenant_id', 'low_stock', 'stock', 'id', 'status'],
    ],
  });
  await createTable(knex, 'customers', {
    columns: {
      tenant_id: bytesKey(63),
      id: bytes(16),
      name: text(200),
      email: optional(text(320)),
      email_key: optional(bytesKey(1280)),
      phone: optional(text(50)),
      phone_digits: optional(bytesKey(50)),
      address: optional(text(1000)),
      status: text(16),
      created_at: time,
      updated_at: time,
      version: integer,
      search_text: blob,
    },
    primaryKey: ['tenant_id', 'id'],
    indexes: [
      ['tenant_id', 'created_at'],
      ['tenant_id', 'status', 'created_at'],
      ['tenant_id', 'email_key'],
      ['tenant_id', 'phone_digits'],
    ],
  });
  await createTable(knex, 'customer_notes', {
    columns: {
      tenant_id: bytesKey(63),
      customer_id: bytes(16),
      id: bytes(16),
      text: longText,
      author_id: bytes(16),
      created_at: time,
    },
    primaryKey: ['tenant_id', 'customer_id', 'id'],
    owner: { columns: ['tenant_id', 'customer_id'], table: 'customers', key: ['tenant_id', 'id'] },
  });
  await createTable(knex, 'orders', {
    columns: {
      tenant_id: bytesKey(63),
      id: bytes(16),
      number: amount,
      customer_id: bytes(16),
      total: amount,
      currency: text(3),
      status: text(16),
      payment_method: optional(text(16)),
      delivery_date: optional(text(10)),
      delivery_address: optional(text(1000)),
      note: optional(longText),
      created_at: time,
      updated_at: time,
      version: integer,
      search_text: blob,
    },
    primaryKey: ['tenant_id', 'id'],
    unique: [['tenant_id', 'number']],
    indexes: [
      // The id right after the time, as lists are sorted; the rest for the revenue of a period, without reading the rows.
      ['tenant_id', 'created_at', 'id', 'status', 'currency', 'total'],
      ['tenant_id', 'status', 'created_at'],
      ['tenant_id', 'status', 'delivery_date'],
      ['tenant_id', 'customer_id', 'created_at'],
      ['tenant_id', 'delivery_date'],
      ['tenant_id', 'total'],
    ],
  });
  await createTable(knex, 'order_items', {
    columns: {
      tenant_id: bytesKey(63),
      order_id: bytes(16),
      position: integer,
      product_id: bytes(16),
      name: text(200),
      quantity: integer,
      unit_price: amount,
    },
    primaryKey: ['tenant_id', 'order_id', 'position'],
    owner: { columns: ['tenant_id', 'order_id'], table: 'orders', key: ['tenant_id', 'id'] },
  });
  await createTable(knex, 'order_status_changes', {
    columns: {
      tenant_id: bytesKey(63),
      order_id: bytes(16),
      version: integer,
      from_status: optional(text(16)),
      to_status: text(16),
      at: time,
      by_id: bytes(16),
      note: optional(longText),
    },
    primaryKey: ['tenant_id', 'order_id', 'version'],
    owner: { columns: ['tenant_id', 'order_id'], table: 'orders', key: ['tenant_id', 'id'] },
  });
  await createTable(knex, 'order_idempotency_keys', {
    columns: {
      tenant_id: bytesKey(63),
      account_id: bytes(16),
      key_hash: bytes(32),
      request_hash: bytes(32),
      answer: largeBlob,
      expires_at: time,
    },
    primaryKey: ['tenant_id', 'account_id', 'key_hash'],
    indexes: [['expires_at']],
  });
  await createTable(knex, 'tenant_counters', {
    columns: { tenant_id: bytesKey(63), name: bytesKey(40), value: amount },
    primaryKey: ['tenant_id', 'name'],
  });
}
