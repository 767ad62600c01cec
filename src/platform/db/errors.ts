// Errors of the database, made from those of the drivers without SQL text and values.
import { withTimeout } from '../concurrency/with-timeout.ts';
import { DependencyUnavailableError } from '../errors.ts';

/** `duplicate`: the value of a unique key already exists. */
type DatabaseErrorKind = 'duplicate' | 'other';

/** The database refused a statement. The message contains only the driver's codes, never SQL text or values. */
export class DatabaseError extends Error {
  override readonly name = 'DatabaseError';
  /** The message may be shown under maximal disclosure. */
  readonly safeMessage = true;
  readonly kind: DatabaseErrorKind;

  constructor(kind: DatabaseErrorKind, code: string) {
    super(`Database error ${code}`);
    this.kind = kind;
  }
}

/** The properties of driver errors that are read here. */
interface DriverError {
  readonly code?: unknown;
  /** MySQL's error number. */
  readonly errno?: unknown;
  /** SQLite's extended result code. */
  readonly errcode?: unknown;
  /** mysql2: the connection is unusable. */
  readonly fatal?: unknown;
  readonly message?: unknown;
  /** Node's TLS: OpenSSL's reason, or the names of the certificate. */
  readonly reason?: unknown;
}

/**
 * `undone`: the statement was refused completely, or its transaction was rolled back. `limit`: the server works but
 * refuses further connections. `leave`: the server may be shutting down or have changed its role, so the next statement
 * needs a new connection.
 */
type MysqlEffect = 'undone' | 'limit' | 'leave';

/** MySQL and MariaDB errors caused by the server or the moment, not by the statement. */
const MYSQL_UNAVAILABLE = new Map<unknown, readonly [reason: string, effect?: MysqlEffect]>([
  [1021, ['disk full']],
  [1030, ['storage engine failed']],
  [1040, ['too many connections', 'limit']],
  [1041, ['out of memory']],
  [1044, ['access denied']],
  [1045, ['access denied']],
  [1047, ['node not ready', 'leave']],
  [1049, ['unknown database']],
  [1053, ['shutting down', 'leave']],
  [1114, ['table full']],
  [1129, ['host blocked']],
  [1130, ['host not allowed']],
  [1152, ['connection aborted']],
  [1180, ['commit failed', 'leave']],
  [1203, ['too many connections of this user', 'limit']],
  [1205, ['lock wait timed out']],
  [1213, ['deadlock', 'undone']],
  [1226, ['resource limit of this user', 'limit']],
  [1290, ['read-only server', 'leave']],
  [1317, ['statement interrupted', 'leave']],
  [1461, ['too many prepared statements']],
  // Its tables were flushed or changed at each of the server's attempts: a backup, or many tables beyond the server's caches.
  [1615, ['the tables of the statement were flushed', 'undone']],
  [1637, ['too many transactions']],
  [1698, ['access denied']],
  [1792, ['read-only transaction', 'leave']],
  [1836, ['read-only server', 'leave']],
  [1927, ['connection killed', 'leave']],
  [1969, ['statement timed out']],
  [3024, ['statement timed out']],
  // Group replication: tables with cascading foreign keys cannot be changed during a change of the primary.
  [3098, ['the primary of the group is changing', 'undone']],
  [3100, ['group replication failed', 'leave']],
  // Group replication: another member has changed the same row.
  [3101, ['conflict with another member', 'undone']],
  [3796, ['member not online in its group', 'leave']],
  [3797, ['group did not respond', 'leave']],
  [3798, ['group did not respond', 'leave']],
  [3799, ['member is changing its role', 'leave']],
  [4031, ['connection was idle']],
]);

const SQLITE_LOCKED = 5;

/** SQLite primary result codes of this kind. */
const SQLITE_UNAVAILABLE = new Map<number, string>([
  [SQLITE_LOCKED, 'locked by another process'],
  [6, 'table locked'],
  [7, 'out of memory'],
  [8, 'read-only file'],
  [10, 'disk I/O failed'],
  [13, 'disk full'],
  [11, 'the file is damaged'],
  [14, 'file cannot be opened'],
  [26, 'the file is not a SQLite database'],
]);

