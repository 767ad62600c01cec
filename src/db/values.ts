import type { SqlValue } from './types.ts';

/**
 * Checks the values of a statement before they reach a driver, which would coerce or misread them: a boolean
 * becomes 1, an object JSON, and a fraction is rounded by one engine and kept by the other. Times, counts and
 * amounts are integers here. Throws TypeError, a defect of the caller; the message never shows a value.
 */
export function checkValues(values: readonly SqlValue[]): void {
  for (let index = 0; index < values.length; index += 1) {
    const value: unknown = values[index];
    if (typeof value === 'string' || value === null || value instanceof Uint8Array) continue;
    if (Number.isSafeInteger(value)) continue;
    throw new TypeError(
      `SQL value ${index + 1} of ${values.length} is ${describe(value)}; string, safe integer, Uint8Array or null wanted`,
    );
  }
}

function describe(value: unknown): string {
  if (typeof value === 'number') return Number.isNaN(value) ? 'NaN' : 'a number that is no safe integer';
  return `of type ${typeof value}`;
}
