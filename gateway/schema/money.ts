// Money: in JSON a number with at most two decimals, in RPCs an integer of hundredths, for every currency.

/** The Ajv format `money`: at most two decimals. */
export const MONEY_FORMAT = {
  type: 'number',
  validate: (amount: number) => Math.round(amount * 100) / 100 === amount,
} as const;

/** Converts an amount to hundredths: 19.99 becomes 1999. */
export function toHundredths(amount: number): number {
  // Adding 0 turns -0, which JSON allows, into 0.
  return Math.round(amount * 100) + 0;
}

/** Converts hundredths to an amount: 1999 becomes 19.99. */
export function amountOf(hundredths: number): number {
  return hundredths / 100;
}
