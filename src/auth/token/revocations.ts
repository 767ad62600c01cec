// The revocations table, which the revocation feed reads: the latest revocation of each session, token, grant, account and tenant. A row is
// written in the transaction that revokes. If all sessions of an account end, or all grants of an application, one row says so, and the
// readers look them up.
import type { Clock } from '../../platform/clock.ts';
import { hexOf, hexToId, idToBytes } from '../../platform/db/ids.ts';
import { useIndex } from '../../platform/db/query/hints.ts';
import { acrossTenants, tenantBytes, tenantScope } from '../../platform/db/query/tenant-scope.ts';
import type { Database, SqlValue, Statements } from '../../platform/db/types.ts';
import type { CleanupTarget } from '../../platform/jobs/cleanup.ts';

/** The revoked subject. `sessions`: all sessions of an account, as they were at one time. `grants`: all of an application. */
export type RevocationKind = 'session' | 'token' | 'account' | 'tenant' | 'sessions' | 'grant' | 'grants';
export const REVOCATION_KINDS: readonly RevocationKind[] = [
  'session',
  'token',
  'account',
  'tenant',
  'sessions',
  'grant',
  'grants',
];

/** Access tokens that are refused, or that are accepted again. */
export interface Revocation {
  readonly kind: RevocationKind;
  /** Of `sessions`: the account's. Of `grants`: the application's. */
  readonly id: string;
  /** When the last such token expires, Unix milliseconds; undefined if they are accepted again. */
  readonly until: number | undefined;
  /** Set for `sessions`. */
  readonly ended?: { readonly tenantId: string | undefined; readonly through: string };
}

/** A revocation and when it was written, in Unix milliseconds of the server's clock. */
export interface RecordedRevocation extends Revocation {
  readonly changedAt: number;
}

export type Revocations = ReturnType<typeof createRevocations>;

/** A request that is being answered may still issue a token: the longest call, in milliseconds. */
const LONGEST_CALL_MS = 10_000;
/** The stored end of what is accepted again. */
const LIFTED = 0;

/** @param tokenLifetimeMs Longest lifetime of an access token, in milliseconds. */
export function createRevocations(options: {
  readonly database: Pick<Database, 'deadlineValue'>;
  readonly clock: Clock;
  readonly tokenLifetimeMs: number;
}) {
  const { database, clock, tokenLifetimeMs } = options;
  const lastExpiry = () => clock() + tokenLifetimeMs + LONGEST_CALL_MS;

  async function write(tx: Statements, { kind, id, until = LIFTED, ended }: Revocation): Promise<void> {
    const tenant = ended ? tenantBytes(ended.tenantId) : null;
    await tx.execute(
      'REPLACE INTO revocations (kind, subject, until_at, changed_at, tenant, ended_through) VALUES (?, ?, ?, ?, ?, ?)',
      [
        kind,
        subjectOf(kind, id),
        until,
        serverTime(database, Date.now()),
        tenant,
        ended ? idToBytes(ended.through) : null,
      ],
    );
  }

  return {
    /** Records that a session, a token or a grant is revoked. Does nothing if its last access token has expired at `until`. */
    async revoke(tx: Statements, kind: 'session' | 'token' | 'grant', id: string, until: number) {
      if (until > clock()) await write(tx, { kind, id, until });
    },
    /** Records that all tokens of an account or a tenant are refused from now on, or accepted again. */
    setStopped: (tx: Statements, kind: 'account' | 'tenant', id: string, isStopped: boolean) =>
      write(tx, { kind, id, until: isStopped ? lastExpiry() : undefined }),
    /** Records that all sessions of an account up to and including one are revoked. */
    revokeSessions: (
      tx: Statements,
      account: { readonly tenantId: string | undefined; readonly id: string },
      through: string,
    ) =>
      write(tx, {
        kind: 'sessions',
        id: account.id,
        until: lastExpiry(),
        ended: { tenantId: account.tenantId, through },
      }),
    /** Records that all grants of an application are revoked. */
    revokeGrants: (tx: Statements, applicationId: string) =>
      write(tx, { kind: 'grants', id: applicationId, until: lastExpiry() }),
  };
}

function subjectOf(kind: RevocationKind, id: string): Buffer {
  return kind === 'tenant' ? Buffer.from(id) : idToBytes(id);
}

const NEVER_ABORTED = new AbortController().signal;

/** Returns a moment by this machine's clock as the value of the same moment by the server's clock. */
function serverTime(database: Pick<Database, 'deadlineValue'>, at: number): SqlValue {
  return database.deadlineValue({ at, signal: NEVER_ABORTED });
}

/** @param tokenLifetimeMs Longest lifetime of an access token, in milliseconds. */
export function revocationsCleanup(tokenLifetimeMs: number): CleanupTarget {
  return {
    table: 'revocations',
    key: ['kind', 'subject'],
    expiresAt: ['changed_at'],
    keepMs: tokenLifetimeMs + LONGEST_CALL_MS,
    keptUntil: ['until_at'],
  };
}

interface Stored {
  readonly kind: RevocationKind;
  readonly subject: string;
  readonly until_at: number;
  readonly changed_at: number;
  readonly tenant: Uint8Array | null;
  readonly through: string | null;
}

const SELECTED = `kind, ${hexOf('subject')} AS subject, until_at, changed_at, tenant, ${hexOf('ended_through')} AS through`;

