// The tokens in the links of mails: valid once, for 30 minutes, the newest of an account and purpose alone.
import { createHash } from 'node:crypto';
import type { Clock, Deadline } from '../../platform/clock.ts';
import { hexToId } from '../../platform/db/ids.ts';
import type { Database, Statements } from '../../platform/db/types.ts';
import { findTokenOwner, newMailToken, putMailToken, takeMailToken, type TokenPurpose } from './mail-token-store.ts';
import { NO_ACCOUNT } from './outbox-store.ts';

export { endMailTokens, endMailTokensOfTenant } from './mail-token-store.ts';

/** The account of a token. */
export interface TokenOwner {
  readonly tenantId: string | undefined;
  readonly id: string;
}

export type MailTokens = ReturnType<typeof createMailTokens>;

const LIFETIME_MS = 30 * 60_000;

export function createMailTokens({ database, clock }: { readonly database: Database; readonly clock: Clock }) {
  return {
    /** Creates a token, which replaces the earlier one. */
    async issue(tx: Statements, owner: TokenOwner, purpose: TokenPurpose): Promise<string> {
      const token = newMailToken();
      await putMailToken(database, tx, owner, { purpose, token, expiresAt: clock() + LIFETIME_MS });
      return token;
    },
    /** Returns the account of a valid token. */
    find: (purpose: TokenPurpose, token: string) => findTokenOwner(database, purpose, token, clock()),
    /** Ends a valid token. Returns false if it is not valid any more, or the deadline has passed. */
    take: (tx: Statements, owner: TokenOwner, purpose: TokenPurpose, token: string, deadline: Deadline) =>
      takeMailToken(database, tx, owner, { purpose, token, now: clock() }, deadline),
  };
}

/**
 * Returns an owner that has no account, for a name. A request for no account does the same work with it, and its tokens are sent to
 * nobody. The same name has the same owner, so that its rows do not accumulate.
 */
export function ownerWithoutAccount(name: string): TokenOwner {
  return { tenantId: NO_ACCOUNT, id: hexToId(createHash('sha256').update(name).digest('hex').slice(0, 32)) };
}
