// Money: numbers with at most two decimals in JSON, minor units in RPCs.

/** What Ajv checks where a schema says `format: money`: no more than two decimals. */
export const MONEY_FORMAT = {
  type: 'number',
  validate: (amount: number) => Math.round(amount * 100) / 100 === amount,
} as const;

/** 19.99 becomes 1999. */
export function minorUnits(amount: number): number {
  // Plus 0, because JSON knows a negative zero.
  return Math.round(amount * 100) + 0;
}

/** 1999 becomes 19.99. */
export function amountOf(units: number): number {
  return units / 100;
}
