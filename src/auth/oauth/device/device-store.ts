// The device_requests table: devices whose user has not decided, or has denied them. An allowed one becomes a code.
import { hash, randomBytes } from 'node:crypto';
import type { Deadline } from '../../../platform/clock.ts';
import { id, integer, optional, text, time } from '../../../platform/db/columns.ts';
import { DatabaseError } from '../../../platform/db/errors.ts';
import { acrossTenants } from '../../../platform/db/query/tenant-scope.ts';
import { defineRecord, type ValuesOf } from '../../../platform/db/record.ts';
import type { Database, Statements } from '../../../platform/db/types.ts';
import { DependencyUnavailableError } from '../../../platform/errors.ts';
import type { CleanupTarget } from '../../../platform/jobs/cleanup.ts';
import { bytes, otherTenant, scopes } from '../columns.ts';

/** How long a user can decide, and how long the device can then get its tokens. */
export const DEVICE_LIFETIME_MS = 600_000;
/** Seconds between two polls at first, and what a poll that comes too early adds. */
export const POLL_INTERVAL_S = 5;
/** So long after that, a late device learns that its code has expired. */
export const DEVICE_KEPT_MS = 600_000;

export const DEVICES_CLEANUP: CleanupTarget = {
  table: 'device_requests',
  key: ['id'],
  expiresAt: ['expires_at'],
  keepMs: DEVICE_KEPT_MS,
};

const COLUMNS = {
  /** SHA-256 of the device code. */
  hash: bytes('id'),
  /** SHA-256 of the code that the user enters. */
  userCodeHash: bytes('user_code'),
  applicationTenant: otherTenant('application_tenant'),
  applicationId: id('application_id'),
  scopes: scopes('scopes'),
  resource: optional(text('resource')),
  /** The network of the device. */
  network: text('network'),
  /** Seconds. */
  interval: integer('poll_interval'),
  /** Unix milliseconds, like all times here. */
  polledAt: optional(time('polled_at')),
  deniedAt: optional(time('denied_at')),
  requestedAt: time('requested_at'),
  expiresAt: time('expires_at'),
};

const DEVICE = defineRecord('device_requests', { fixed: COLUMNS, fields: {} });
export type DeviceRequest = ValuesOf<typeof COLUMNS>;

const OF_ALL_TENANTS = acrossTenants('the codes of a device are secrets');
const CODE_BYTES = 32;

/** Creates the code by which a device asks for its tokens, and what is stored of it. */
export function newDeviceCode(): { readonly text: string; readonly hash: Buffer } {
  const code = randomBytes(CODE_BYTES).toString('base64url');
  return { text: code, hash: deviceCodeHash(code) };
}

const deviceCodeHash = (code: string): Buffer => hash('sha256', code, 'buffer');

export type DeviceStore = ReturnType<typeof createDeviceStore>;

export function createDeviceStore(database: Database) {
  const { beforeDeadline: inTime } = database;

  async function findBy(column: 'id' | 'user_code', value: Buffer): Promise<DeviceRequest | undefined> {
    const [row] = await database.query(
      `SELECT ${DEVICE.select('d')} FROM device_requests d WHERE ${OF_ALL_TENANTS} AND d.${column} = ?`,
      [value],
    );
    return row && DEVICE.read(row);
  }

  return {
    /** Stores a request. Returns false if another one has the same user code. */
    async insert(device: DeviceRequest, deadline: Deadline): Promise<boolean> {
      try {
        const inserted = await database.execute(
          `INSERT INTO device_requests (${DEVICE.names})
           SELECT ${DEVICE.placeholders} FROM (SELECT 1 AS one) AS once WHERE ${inTime}`,
          [...DEVICE.insertValues(device), database.deadlineValue(deadline)],
        );
        if (inserted === 0) throw new DependencyUnavailableError('the deadline passed before the device was stored');
        return true;
      } catch (error) {
        if (error instanceof DatabaseError && error.kind === 'duplicate') return false;
        throw error;
      }
    },

    /** Finds a request that was not allowed, also one that is late or denied. */
    findByDeviceCode: (code: string) => findBy('id', deviceCodeHash(code)),

    /** Finds a request that waits for its decision. */
    async findOpen(userCodeHash: Buffer, now: number): Promise<DeviceRequest | undefined> {
      const device = await findBy('user_code', userCodeHash);
      return device?.deniedAt === undefined && device !== undefined && device.expiresAt > now ? device : undefined;
    },

    /**
     * Stores a poll; an early one makes the interval longer. Returns false if the user has decided since the request was read, or, for a
     * poll that was not early, if another one was stored.
     */
    async poll(
      { hash, polledAt }: DeviceRequest,
      { now, isEarly }: { readonly now: number; readonly isEarly: boolean },
      deadline: Deadline,
    ): Promise<boolean> {
      // After another poll, an early one is early still.
      const isSame = polledAt === undefined ? 'polled_at IS NULL' : 'polled_at = ?';
      const changed = await database.execute(
        `UPDATE device_requests SET polled_at = ?, poll_interval = poll_interval + ?
          WHERE id = ? AND denied_at IS NULL ${isEarly ? '' : `AND ${isSame}`} AND ${inTime}`,
        [
          now,
          isEarly ? POLL_INTERVAL_S : 0,
          hash,
          ...(isEarly || polledAt === undefined ? [] : [polledAt]),
          database.deadlineValue(deadline),
        ],
      );
      return changed > 0;
    },

    /** Denies a request. Returns false if it was decided before, or is late. */
    async deny(tx: Statements, { hash }: Pick<DeviceRequest, 'hash'>, now: number, deadline: Deadline) {
      const changed = await tx.execute(
        `UPDATE device_requests SET denied_at = ? WHERE id = ? AND denied_at IS NULL AND expires_at > ? AND ${inTime}`,
        [now, hash, now, database.deadlineValue(deadline)],
      );
      return changed > 0;
    },

    /** Removes a request that was allowed. Returns false if it was decided before, or is late. */
    async remove(tx: Statements, { hash }: Pick<DeviceRequest, 'hash'>, now: number, deadline: Deadline) {
      const deleted = await tx.execute(
        `DELETE FROM device_requests WHERE id = ? AND denied_at IS NULL AND expires_at > ? AND ${inTime}`,
        [hash, now, database.deadlineValue(deadline)],
      );
      return deleted > 0;
    },
  };
}
