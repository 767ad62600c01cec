import type { SqlValue } from './types.ts';

/**
 * Checks the values of a statement, because drivers would convert or misread some of them. A boolean becomes 1 and an
 * object JSON; one engine rounds a fraction, the other keeps it. Times, counts and amounts are integers here. Throws
 * TypeError, a defect of the caller; the message never shows a value.
 */
export function checkValues(values: readonly SqlValue[]): void {
  for (let index = 0; index < values.length; index += 1) {
    const value: unknown = values[index];
    if (typeof value === 'string' || value === null || value instanceof Uint8Array) continue;
    if (Number.isSafeInteger(value)) continue;
    throw new TypeError(
      `SQL value ${index + 1} of ${values.length} is ${describe(value)}; expected string, safe integer, Uint8Array or null`,
    );
  }
}

function describe(value: unknown): string {
  if (typeof value === 'number') return Number.isNaN(value) ? 'NaN' : 'a number that is not a safe integer';
  return `of type ${typeof value}`;
}
