// Revoked tokens by id (claim gid, else sid, else jti), kept until the last token with that id has expired. When all sessions of
// an account end at once, the account's own row records that instead.
import { hash } from 'node:crypto';
import { batchLoader, type BatchLoader } from '../../platform/db/query/batch-loader.ts';
import type { CleanupTarget } from '../../platform/jobs/cleanup.ts';
import type { Deadline } from '../../platform/clock.ts';
import { bytesToId, hexToId, idToBytes } from '../../platform/db/ids.ts';
import { DependencyUnavailableError } from '../../platform/errors.ts';
import type { Database, Statements } from '../../platform/db/types.ts';
import type { Revocations } from './revocations.ts';

export type Blacklist = ReturnType<typeof createBlacklist>;

interface BlacklistEntry {
  readonly kind: 'session' | 'token' | 'grant';
  readonly id: string;
  /** When the last token with the id expires, Unix milliseconds. */
  readonly expiresAt: number;
}

/** Returns the id under which the tokens of a signing key are revoked. */
export function keyRevocationId(kid: string): string {
  return hexToId(hash('sha256', kid, 'hex').slice(0, 2 * ID_BYTES));
}

const ID_BYTES = 16;

// Clocks of machines differ. An entry must not end before the token does on the machine with the slowest clock.
const CLOCK_MARGIN_MS = 60_000;

export const BLACKLIST_CLEANUP: CleanupTarget = { table: 'token_blacklist', key: ['id'], expiresAt: ['expires_at'] };

/** The end of a SELECT of the revoked ones of some ids. Its values are `revocationValues`. */
export const ofRevoked = (count: number): string =>
  `FROM token_blacklist b WHERE b.id IN (${Array<string>(count).fill('?').join(', ')})`;

export const revocationValues = (ids: readonly string[]): Buffer[] => ids.map(idToBytes);

export function createBlacklist(database: Database, revocations: Pick<Revocations, 'revoke'>) {
  const revoked: BatchLoader<true> = batchLoader(async (ids) => {
    const rows = await database.query<{ id: Uint8Array }>(
      `SELECT b.id AS id ${ofRevoked(ids.length)}`,
      revocationValues(ids),
    );
    return new Map(rows.map((row) => [bytesToId(row.id), true]));
  });
  async function write(tx: Statements, id: string, expiresAt: number, deadline: Deadline): Promise<void> {
    const changed = await tx.execute(
      `REPLACE INTO token_blacklist (id, expires_at) SELECT ?, ? FROM (SELECT 1 AS one) AS once WHERE ${database.beforeDeadline}`,
      [idToBytes(id), expiresAt + CLOCK_MARGIN_MS, database.deadlineValue(deadline)],
    );
    if (changed === 0) throw new DependencyUnavailableError('the deadline passed before the token was revoked');
  }

  return {
    /** Returns whether the id is revoked. Reads from the database at every call. Concurrent calls share one query. */
    has: (id: string) => revoked(id).then((found) => found === true),
    /** Returns whether one of the ids is revoked, by a statement of a transaction. */
    async hasWithin(tx: Statements, ...ids: (string | undefined)[]) {
      const given = ids.filter((id) => id !== undefined);
      const sql = `SELECT b.id AS id ${ofRevoked(given.length)}`;
      return (await tx.query(sql, revocationValues(given))).length > 0;
    },
    /**
     * Revokes a session, a token or a grant until `expiresAt`, in Unix milliseconds. Rejects with DependencyUnavailableError if the
     * deadline has passed.
     */
    async add(tx: Statements, { kind, id, expiresAt }: BlacklistEntry, deadline: Deadline) {
      await write(tx, id, expiresAt, deadline);
      await revocations.revoke(tx, kind, id, expiresAt);
    },
    /** Revokes all tokens that a key has signed. The feed of revocations does not have it. */
    addKey: (tx: Statements, kid: string, expiresAt: number, deadline: Deadline) =>
      write(tx, keyRevocationId(kid), expiresAt, deadline),
  };
}
