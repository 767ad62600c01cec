// A session and its row.
import { RefreshTokenTransport } from '../../../proto/gen/authservice/session/v1/session_service.ts';
import {
  enumName,
  exactText,
  flag,
  id,
  integer,
  optional,
  optionalTenant,
  selected,
  time,
  type Column,
} from '../../platform/db/columns.ts';
import { hexOf, hexToId } from '../../platform/db/ids.ts';
import { defineRecord, type ValuesOf } from '../../platform/db/record.ts';
import { enumNames } from '../../platform/formats/enum-names.ts';
import { hasEnded, type Account } from '../access/account.ts';
import { readMethods, type Authentication, type AuthenticationMethod } from '../access/authentication.ts';

/** How the client keeps the refresh token: in a cookie, or sent in the body. */
const TRANSPORTS = enumNames(RefreshTokenTransport, 'REFRESH_TOKEN_TRANSPORT_');
export type StoredTransport = (typeof TRANSPORTS.names)[number];

const bytes = (name: string): Column<Buffer> => ({ name, fromSql: (stored: Uint8Array) => Buffer.from(stored) });

const methods: Column<readonly AuthenticationMethod[]> = {
  name: 'amr',
  fromSql: (stored: string) => readMethods(stored.split(' ')),
  toSql: (list) => list.join(' '),
};

/** The columns that a session's owner and administrators see too. */
export const VISIBLE_COLUMNS = {
  /** UUIDv7; the `sid` of its access tokens. */
  id: id('id'),
  tenantId: optionalTenant('tenant_id'),
  accountId: id('account_id'),
  transport: enumName('credential_form', TRANSPORTS),
  /** Whether its cookies survive closing the browser; the same for all generations. */
  rememberMe: flag('remember_me'),
  /** Unix milliseconds, like all times of sessions. */
  createdAt: time('created_at'),
  /** When its current generation was issued. */
  refreshedAt: time('refreshed_at'),
  /** End of the idle window, never after the absolute end. */
  expiresAt: time('idle_expires_at'),
};

const AUTHENTICATION_COLUMNS = {
  /** When its user was authenticated last. Undefined if the previous release has opened it, at `createdAt`. */
  authTime: optional(time('auth_time')),
  /** How its user was authenticated. */
  methods,
};

const COLUMNS = {
  ...VISIBLE_COLUMNS,
  selector: bytes('selector'),
  generation: integer('generation'),
  verifierHash: bytes('verifier_hash'),
  /** The browser origin that the session belongs to; undefined until a request has named one. */
  origin: optional(exactText('origin')),
  absoluteExpiresAt: optional(time('absolute_expires_at')),
  /** When the last access token of the session expires. */
  accessExpiresAt: time('access_expires_at'),
  revokedAt: optional(time('revoked_at')),
  ...AUTHENTICATION_COLUMNS,
};

const SELECTED = {
  /**
   * The batch of the rotation that issued its current generation. Undefined for the first generation, after a rotation
   * was set back, and for rotations of the previous release, which does not change the batch.
   */
  rotationBatch: selected(
    (s) => `CASE WHEN ${s}.rotation_batch_generation = ${s}.generation THEN ${hexOf(`${s}.rotation_batch`)} END`,
    (batch: string | null) => (batch ? hexToId(batch) : undefined),
  ),
};

export const SESSION = defineRecord('session_families', { fixed: COLUMNS, fields: {}, selected: SELECTED });
export type Session = ValuesOf<typeof COLUMNS & typeof SELECTED>;

/** The columns of the authentication, and those that a new access token needs. */
export const AUTHENTICATED = defineRecord('session_families', {
  fixed: {
    accountId: COLUMNS.accountId,
    revokedAt: COLUMNS.revokedAt,
    transport: COLUMNS.transport,
    rememberMe: COLUMNS.rememberMe,
    createdAt: COLUMNS.createdAt,
    refreshedAt: COLUMNS.refreshedAt,
    expiresAt: COLUMNS.expiresAt,
    absoluteExpiresAt: COLUMNS.absoluteExpiresAt,
    ...AUTHENTICATION_COLUMNS,
  },
  fields: {},
});
/** The lifetime of a session, which the policy of its tenant limits. */
export type SessionLifetime = Pick<
  Session,
  'transport' | 'createdAt' | 'refreshedAt' | 'expiresAt' | 'absoluteExpiresAt'
>;
/** A session's transport and authentication. */
export interface AuthenticatedSession
  extends Authentication, SessionLifetime, Pick<Session, 'accountId' | 'revokedAt' | 'rememberMe'> {}

export type SessionAddress = Pick<Session, 'tenantId' | 'id'>;

/** Stores the end of a session by the policy of its tenant. */
export type ShortenSession = (
  session: SessionAddress & { readonly refreshedAt: number; readonly expiresAt: number },
) => Promise<void>;

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

export type RevocationReason =
  | 'logout'
  | 'replay'
  | 'revoked'
  | 'account-changed'
  | 'too-many'
  | 'replaced'
  | 'restored'
  | 'policy';

/** Returns when and how the user of a session was authenticated. */
export function authenticationOf(session: Pick<Session, 'authTime' | 'createdAt' | 'methods'>): Authentication {
  return { authenticatedAt: session.authTime ?? session.createdAt, methods: session.methods };
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
