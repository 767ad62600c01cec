// The authorization_requests table: requests that wait for a user, that came by POST, or that a client has pushed (RFC 9126).
import { hash, randomBytes } from 'node:crypto';
import type { Deadline } from '../../../platform/clock.ts';
import { id, optional, text, time, type Column } from '../../../platform/db/columns.ts';
import { acrossTenants } from '../../../platform/db/query/tenant-scope.ts';
import { defineRecord, type ValuesOf } from '../../../platform/db/record.ts';
import type { Database, Statements } from '../../../platform/db/types.ts';
import { DependencyUnavailableError } from '../../../platform/errors.ts';
import { networkOf } from '../../../platform/formats/network.ts';
import type { CleanupTarget } from '../../../platform/jobs/cleanup.ts';
import { bytes, otherTenant } from '../columns.ts';

/**
 * LOGIN and LOGOUT wait on a page for their user. PUSHED came from an authenticated client. POSTED came from a browser, and was not
 * judged. DEVICE only counts: the rest is in device_requests.
 */
export type RequestKind = 'LOGIN' | 'LOGOUT' | 'PUSHED' | 'POSTED' | 'DEVICE';

/** Milliseconds. A user needs time for a login, a mail and an enrolment; a reference is used at once. */
export const REQUEST_LIFETIME_MS: Readonly<Record<RequestKind, number>> = {
  LOGIN: 600_000,
  LOGOUT: 600_000,
  PUSHED: 90_000,
  POSTED: 90_000,
  DEVICE: 600_000,
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
  /** The network of its sender, or the account of a sender with a session (`senderOf`). */
  network: text('network'),
  /** Unix milliseconds, like all times here. */
  requestedAt: time('requested_at'),
  expiresAt: time('expires_at'),
};

const REQUEST = defineRecord('authorization_requests', { fixed: COLUMNS, fields: {} });
export type StoredRequest = ValuesOf<typeof COLUMNS>;

const OF_ALL_TENANTS = acrossTenants('the id of a request is a secret');
const ID_BYTES = 32;
/** Requests of one sender that can be open. */
const MAX_OF_SENDER = 3_000;
/** Sorts after all networks. */
const ACCOUNT_PREFIX = '~';
/** Up to this limit, all requests are counted for each new one. */
const MAX_COUNTED_EACH_TIME = 10_000;
/** A larger limit is checked against a count of all processes that is so old at most, and what this process has added. */
const COUNT_INTERVAL_MS = 1_000;

/** Creates the id of a request, and what is stored of it. */
export function newRequestId(): { readonly text: string; readonly hash: Buffer } {
  const id = randomBytes(ID_BYTES).toString('base64url');
  return { text: id, hash: requestHash(id) };
}

/** Returns who is counted: the account of a session, else the network. */
export function senderOf(accountId: string | undefined, clientAddress: string): string {
  return accountId === undefined ? networkOf(clientAddress) : ACCOUNT_PREFIX + accountId;
}

export const requestHash = (text: string): Buffer => hash('sha256', text, 'buffer');

export type RequestStore = ReturnType<typeof createRequestStore>;

/** @param maxOpen Requests of networks that can be open in all. Those of accounts do not count among them. */
export function createRequestStore(database: Database, maxOpen: number) {
  /** The last count. */
  let counted: { readonly at: number; readonly total: Promise<number> } | undefined;
  let added = 0;

  return {
    /** Stores a request. Returns false if its sender, or all networks together, have too many. */
    async insert(request: StoredRequest, deadline: Deadline): Promise<boolean> {
      const { network, requestedAt } = request;
      const isNetwork = !network.startsWith(ACCOUNT_PREFIX);
      if (!(await hasRoom(network, isNetwork, requestedAt))) return false;
      const inserted = await database.execute(
        `INSERT INTO authorization_requests (${REQUEST.names})
         SELECT ${REQUEST.placeholders} FROM (SELECT 1 AS one) AS once WHERE ${database.beforeDeadline}`,
        [...REQUEST.insertValues(request), database.deadlineValue(deadline)],
      );
      if (inserted === 0) throw new DependencyUnavailableError('the deadline passed before the request was stored');
      if (isNetwork) added += 1;
      return true;
    },

    /** Finds a request that is neither used nor late. One that was used is gone. */
    async findOpen(text: string, now: number): Promise<StoredRequest | undefined> {
      const [row] = await database.query(
        `SELECT ${REQUEST.select('r')} FROM authorization_requests r
          WHERE ${OF_ALL_TENANTS} AND r.id = ? AND r.expires_at > ?`,
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

  async function hasRoom(sender: string, isNetwork: boolean, now: number): Promise<boolean> {
    const ofSender = await count('network = ?', sender, now);
    if (!isNetwork) return ofSender < MAX_OF_SENDER;
    return ofSender < Math.min(MAX_OF_SENDER, maxOpen) && (await countAll(now)) < maxOpen;
  }

  async function countAll(now: number): Promise<number> {
    const isOld = counted === undefined || Math.abs(now - counted.at) >= COUNT_INTERVAL_MS;
    if (maxOpen <= MAX_COUNTED_EACH_TIME || isOld) {
      const total = count('network < ?', ACCOUNT_PREFIX, now);
      counted = { at: now, total };
      added = 0;
      total.catch(() => (counted = undefined));
    }
    return (await counted!.total) + added;
  }

  async function count(condition: string, network: string, now: number): Promise<number> {
    const [row] = await database.query<{ total: number }>(
      `SELECT COUNT(*) AS total FROM authorization_requests WHERE ${condition} AND expires_at > ?`,
      [network, now],
    );
    return row!.total;
  }

  async function useOne(tx: Statements, hash: Buffer, now: number, isLateFine: boolean): Promise<boolean> {
    const deleted = await tx.execute('DELETE FROM authorization_requests WHERE id = ? AND expires_at > ?', [
      hash,
      isLateFine ? 0 : now,
    ]);
    return deleted > 0;
  }
}
