// Time limits of all waits for the database, in milliseconds. A request detects within 4 s that the database is
// unavailable or frozen, and can still respond in time.

/** Opening a connection, including the handshake. Several hosts share this time. */
export const CONNECT_TIMEOUT_MS = 2_000;
/** How long a database host that failed is not used, at first. Doubled after each further failure. */
export const SHORTEST_HOST_PAUSE_MS = 500;
export const LONGEST_HOST_PAUSE_MS = 8_000;
/** How often a process with several database hosts checks the active one and those before it. */
export const HOST_CHECK_MS = 2_000;
/** Each statement of a check over a connection that is already open. */
export const CONNECTION_CHECK_MS = 250;
/** Waiting for a connection from the pool, including opening it. */
export const ACQUIRE_TIMEOUT_MS = 2_000;
/** One statement, until the client stops waiting. */
export const STATEMENT_TIMEOUT_MS = 3_000;
/**
 * One statement, until it is cancelled on the server. Shorter than the client's limit, so that its outcome is known if
 * possible.
 */
export const SERVER_STATEMENT_TIMEOUT_MS = STATEMENT_TIMEOUT_MS - 500;
/** How long the server may still run a guarded write. The server must refuse it before the client stops waiting. */
export const GUARD_MS = SERVER_STATEMENT_TIMEOUT_MS;
/** How long cancelling a statement is retried if the server is unreachable. */
export const END_ON_SERVER_TIMEOUT_MS = 60_000;
/** Waiting for a connection plus one statement. */
export const OPERATION_TIMEOUT_MS = 3_500;
/** Waiting for another transaction's row lock (MySQL) or write lock (SQLite). */
export const LOCK_TIMEOUT_MS = 2_000;
/**
 * Waiting for a locked SQLite file while opening it. Shorter than the wait for a connection, so that the error names
 * this reason.
 */
export const OPEN_LOCK_TIMEOUT_MS = 1_500;
/** Waiting for the write lock of the SQLite file before migrating it. */
export const MIGRATION_LOCK_TIMEOUT_MS = 10_000;
/** Maximum age of the measured difference between the database's clock and this machine's. */
export const CLOCK_REFRESH_MS = 60_000;
/** Prepared statements kept per connection. */
export const MAX_PREPARED_STATEMENTS = 256;

/** Includes the error of the measured difference of the clocks. */
const CLOCK_ERROR_MS = 250;

/** Returns when a guarded write that was sent before now can no longer start on the server, in Unix milliseconds. */
export function latestWrite({ at }: { readonly at: number }): number {
  return Math.min(at, Date.now() + GUARD_MS) + CLOCK_ERROR_MS;
}
