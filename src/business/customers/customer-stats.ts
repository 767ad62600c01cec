import type { CurrencyStats } from '../orders/customer-stats-store.ts';

/** A customer's purchases in one currency. Amounts are in hundredths, times in Unix milliseconds. */
export interface CustomerStats {
  readonly orderCount: number;
  readonly totalSpent: number;
  /** Rounded half up; 0 without orders. */
  readonly averageOrderValue: number;
  /** Undefined without orders. */
  readonly firstOrderAt: number | undefined;
  readonly lastOrderAt: number | undefined;
  /** ISO 4217. */
  readonly currency: string;
}

const NO_ORDERS: CustomerStats = {
  orderCount: 0,
  totalSpent: 0,
  averageOrderValue: 0,
  firstOrderAt: undefined,
  lastOrderAt: undefined,
  currency: 'EUR',
};

/** Returns the statistics of the currency with the most orders. On a tie, the alphabetically first currency counts. */
export function customerStatsOf(currencies: readonly CurrencyStats[]): CustomerStats {
  const [main] = currencies.toSorted((a, b) => b.orderCount - a.orderCount || (a.currency < b.currency ? -1 : 1));
  if (!main) return NO_ORDERS;
  const { currency, orderCount, total, firstOrderAt, lastOrderAt } = main;
  const averageOrderValue = Math.round(total / orderCount);
  return { currency, orderCount, totalSpent: total, averageOrderValue, firstOrderAt, lastOrderAt };
}
