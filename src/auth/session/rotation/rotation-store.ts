// Advances rows of the session_families table to their next generations by compare-and-set.
import type { Deadline } from '../../../platform/clock.ts';
import { idToBytes } from '../../../platform/db/ids.ts';
import { GUARD_MS } from '../../../platform/db/limits.ts';
import { byPrimaryKey } from '../../../platform/db/query/hints.ts';
import { tenantBytes, tenantScope } from '../../../platform/db/query/tenant-scope.ts';
import type { Database } from '../../../platform/db/types.ts';
import type { Tracer } from '../../../platform/tracing/tracer.ts';
import { originBytes, type Renewal, type Rotation, type Session } from '../session.ts';
import { CLAIMED_ORIGIN, type SessionStore } from '../session-store.ts';
import type { RefreshToken } from '../transport/transport-policy.ts';
import { createAdvanceTogether, MAX_ADVANCES, type Advance } from './advance-together.ts';

export interface RotationStore {
  /**
   * Advances to the next generation. Returns false without a change if the stored session differs from `session`
   * or belongs to another origin, or if the deadline has passed.
   */
  advance(session: Session, next: RefreshToken, rotation: Rotation, deadline: Deadline): Promise<boolean>;
  /**
   * Sets a session back from `next`, which no client has received. Changes the row in any case, so that a cluster refuses
   * the write of `next` if that is still on its way.
   */
  retract(session: Session, next: RefreshToken): Promise<void>;
  /**
   * Restarts the idle window, whatever the generation. Returns false if the session is revoked or belongs to another
   * origin.
   */
  slide(session: Session, renewal: Renewal, deadline: Deadline): Promise<boolean>;
}

const OF_NO_OTHER_ORIGIN = '(origin IS NULL OR origin = COALESCE(?, origin))';

const LATER = (column: string) => `${column} = CASE WHEN ${column} < ? THEN ? ELSE ${column} END`;

// One text for any number of sessions, which does not check origins. The inner SELECT skips the rows that another transaction has
// locked, so the statement never waits while it holds locks. LIMIT makes both servers run that SELECT first. It locks all its tables,
// because MariaDB does not know FOR UPDATE OF.
const advanceAllSql = (beforeDeadline: string) => `UPDATE (
    SELECT document.*, free.tenant_id, free.id FROM JSON_TABLE(?, '$[*]' COLUMNS (
        tenant_hex VARCHAR(126) PATH '$[0]', id_hex VARCHAR(32) PATH '$[1]', current_generation INT PATH '$[2]',
        current_hash_hex VARCHAR(64) PATH '$[3]', next_generation INT PATH '$[4]', next_hash_hex VARCHAR(64) PATH '$[5]',
        batch_hex VARCHAR(32) PATH '$[6]', used_at BIGINT PATH '$[7]', idle_end BIGINT PATH '$[8]',
        access_end BIGINT PATH '$[9]', remaining_ms BIGINT PATH '$[10]')) AS document
      STRAIGHT_JOIN session_families AS free
         ON free.tenant_id = UNHEX(document.tenant_hex) AND free.id = UNHEX(document.id_hex)
      LIMIT ${MAX_ADVANCES} FOR UPDATE /*!80000 OF free */ SKIP LOCKED) AS rotation
  STRAIGHT_JOIN session_families AS renewed ON renewed.tenant_id = rotation.tenant_id AND renewed.id = rotation.id
    SET renewed.generation = rotation.next_generation, renewed.verifier_hash = UNHEX(rotation.next_hash_hex),
        renewed.rotation_batch = UNHEX(rotation.batch_hex),
        renewed.rotation_batch_generation = rotation.next_generation, renewed.refreshed_at = rotation.used_at,
        renewed.idle_expires_at = rotation.idle_end,
        renewed.access_expires_at = GREATEST(renewed.access_expires_at, rotation.access_end)
  WHERE renewed.generation = rotation.current_generation
    AND renewed.verifier_hash = UNHEX(rotation.current_hash_hex)
    AND renewed.revoked_at IS NULL AND renewed.idle_expires_at > rotation.used_at
    AND ${beforeDeadline.replace('?', '? + rotation.remaining_ms')}`;

