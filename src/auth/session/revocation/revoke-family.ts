import type { Clock, Deadline } from '../../../platform/clock.ts';
import type { Statements } from '../../../platform/db/types.ts';
import type { Blacklist } from '../../token/blacklist.ts';
import type { RevocationReason } from '../session-family.ts';
import type { SessionStore } from '../session-store.ts';

/** Returns true if this call revoked the session, false if it was already revoked. */
export type RevokeFamily = (
  tx: Statements,
  family: { readonly tenantId: string | undefined; readonly id: string },
  reason: RevocationReason,
  deadline: Deadline,
  /**
   * Expiry of a known access token of the session, Unix milliseconds. Needed because the session's row may already be
   * deleted.
   */
  tokenExpiresAt?: number,
) => Promise<boolean>;

/** Revokes a session and all its access tokens within the caller's transaction. */
export function createRevokeFamily(options: {
  readonly sessions: SessionStore;
  readonly blacklist: Blacklist;
  readonly clock: Clock;
}): RevokeFamily {
  const { sessions, blacklist, clock } = options;
  return async (tx, family, reason, deadline, tokenExpiresAt = 0) => {
    const now = clock();
    // The row is locked from here on, so no refresh can issue a token that lives longer.
    const revocation = await sessions.revoke(tx, family, reason, now, deadline);
    const expiresAt = Math.max(revocation?.accessExpiresAt ?? now, tokenExpiresAt);
    await blacklist.add(tx, { id: family.id, expiresAt }, deadline);
    return revocation?.first ?? false;
  };
}
