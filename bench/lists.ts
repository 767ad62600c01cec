// Compares the time of a page of orders between a tenant with many orders and a tenant with few: `npm run bench -- lists`.
// Options: --orders 1000000, --tenants 200, --runs 15.
import { parseArgs } from 'node:util';
import { pino } from 'pino';
import { UNLIMITED } from '../src/platform/clock.ts';
import { connectDatabase } from '../src/platform/db/connect.ts';
import { migrate } from '../src/platform/db/migrate.ts';
import type { Database } from '../src/platform/db/types.ts';
import { type OrderFilter, selectOrders } from '../src/business/orders/order-store.ts';
import { startMariaDb } from './mariadb.ts';
import { seedOrders } from './seed-orders.ts';

const SMALL = 'small';
const BIG = 'big';
const FEW = 1_000;
const PER_PAGE = 20;
const DAY_MS = 24 * 3_600_000;

const { values } = parseArgs({
  options: {
    orders: { type: 'string', default: '1000000' },
    tenants: { type: 'string', default: '200' },
    runs: { type: 'string', default: '15' },
  },
});
const many = Number(values.orders);
const runs = Number(values.runs);
const now = Date.now();

interface Case {
  readonly title: string;
  readonly filter: OrderFilter;
  readonly offset: number;
  readonly sort?: string;
}

const CASES: readonly Case[] = [
  { title: 'first page', filter: {}, offset: 0 },
  { title: 'first page, status NEW', filter: { status: 'NEW' }, offset: 0 },
  { title: 'first page, status COMPLETED', filter: { status: 'COMPLETED' }, offset: 0 },
  { title: 'offset 20,000', filter: {}, offset: 20_000 },
  { title: 'offset 100,000', filter: {}, offset: 100_000 },
  { title: 'offset 100,000, status COMPLETED', filter: { status: 'COMPLETED' }, offset: 100_000 },
  { title: 'the middle', filter: {}, offset: many / 2 },
  { title: 'the last page', filter: {}, offset: many - PER_PAGE },
  { title: 'first page by number', filter: {}, offset: 0, sort: 'number' },
  { title: 'first page by total', filter: {}, offset: 0, sort: 'total' },
  { title: 'first page by deliveryDate', filter: {}, offset: 0, sort: 'delivery_date' },
  { title: 'placed in the last 7 days', filter: { from: now - 7 * DAY_MS }, offset: 0 },
  { title: 'placed in the last year', filter: { from: now - 365 * DAY_MS }, offset: 0 },
  { title: 'search that finds 1 %', filter: { query: '77 high' }, offset: 0 },
  { title: 'search that finds nothing', filter: { query: 'no such street' }, offset: 0 },
];

const server = await startMariaDb(0, ['--innodb-buffer-pool-size=1G']);
const log = pino({ level: 'warn' });
const database = connectDatabase({ url: server.url, poolSize: 4, log });
try {
  await migrate(database, log);
  await seed(database);
  process.stdout.write(
    `| Page of ${PER_PAGE} | ${many} orders, ms | ${FEW} orders, ms | Ratio |\n| --- | ---: | ---: | ---: |\n`,
  );
  for (const each of CASES) {
    const big = await median(BIG, each);
    const small = each.offset < FEW ? await median(SMALL, each) : undefined;
    const ratio = small === undefined ? '' : (big / small).toFixed(2);
    process.stdout.write(`| ${each.title} | ${big.toFixed(1)} | ${small?.toFixed(1) ?? ''} | ${ratio} |\n`);
  }
} finally {
  await database.close();
  await server.stop();
}

async function seed(to: Database): Promise<void> {
  const started = performance.now();
  await seedOrders(to, BIG, many, now);
  for (let tenant = 0; tenant < Number(values.tenants); tenant += 1) await seedOrders(to, `t${tenant}`, FEW, now);
  await seedOrders(to, SMALL, FEW, now);
  await to.query('ANALYZE TABLE orders, order_items');
  const seconds = Math.round((performance.now() - started) / 1000);
  process.stderr.write(`seeded in ${seconds} s\n`);
}

/** Returns the median time of the database queries for a page, in milliseconds. The first run is a warm-up. */
async function median(tenantId: string, { filter, offset, sort }: Case): Promise<number> {
  const page = { perPage: PER_PAGE, offset, reader: { deadline: UNLIMITED, tenantId } };
  const order = sort === undefined ? undefined : [{ column: sort, descending: true }];
  const times: number[] = [];
  for (let run = 0; run <= runs; run += 1) {
    const started = performance.now();
    await selectOrders(database, tenantId, filter, page, order);
    times.push(performance.now() - started);
  }
  return times.slice(1).toSorted((a, b) => a - b)[Math.floor(runs / 2)]!;
}