/** Returns revocations of one kind in force, by subject, at most `size` after the id of the previous page. */
export async function selectRevocations(
  db: Statements,
  { kind, after, size, now }: { kind: RevocationKind; after: string | undefined; size: number; now: number },
): Promise<readonly Revocation[]> {
  // Without its table, `subject` in ORDER BY is the selected text: all rows would be sorted for each page.
  const rows = await db.query<Stored>(
    `SELECT ${SELECTED} FROM revocations
      WHERE kind = ? AND subject > ? AND until_at > ? ORDER BY revocations.subject LIMIT ${size}`,
    [kind, after === undefined ? Buffer.alloc(0) : subjectOf(kind, after), now],
  );
  return rows.map(toRevocation);
}

/** The number of revocations that were written between two moments, and the moments by the server's clock. */
interface CountedRevocations {
  /** Unix milliseconds of the server's clock; not itself part of the range. */
  readonly from: number;
  /** Unix milliseconds of the server's clock. */
  readonly through: number;
  readonly count: number;
}

/** @param ages Ages of the first and of the last of them, in milliseconds. */
export async function countRevocations(
  database: Pick<Database, 'query' | 'deadlineValue'>,
  ages: { readonly from: number; readonly through: number },
): Promise<CountedRevocations> {
  const now = Date.now();
  const range = [serverTime(database, now - ages.from), serverTime(database, now - ages.through)];
  const [row] = await database.query<{ from_ms: number; through_ms: number; counted: number }>(
    `SELECT CAST(? AS SIGNED) AS from_ms, CAST(? AS SIGNED) AS through_ms, COUNT(*) AS counted
       FROM revocations WHERE changed_at > ? AND changed_at <= ?`,
    [...range, ...range],
  );
  const { from_ms: from, through_ms: through, counted: count } = row!;
  return { from, through, count };
}

/** Returns the revocations written after a moment of the server's clock, in the order of their times; at most `size`. */
export async function selectRevocationsAfter(
  db: Statements,
  changedAt: number,
  size: number,
): Promise<readonly RecordedRevocation[]> {
  const rows = await db.query<Stored>(
    `SELECT ${SELECTED} FROM revocations WHERE changed_at > ? ORDER BY changed_at LIMIT ${size}`,
    [changedAt],
  );
  return rows.map((row) => ({ ...toRevocation(row), changedAt: row.changed_at }));
}

/**
 * Returns the accounts and tenants that were stopped, or accepted again, and the accounts whose sessions have ended, in the last
 * milliseconds; at most `size`, the newest first.
 */
export async function selectStopped(
  database: Pick<Database, 'query' | 'deadlineValue'>,
  ageMs: number,
  size: number,
): Promise<readonly RecordedRevocation[]> {
  const rows = await database.query<Stored>(
    `SELECT ${SELECTED} FROM revocations
      WHERE changed_at > ? AND kind IN ('account', 'sessions', 'tenant') ORDER BY changed_at DESC LIMIT ${size}`,
    [serverTime(database, Date.now() - ageMs)],
  );
  return rows.map((row) => ({ ...toRevocation(row), changedAt: row.changed_at }));
}

/** Returns the sessions of revocations of the kind `sessions` that have access tokens, as revocations of their own. */
export async function selectSessions(
  db: Statements,
  revocations: readonly Revocation[],
  now: number,
): Promise<readonly Revocation[]> {
  const found: Revocation[] = [];
  for (const [tenantId, accounts] of Map.groupBy(revocations, ({ ended }) => ended!.tenantId)) {
    const throughOf = new Map(accounts.map(({ id, ended }) => [id, ended!.through]));
    const rows = await tenantScope(db, tenantId).query<{ id: string; account: string; until: number }>(
      `SELECT ${hexOf('id')} AS id, ${hexOf('account_id')} AS account, access_expires_at AS until FROM session_families
        WHERE tenant_id = :tenant AND account_id IN (${accounts.map(() => '?').join(', ')})
          AND access_expires_at > ?`,
      [...accounts.map(({ id }) => idToBytes(id)), now],
    );
    for (const { id, account, until } of rows)
      if (hexToId(id) <= throughOf.get(hexToId(account))!) found.push({ kind: 'session', id: hexToId(id), until });
  }
  return found;
}

/** Grants that one statement reads. */
export const GRANTS_AT_ONCE = 1_000;

/** Returns the grants of an application that have access tokens, as revocations of their own: GRANTS_AT_ONCE after an id. */
export async function selectGrants(
  database: Pick<Database, 'engine' | 'query'>,
  applicationId: string,
  after: string | undefined,
  now: number,
): Promise<readonly Revocation[]> {
  const rows = await database.query<{ id: string; until: number }>(
    `SELECT ${hexOf('g.id')} AS id, g.access_expires_at AS until
       FROM ${useIndex(database, 'grants', 'g', ['application_id', 'access_expires_at'])}
      WHERE ${acrossTenants('an application can serve all tenants')} AND g.application_id = ? AND g.access_expires_at > ?
        AND g.revoked_at IS NULL AND g.id > ? ORDER BY g.id LIMIT ${GRANTS_AT_ONCE}`,
    [idToBytes(applicationId), now, after === undefined ? Buffer.alloc(0) : idToBytes(after)],
  );
  return rows.map(({ id, until }) => ({ kind: 'grant', id: hexToId(id), until }));
}

function toRevocation({ kind, subject, until_at: until, tenant, through }: Stored): Revocation {
  const id = kind === 'tenant' ? Buffer.from(subject, 'hex').toString() : hexToId(subject);
  return {
    kind,
    id,
    until: until === LIFTED ? undefined : until,
    ...(through !== null && through !== '' && { ended: { tenantId: textOf(tenant), through: hexToId(through) } }),
  };
}

function textOf(bytes: Uint8Array | null): string | undefined {
  return bytes === null ? undefined : Buffer.from(bytes).toString() || undefined;
}
