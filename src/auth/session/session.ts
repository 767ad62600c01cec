// A session and its row.
import { bytesToId } from '../../platform/db/ids.ts';
import { hasEnded, type Account } from '../principal/account.ts';

export interface Session {
  /** UUIDv7; the `sid` of its access tokens. */
  readonly id: string;
  readonly tenantId: string | undefined;
  readonly accountId: string;
  readonly transport: StoredTransport;
  readonly selector: Buffer;
  readonly generation: number;
  readonly verifierHash: Buffer;
  /**
   * The batch of the rotation that issued its current generation. Undefined for the first generation, after a rotation
   * was set back, and for rotations of the previous release.
   */
  readonly rotationBatch: string | undefined;
  /** The browser origin that the session belongs to; undefined until a request has named one. */
  readonly origin: string | undefined;
  /** Whether its cookies survive closing the browser; the same for all generations. */
  readonly rememberMe: boolean;
  /** Unix milliseconds, like all times in this interface. */
  readonly createdAt: number;
  /** When its current generation was issued. */
  readonly refreshedAt: number;
  /** End of the idle window, never after the absolute end. */
  readonly expiresAt: number;
  readonly absoluteExpiresAt: number | undefined;
  /** When the last access token of the session expires. */
  readonly accessExpiresAt: number;
  readonly revokedAt: number | undefined;
}

/** The changes of a refresh besides the token. */
export interface Renewal {
  /** The browser origin of the request, if any. */
  readonly origin: string | undefined;
  readonly now: number;
  readonly expiresAt: number;
  readonly accessExpiresAt: number;
}

/** The changes of a refresh that issues the next generation. */
export interface Rotation extends Renewal {
  /** The id of its batch: see rotation-batches.ts. */
  readonly batch: string;
}

/** How the client keeps the refresh token: in a cookie, or sent in the body. */
export type StoredTransport = 'COOKIE' | 'BODY';

export type RevocationReason = 'logout' | 'replay' | 'revoked' | 'account-changed' | 'too-many' | 'restored';

export const SESSION_COLUMNS = `id, tenant_id, account_id, credential_form, selector, generation, verifier_hash, rotation_batch,
  rotation_batch_generation, origin, remember_me, created_at, refreshed_at, idle_expires_at, absolute_expires_at,
  access_expires_at, revoked_at`;

/** The columns of a session's row. */
export interface StoredSession {
  id: Uint8Array;
  tenant_id: Uint8Array;
  account_id: Uint8Array;
  credential_form: StoredTransport;
  selector: Uint8Array;
  generation: number;
  verifier_hash: Uint8Array;
  rotation_batch: Uint8Array | null;
  rotation_batch_generation: number | null;
  origin: Uint8Array | null;
  remember_me: number;
  created_at: number;
  refreshed_at: number;
  idle_expires_at: number;
  absolute_expires_at: number | null;
  access_expires_at: number;
  revoked_at: number | null;
}

export function toSession(row: StoredSession): Session {
  return {
    id: bytesToId(row.id),
    tenantId: Buffer.from(row.tenant_id).toString() || undefined,
    accountId: bytesToId(row.account_id),
    transport: row.credential_form,
    selector: Buffer.from(row.selector),
    generation: row.generation,
    verifierHash: Buffer.from(row.verifier_hash),
    rotationBatch: rotationBatchOf(row),
    origin: originOf(row),
    rememberMe: row.remember_me === 1,
    createdAt: row.created_at,
    refreshedAt: row.refreshed_at,
    expiresAt: row.idle_expires_at,
    absoluteExpiresAt: row.absolute_expires_at ?? undefined,
    accessExpiresAt: row.access_expires_at,
    revokedAt: row.revoked_at ?? undefined,
  };
}

/** The previous release issues generations without changing the batch. */
function rotationBatchOf({ generation, rotation_batch, rotation_batch_generation }: StoredSession): string | undefined {
  return rotation_batch !== null && rotation_batch_generation === generation ? bytesToId(rotation_batch) : undefined;
}

/** Returns the session as ended if it ended together with all sessions of its account, else unchanged. */
export function endedWithAccount(session: Session, account: Pick<Account, 'endedSessions'> | undefined): Session {
  if (session.revokedAt !== undefined || !account || !hasEnded(account, session.id)) return session;
  return { ...session, revokedAt: account.endedSessions!.at };
}

/** Returns when a session ends if it is used now. The idle window restarts; the absolute end does not move. */
export function slidingExpiry(now: number, idleWindowMs: number, absoluteExpiresAt: number | undefined): number {
  return Math.min(now + idleWindowMs, absoluteExpiresAt ?? Infinity);
}

export function originBytes(origin: string | undefined): Buffer | null {
  return origin === undefined ? null : Buffer.from(origin);
}

export function originOf({ origin }: Pick<StoredSession, 'origin'>): string | undefined {
  return origin === null ? undefined : Buffer.from(origin).toString();
}
