// Money: numbers with at most two decimals in JSON, minor units in RPCs.
import Type from 'typebox';

/** Most that an amount can be. */
const MAX_AMOUNT = 9_999_999.99;

/** Schema of an amount that a caller gives. */
export const Amount = (description: string) =>
  Type.Number({ minimum: 0, maximum: MAX_AMOUNT, format: 'money', description, examples: [12.5] });

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
