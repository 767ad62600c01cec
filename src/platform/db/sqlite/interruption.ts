// node:sqlite cannot interrupt a statement. So a long one asks at every few thousandth row whether it is still wanted.

/** SQL function of the reader threads. Throws if the running statement is no longer wanted, else returns 1. */
export const IS_WANTED = 'is_wanted';

/** Asking costs a call of JavaScript. Reading so many rows takes a few milliseconds. */
const ROWS_PER_QUESTION = 4_096;

/** Returns a condition that is always true, and ends a statement that is no longer wanted. */
export function wantedCondition(alias: string): string {
  return `(${alias}.rowid % ${ROWS_PER_QUESTION} <> 0 OR ${IS_WANTED}())`;
}
