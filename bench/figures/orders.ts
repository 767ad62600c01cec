import type { Figure } from '../compare.ts';
import { spreadOf } from '../results.ts';
import { seedOrders } from '../seed-orders.ts';
import { TENANT_ID } from '../seed.ts';
import { sample, type Stand } from '../stand.ts';

const ORDERS = 1_000_000;
const RUNS = 9;

/** Pages of the list, each with the longest time that meets the aim, in milliseconds. */
const PAGES = [
  { name: 'first page', query: 'perPage=20', aim: 10 },
  { name: 'page 1,000', query: 'perPage=20&page=1000', aim: 50 },
  { name: 'search that finds 1 %', query: 'perPage=20&q=77%20high', aim: 400 },
];

/** Measures pages of a list of 1,000,000 orders over REST, one request at a time. */
export function orderFigures({ engine, service, database, sessions, scale }: Stand): readonly Figure[] {
  const orders = Math.max(20_000, Math.round(ORDERS * scale));
  const headers = { authorization: `Bearer ${sessions[0]!.accessToken}` };
  let seeding: Promise<void> | undefined;
  return PAGES.map(({ name, query, aim }) => ({
    title: `GET /orders, ${name} of ${orders.toLocaleString('en')}, ${engine}`,
    unit: 'ms',
    aim,
    async measure() {
      await (seeding ??= seedOrders(database, TENANT_ID, orders, Date.now()));
      const times: number[] = [];
      for (let run = 0; run <= RUNS; run += 1) {
        const began = performance.now();
        const page = JSON.parse(await sample(`${service.url}/api/v1/orders?${query}`, { headers })) as unknown[];
        times.push(performance.now() - began);
        if (page.length !== 20) throw new Error(`${name}: ${page.length} orders`);
      }
      const { median, min, max } = spreadOf(times.slice(1));
      return { value: median, detail: `median of ${RUNS} requests, ${min.toFixed(1)}–${max.toFixed(1)} ms` };
    },
  }));
}
