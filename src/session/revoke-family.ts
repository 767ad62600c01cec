import type { Clock, Deadline } from '../clock.ts';
import type { Statements } from '../db/types.ts';
import type { Blacklist } from '../token/blacklist.ts';
import type { RevocationReason } from './session-family.ts';
import type { SessionStore } from './session-store.ts';

/** True when it was this call that ended the family. */
export type RevokeFamily = (
  tx: Statements,
  family: { readonly tenantId: string | undefined; readonly id: string },
  reason: RevocationReason,
  deadline: Deadline,
  /** End of an access token of the family that is at hand, Unix milliseconds: the row may be gone already. */
  tokenExpiresAt?: number,
) => Promise<boolean>;

/** Ends a session family and every access token of it, within the caller's transaction. */
export function createRevokeFamily(options: {
  readonly sessions: SessionStore;
  readonly blacklist: Blacklist;
  readonly clock: Clock;
}): RevokeFamily {
  const { sessions, blacklist, clock } = options;
  return async (tx, family, reason, deadline, tokenExpiresAt = 0) => {
    const now = clock();
    // The row is locked from here on, so no refresh can issue a longer-lived token meanwhile.
    const revocation = await sessions.revoke(tx, family, reason, now, deadline);
    const expiresAt = Math.max(revocation?.accessExpiresAt ?? now, tokenExpiresAt);
    await blacklist.add(tx, { id: family.id, expiresAt }, deadline);
    return revocation?.first ?? false;
  };
}
