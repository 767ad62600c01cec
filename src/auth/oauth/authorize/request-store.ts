// The authorization_requests table: requests that wait for a user, that came by POST, or that a client has pushed (RFC 9126).
import { hash, randomBytes } from 'node:crypto';
import type { Deadline } from '../../../platform/clock.ts';
import { id, optional, text, time, type Column } from '../../../platform/db/columns.ts';
import { acrossTenants } from '../../../platform/db/query/tenant-scope.ts';
import { defineRecord, type ValuesOf } from '../../../platform/db/record.ts';
import type { Database, Statements } from '../../../platform/db/types.ts';
import { DependencyUnavailableError } from '../../../platform/errors.ts';
import type { CleanupTarget } from '../../../platform/jobs/cleanup.ts';
import { bytes, otherTenant } from '../columns.ts';

/** LOGIN waits on the page for its user. PUSHED came from an authenticated client. POSTED came from a browser, and was not judged. */
export type RequestKind = 'LOGIN' | 'PUSHED' | 'POSTED';

/** Milliseconds. A user needs time for a login, a mail and an enrolment; a reference is used at once. */
export const REQUEST_LIFETIME_MS: Readonly<Record<RequestKind, number>> = {
  LOGIN: 600_000,
  PUSHED: 90_000,
  POSTED: 90_000,
};

export const REQUESTS_CLEANUP: CleanupTarget = {
  table: 'authorization_requests',
  key: ['id'],
  expiresAt: ['expires_at'],
  // A pushed request is used when its user is through with the page, which can be long after it has expired.
  keepMs: REQUEST_LIFETIME_MS.LOGIN,
};

const COLUMNS = {
  /** SHA-256 of the id, which is a secret. */
  hash: bytes('id'),
  kind: text('kind') as Column<RequestKind>,
  applicationTenant: otherTenant('application_tenant'),
  applicationId: id('application_id'),
  /** The pushed request that a request of the page goes back to. */
  pushedHash: optional(bytes('pushed_id')),
  /** As they came, application/x-www-form-urlencoded. */
  parameters: text('parameters'),
  /** The network of its sender. */
  network: text('network'),
  /** Unix milliseconds, like all times here. */
  requestedAt: time('requested_at'),
  expiresAt: time('expires_at'),
  usedAt: optional(time('used_at')),
};

const REQUEST = defineRecord('authorization_requests', { fixed: COLUMNS, fields: {} });
export type StoredRequest = ValuesOf<typeof COLUMNS>;

const OF_ALL_TENANTS = acrossTenants('the id of a request is a secret');
const ID_BYTES = 32;
/** Requests of one network that can be open. */
const MAX_OF_NETWORK = 3_000;

/** Creates the id of a request, and what is stored of it. */
export function newRequestId(): { readonly text: string; readonly hash: Buffer } {
  const id = randomBytes(ID_BYTES).toString('base64url');
  return { text: id, hash: requestHash(id) };
}

export const requestHash = (text: string): Buffer => hash('sha256', text, 'buffer');

export type RequestStore = ReturnType<typeof createRequestStore>;

/** @param maxOpen Requests that can be open in all. */
export function createRequestStore(database: Database, maxOpen: number) {
  return {
    /** Stores a request. Returns false if it is limited, and its network, or all together, have too many. */
    async insert(
      request: StoredRequest,
      { isLimited }: { readonly isLimited: boolean },
      deadline: Deadline,
    ): Promise<boolean> {
      const { network, requestedAt } = request;
      if (isLimited && !(await hasRoom(network, requestedAt))) return false;
      const inserted = await database.execute(
        `INSERT INTO authorization_requests (${REQUEST.names})
         SELECT ${REQUEST.placeholders} FROM (SELECT 1 AS one) AS once WHERE ${database.beforeDeadline}`,
        [...REQUEST.insertValues(request), database.deadlineValue(deadline)],
      );
      if (inserted === 0) throw new DependencyUnavailableError('the deadline passed before the request was stored');
      return true;
    },

    /** Finds a request that is neither used nor late. */
    async findOpen(text: string, now: number): Promise<StoredRequest | undefined> {
      const [row] = await database.query(
        `SELECT ${REQUEST.select('r')} FROM authorization_requests r
          WHERE ${OF_ALL_TENANTS} AND r.id = ? AND r.used_at IS NULL AND r.expires_at > ?`,
        [requestHash(text), now],
      );
      return row && REQUEST.read(row);
    },

    /** Uses a request for its one success, and the pushed one behind it. Returns false if it was used before, or is late. */
    async use(tx: Statements, { hash, pushedHash }: Pick<StoredRequest, 'hash' | 'pushedHash'>, now: number) {
      if (pushedHash && !(await useOne(tx, pushedHash, now, true))) return false;
      return useOne(tx, hash, now, false);
    },
  };

  async function hasRoom(network: string, now: number): Promise<boolean> {
    const ofNetwork = Math.min(MAX_OF_NETWORK, maxOpen);
    const [row] = await database.query<{ is_full: number }>(
      `SELECT (SELECT COUNT(*) FROM authorization_requests WHERE network = ? AND expires_at > ?) >= ?
           OR (SELECT COUNT(*) FROM authorization_requests WHERE expires_at > ?) >= ? AS is_full`,
      [network, now, ofNetwork, now, maxOpen],
    );
    return row!.is_full === 0;
  }

  async function useOne(tx: Statements, hash: Buffer, now: number, isLateFine: boolean): Promise<boolean> {
    const changed = await tx.execute(
      `UPDATE authorization_requests SET used_at = ? WHERE id = ? AND used_at IS NULL AND expires_at > ?`,
      [now, hash, isLateFine ? 0 : now],
    );
    return changed > 0;
  }
}
