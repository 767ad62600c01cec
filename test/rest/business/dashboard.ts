// The dashboard as tests look at it.
import { expect } from 'vitest';
import type { TestClock } from '../../support/clock.ts';
import type { Deployment } from '../../support/deployment.ts';
import { bearer } from '../../support/rest-client.ts';
import { seedSession } from '../../support/sessions.ts';
import { callerWith, type Caller } from '../../support/callers.ts';

/** Its lists, below `/api/v1`. */
export const LISTS = ['/dashboard/recent-orders', '/dashboard/inventory-alerts', '/dashboard/notifications'] as const;
export const STATS = '/dashboard/stats';

export const DAY_MS = 24 * 3600_000;

/** Figures by name, those by status as `ordersByStatus.NEW`. */
export type Figures = Readonly<Record<string, number | string>>;

/** The figures of a tenant that has nothing. */
export const NOTHING = {
  ordersToday: 0,
  openOrders: 0,
  revenueToday: 0,
  revenueThisMonth: 0,
  ordersByStatus: {
    NEW: 0,
    CONFIRMED: 0,
    IN_PRODUCTION: 0,
    READY: 0,
    OUT_FOR_DELIVERY: 0,
    DELIVERED: 0,
    COMPLETED: 0,
    CANCELLED: 0,
  },
  customers: 0,
  newCustomersThisMonth: 0,
  products: 0,
  lowStockProducts: 0,
  currency: 'EUR',
};

/** The figures as they are now. */
export async function figuresOf(by: Caller): Promise<Figures> {
  const { status, body } = await by.get(STATS);
  expect(status).toBe(200);
  const { ordersByStatus, ...others } = body;
  const byStatus = Object.entries<number>(ordersByStatus).map(([name, count]) => [`ordersByStatus.${name}`, count]);
  return { ...others, ...Object.fromEntries(byStatus) };
}

/** By how much figures have changed; those that have not are left out. */
export function changes(before: Figures, after: Figures): Record<string, number> {
  const difference = (name: string) => Math.round((Number(after[name]) - Number(before[name])) * 100) / 100;
  return Object.fromEntries(
    Object.keys(after)
      .filter((name) => name !== 'currency' && difference(name) !== 0)
      .map((name) => [name, difference(name)]),
  );
}

/** A whole list, page by page. */
export async function all(by: Caller, path: string, perPage = 100): Promise<any[]> {
  const items: any[] = [];
  for (let page = 1; ; page += 1) {
    const { status, body, headers } = await by.get(`${path}?page=${page}&perPage=${perPage}`);
    expect(status).toBe(200);
    items.push(...body);
    if (body.length === 0) {
      expect(headers.get('x-total-count')).toBe(String(items.length));
      return items;
    }
  }
}

/** The same caller after its token has expired. */
export async function renewed(deployment: Deployment, { account }: Caller): Promise<Caller> {
  return callerWith(deployment.url, account, bearer((await seedSession(deployment, account)).accessToken));
}

/** Sets the clock forward to a time. */
export function advanceTo(clock: TestClock, time: number): void {
  clock.advance(time - clock.now());
}

/** Noon of a day in the middle of the month that comes after the clock's. */
export function nextMidMonth(clock: TestClock): number {
  const now = new Date(clock.now());
  return Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 15, 12);
}

/** The date of a time, YYYY-MM-DD. */
export const dateOf = (time: number): string => new Date(time).toISOString().slice(0, 10);
