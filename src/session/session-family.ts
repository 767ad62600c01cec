// A session family and its row.
import { bytesToId } from '../db/ids.ts';
import { hasEnded, type Account } from '../principal/account.ts';

export interface SessionFamily {
  /** UUIDv7; the `sid` of its access tokens. */
  readonly id: string;
  readonly tenantId: string | undefined;
  readonly accountId: string;
  readonly form: StoredForm;
  readonly selector: Buffer;
  readonly generation: number;
  readonly verifierHash: Buffer;
  /** The browser origin that it belongs to; undefined until one has come. */
  readonly origin: string | undefined;
  /** Whether its cookies outlive the browser's session; the same for all generations. */
  readonly rememberMe: boolean;
  /** Unix milliseconds, like all times here. */
  readonly createdAt: number;
  /** End of the idle window, never beyond the absolute end. */
  readonly expiresAt: number;
  readonly absoluteExpiresAt: number | undefined;
  /** When the longest-lived access token of the family ends. */
  readonly accessExpiresAt: number;
  readonly revokedAt: number | undefined;
}

/** How the client keeps the refresh credential: in a cookie, or as a token that travels in the body. */
export type StoredForm = 'COOKIE' | 'BODY';

export type RevocationReason = 'logout' | 'replay' | 'revoked' | 'account-changed' | 'too-many';

/** What a read of a family selects, by column. */
export interface FamilyRow {
  id: Uint8Array;
  tenant_id: Uint8Array;
  account_id: Uint8Array;
  credential_form: StoredForm;
  selector: Uint8Array;
  generation: number;
  verifier_hash: Uint8Array;
  origin: Uint8Array | null;
  remember_me: number;
  created_at: number;
  idle_expires_at: number;
  absolute_expires_at: number | null;
  access_expires_at: number;
  revoked_at: number | null;
}

export function familyOf(row: FamilyRow): SessionFamily {
  return {
    id: bytesToId(row.id),
    tenantId: Buffer.from(row.tenant_id).toString() || undefined,
    accountId: bytesToId(row.account_id),
    form: row.credential_form,
    selector: Buffer.from(row.selector),
    generation: row.generation,
    verifierHash: Buffer.from(row.verifier_hash),
    origin: originOf(row),
    rememberMe: row.remember_me === 1,
    createdAt: row.created_at,
    expiresAt: row.idle_expires_at,
    absoluteExpiresAt: row.absolute_expires_at ?? undefined,
    accessExpiresAt: row.access_expires_at,
    revokedAt: row.revoked_at ?? undefined,
  };
}

/** A family as it is after all sessions of its account have been ended, if it was one of them. */
export function endedWithAccount(
  family: SessionFamily,
  account: Pick<Account, 'endedSessions'> | undefined,
): SessionFamily {
  if (family.revokedAt !== undefined || !account || !hasEnded(account, family.id)) return family;
  return { ...family, revokedAt: account.endedSessions!.at };
}

export function originBytes(origin: string | undefined): Buffer | null {
  return origin === undefined ? null : Buffer.from(origin);
}

export function originOf({ origin }: Pick<FamilyRow, 'origin'>): string | undefined {
  return origin === null ? undefined : Buffer.from(origin).toString();
}