/** SQLite codes for which only another file helps. */
const SQLITE_HOPELESS: ReadonlySet<number> = new Set([11, 26]);

const MYSQL_DUPLICATE: ReadonlySet<unknown> = new Set([1022, 1062, 1586]);
const SQLITE_DUPLICATE: ReadonlySet<unknown> = new Set([1555, 2067, 2579]);

/** The database is unreachable, busy or too slow. The reason must not contain secrets. */
class DatabaseUnavailableError extends DependencyUnavailableError {
  override readonly isOfDatabase = true;
  constructor(reason: string) {
    super(`Database unavailable: ${reason}`);
  }
}

/** The server has not responded in time. */
class TimeoutError extends DatabaseUnavailableError {}

/** The server allows no further connections. */
class ConnectionLimitError extends DatabaseUnavailableError {}

/** The server refused the statement completely, or rolled its transaction back. */
class RolledBackError extends DatabaseUnavailableError {}

/** Waiting for the database does not help. The reason says what helps. */
class HopelessError extends DatabaseUnavailableError {
  readonly hopeless: string;

  constructor(reason: string) {
    super(reason);
    this.hopeless = reason;
  }
}

/** The response of a write was lost. It may have been committed, or may still be. */
class UnknownOutcomeError extends DependencyUnavailableError {
  override readonly isOfDatabase = true;
  constructor(lost: DependencyUnavailableError) {
    super(lost.message);
    this.stack = lost.stack ?? '';
  }
}

/** Creates the error of an unavailable database. The reason must not contain secrets. */
export const unavailable = (reason: string): DependencyUnavailableError => new DatabaseUnavailableError(reason);

/** Creates the error of a statement that the server has undone. */
export const rolledBack = (reason: string): DependencyUnavailableError => new RolledBackError(reason);

/** Creates the error of a server that has not responded in time. */
export const timedOut = (timeoutMs: number): DependencyUnavailableError =>
  new TimeoutError(`no answer within ${timeoutMs} ms`);

/** Creates the error of a database for which waiting does not help. The reason says what helps. */
export const hopeless = (reason: string): DependencyUnavailableError => new HopelessError(reason);

/**
 * Converts any driver error to DependencyUnavailableError or DatabaseError. The driver's own error is not kept as the
 * cause, because its message, `sql` and `sqlMessage` quote statements and values. While connecting, every error means
 * that the database is unavailable.
 */
export function toSafeError(error: unknown, phase: 'connecting' | 'connected' = 'connected'): Error {
  if (error instanceof DependencyUnavailableError || error instanceof DatabaseError) return error;
  const driverError = (error ?? {}) as DriverError;
  const { code, errno, errcode, fatal } = driverError;
  if (typeof errcode === 'number') return fromSqlite(errcode);
  return tlsFailure(driverError) ?? fromMysql(code, errno, fatal === true || phase === 'connecting');
}

/**
 * Whether SQLite refused because another connection has locked the file or wrote first. The statement has changed
 * nothing. It may run again unless it is part of a transaction.
 */
export function isLocked(error: unknown): boolean {
  const { errcode } = (error ?? {}) as DriverError;
  return typeof errcode === 'number' && (errcode & 0xff) === SQLITE_LOCKED;
}

/** Whether the statement was refused completely, so that it can run again without undoing anything. */
export function hadNoEffect(error: unknown): boolean {
  return error instanceof DatabaseError || error instanceof RolledBackError;
}

/** Whether the server rolled a transaction back that can run again, for example because another one has changed the same rows. */
export const isRolledBack = (error: unknown): boolean => error instanceof RolledBackError;

/**
 * Converts the error of a write that was sent and may have been committed: its response was lost. Call it for all errors
 * of a write that reached the server.
 */
export function withUnknownOutcome(error: unknown): unknown {
  return error instanceof DependencyUnavailableError && !hadNoEffect(error) ? new UnknownOutcomeError(error) : error;
}