/** @param tracer Records a span for each statement that several refreshes share. */
export function createRotationStore(
  database: Database,
  { findBySelector }: Pick<SessionStore, 'findBySelector'>,
  tracer?: Tracer,
): RotationStore {
  const before = database.beforeDeadline;
  const allSql = advanceAllSql(before);

  async function advanceOne({ session, next, rotation, deadline }: Advance): Promise<boolean> {
    const origin = originBytes(rotation.origin);
    const changed = await tenantScope(database, session.tenantId).execute(
      `UPDATE ${byPrimaryKey('session_families')}
          SET generation = ?, verifier_hash = ?, rotation_batch = ?, rotation_batch_generation = ?, refreshed_at = ?,
              idle_expires_at = ?, ${LATER('access_expires_at')}, ${CLAIMED_ORIGIN}
        WHERE tenant_id = :tenant AND id = ? AND generation = ? AND verifier_hash = ? AND revoked_at IS NULL
          AND idle_expires_at > ? AND ${OF_NO_OTHER_ORIGIN} AND ${before}`,
      [
        next.generation,
        next.verifierHash,
        idToBytes(rotation.batch),
        next.generation,
        rotation.now,
        rotation.expiresAt,
        rotation.accessExpiresAt,
        rotation.accessExpiresAt,
        origin,
        idToBytes(session.id),
        session.generation,
        session.verifierHash,
        rotation.now,
        origin,
        database.deadlineValue(deadline),
      ],
    );
    return changed > 0;
  }

  function advanceAll(advances: readonly Advance[]): Promise<number> {
    const now = Date.now();
    const { signal } = advances[0]!.deadline;
    const document = JSON.stringify(advances.map((advance) => documentRow(advance, now)));
    return database.execute(allSql, [document, database.deadlineValue({ at: now, signal })]);
  }

  // SQLite shares the commits of all statements by itself.
  const isShared = database.engine === 'mysql';
  const advance = isShared ? createAdvanceTogether({ advanceOne, advanceAll, findBySelector, tracer }) : advanceOne;
  return {
    advance: (session, next, rotation, deadline) => advance({ session, next, rotation, deadline }),

    async retract(session, next) {
      const previous = [session.generation, session.verifierHash];
      await tenantScope(database, session.tenantId).execute(
        `UPDATE session_families SET generation = ?, verifier_hash = ?, rotation_batch = NULL, refreshed_at = refreshed_at + 1
          WHERE tenant_id = :tenant AND id = ?
            AND (generation = ? AND verifier_hash = ? OR generation = ? AND verifier_hash = ?)`,
        [...previous, idToBytes(session.id), next.generation, next.verifierHash, ...previous],
      );
    },

    async slide(session, times, deadline) {
      const origin = originBytes(times.origin);
      const changed = await tenantScope(database, session.tenantId).execute(
        `UPDATE ${byPrimaryKey('session_families')}
            SET refreshed_at = ?, ${LATER('idle_expires_at')}, ${LATER('access_expires_at')}, ${CLAIMED_ORIGIN}
          WHERE tenant_id = :tenant AND id = ? AND revoked_at IS NULL AND idle_expires_at > ? AND ${OF_NO_OTHER_ORIGIN} AND ${before}`,
        [
          times.now,
          times.expiresAt,
          times.expiresAt,
          times.accessExpiresAt,
          times.accessExpiresAt,
          origin,
          idToBytes(session.id),
          times.now,
          origin,
          database.deadlineValue(deadline),
        ],
      );
      return changed > 0;
    },
  };
}

/** Returns the values in the order of the columns of the statement. */
function documentRow({ session, next, rotation, deadline }: Advance, now: number): readonly (string | number)[] {
  return [
    tenantBytes(session.tenantId).toString('hex'),
    hexOf(session.id),
    session.generation,
    session.verifierHash.toString('hex'),
    next.generation,
    next.verifierHash.toString('hex'),
    hexOf(rotation.batch),
    rotation.now,
    rotation.expiresAt,
    rotation.accessExpiresAt,
    Math.min(deadline.at - now, GUARD_MS),
  ];
}

const hexOf = (id: string) => id.replaceAll('-', '');
