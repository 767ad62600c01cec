import { ServerTime, type SqlValue, type StoredValue } from './types.ts';

/**
 * Checks the values of a statement, because drivers would convert or misread some of them. A boolean becomes 1 and an
 * object JSON; one engine rounds a fraction, the other keeps it. Times, counts and amounts are integers here. Throws
 * TypeError, a defect of the caller; the message never shows a value.
 */
export function checkValues(values: readonly SqlValue[]): asserts values is readonly StoredValue[] {
  checkEach(values, isStored);
}

/** Checks values like checkValues. A server with its own clock also accepts ServerTime. */
export function checkServerValues(values: readonly SqlValue[]): void {
  checkEach(values, (value) => isStored(value) || value instanceof ServerTime);
}

function checkEach(values: readonly SqlValue[], isValid: (value: unknown) => boolean): void {
  for (let index = 0; index < values.length; index += 1) {
    const value: unknown = values[index];
    if (isValid(value)) continue;
    throw new TypeError(
      `SQL value ${index + 1} of ${values.length} is ${describe(value)}; expected string, safe integer, Uint8Array or null`,
    );
  }
}

function isStored(value: unknown): boolean {
  return typeof value === 'string' || value === null || value instanceof Uint8Array || Number.isSafeInteger(value);
}

function describe(value: unknown): string {
  if (typeof value === 'number') return Number.isNaN(value) ? 'NaN' : 'a number that is not a safe integer';
  return `of type ${typeof value}`;
}
