// Every wait for the database has a bound of its own, so that a request learns within 4 s that the database is
// gone or frozen and can still be answered in time. All in milliseconds.

/** Opening the connection, up to the end of the handshake. */
export const CONNECT_TIMEOUT_MS = 2_000;
/** Waiting for a connection of the pool, the opening included. */
export const ACQUIRE_TIMEOUT_MS = 2_000;
/** One statement, until the client gives up. */
export const STATEMENT_TIMEOUT_MS = 3_000;
/** One statement, until it is ended on the server: before the client gives up, so that its outcome is known where possible. */
export const SERVER_STATEMENT_TIMEOUT_MS = STATEMENT_TIMEOUT_MS - 500;
/** For how long the server may still carry out a guarded write: it must refuse before the client gives up. */
export const GUARD_MS = SERVER_STATEMENT_TIMEOUT_MS;
/** For how long ending a statement on a server that cannot be reached is tried again. */
export const END_ON_SERVER_TIMEOUT_MS = 60_000;
/** Waiting for a connection plus one statement. */
export const OPERATION_TIMEOUT_MS = 3_500;
/** Waiting for another transaction's row lock (MySQL) or write lock (SQLite). */
export const LOCK_TIMEOUT_MS = 2_000;
/** Waiting for a locked SQLite file while opening it; shorter than the wait for a connection, so that the reason is told. */
export const OPEN_LOCK_TIMEOUT_MS = 1_500;
/** Waiting for the write lock of the SQLite file before migrating it. */
export const MIGRATION_LOCK_TIMEOUT_MS = 10_000;
/** How old the measured difference between the database's clock and ours may become. */
export const CLOCK_REFRESH_MS = 60_000;
/** Prepared statements kept per connection. */
export const MAX_PREPARED_STATEMENTS = 256;