/** Whether a write that failed with this error may have been committed, or may still be. */
export const isOutcomeUnknown = (error: unknown): boolean => error instanceof UnknownOutcomeError;

/** Whether the server refused a connection only because it allows no further ones. */
export const isConnectionLimit = (error: unknown): boolean => error instanceof ConnectionLimitError;

/** Whether the server has not responded in time. */
export const isTimeout = (error: unknown): boolean => error instanceof TimeoutError;

/** Returns why waiting for the database does not help; undefined if it may help. */
export const whyHopeless = (error: unknown): string | undefined =>
  error instanceof HopelessError ? error.hopeless : undefined;

/** Whether a connection must not be used again after this driver error. */
export function mustLeaveConnection(error: unknown): boolean {
  const { errno, fatal } = (error ?? {}) as DriverError;
  return fatal === true || MYSQL_UNAVAILABLE.get(errno)?.[1] === 'leave';
}

function fromSqlite(errcode: number): Error {
  const code = errcode & 0xff;
  const known = SQLITE_UNAVAILABLE.get(code);
  if (known !== undefined) {
    const reason = `${known} (SQLite ${errcode})`;
    return SQLITE_HOPELESS.has(code) ? hopeless(`${reason}; give another app.database.url`) : unavailable(reason);
  }
  return new DatabaseError(SQLITE_DUPLICATE.has(errcode) ? 'duplicate' : 'other', `SQLite ${errcode}`);
}

/** Remedies for failed TLS handshakes, by the reason. The first that matches applies. */
const TLS_REMEDIES: readonly (readonly [reason: RegExp, remedy: string])[] = [
  [/does not support secure/i, 'enable TLS on the server, or remove ssl=true'],
  [/altnames|does not match/i, 'connect to a name of its certificate, or add ssl-verify-identity=false'],
  [/alert/i, 'check ssl-cert and ssl-key'],
  [/certificate|issuer|self.signed/i, 'give the authority of its certificate as ssl-ca'],
];
const MAX_TLS_REASON = 300;

/** Returns the error of a failed TLS handshake; undefined if it is another error. */
function tlsFailure({ code, message, reason }: DriverError): DependencyUnavailableError | undefined {
  if (!/^(?:HANDSHAKE_SSL_ERROR|HANDSHAKE_NO_SSL_SUPPORT|ERR_SSL_\w+)$/.test(String(code))) return undefined;
  // A reason of names is shorter than its message; a message of OpenSSL contains a path of its source.
  const text = String(reason ?? message).slice(0, MAX_TLS_REASON);
  const remedy = TLS_REMEDIES.find(([pattern]) => pattern.test(`${text} ${String(message)}`))?.[1] ?? 'check ssl-ca';
  return unavailable(`TLS failed: ${text.replace(/\.$/, '')}; ${remedy} in app.database.url`);
}

function fromMysql(code: unknown, errno: unknown, connectionFailed: boolean): Error {
  const number = typeof errno === 'number' ? errno : undefined;
  const name = typeof code === 'string' && /^[A-Z][A-Z0-9_]*$/.test(code) ? code : 'UNKNOWN';
  const label = number === undefined || number < 0 ? name : `${name} ${number}`;
  const [reason, effect] = MYSQL_UNAVAILABLE.get(number) ?? [];
  if (reason !== undefined) {
    const text = `${reason} (${label})`;
    if (effect === 'limit') return new ConnectionLimitError(text);
    return effect === 'undone' ? rolledBack(text) : unavailable(text);
  }
  if (connectionFailed) {
    const failed = `connection failed (${label})`;
    return code === 'ETIMEDOUT' ? new TimeoutError(failed) : unavailable(failed);
  }
  return new DatabaseError(MYSQL_DUPLICATE.has(number) ? 'duplicate' : 'other', label);
}

/** Settles as `work` does; rejects with DependencyUnavailableError after `timeoutMs` milliseconds. */
export function within<T>(timeoutMs: number, work: Promise<T>): Promise<T> {
  return withTimeout(work, timeoutMs, () => timedOut(timeoutMs));
}
