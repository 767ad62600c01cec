// The tokens in the links of mails: valid once and for a time, the newest of an account and purpose alone.
import { createHash } from 'node:crypto';
import type { Clock, Deadline } from '../../platform/clock.ts';
import { hexToId } from '../../platform/db/ids.ts';
import type { Database, Statements } from '../../platform/db/types.ts';
import {
  endMailToken,
  findMailToken,
  newMailToken,
  putMailToken,
  takeMailToken,
  type TokenPurpose,
} from './mail-token-store.ts';
import { NO_ACCOUNT } from './outbox-store.ts';

export { countMailTokens, endMailTokens, endMailTokensOfTenant } from './mail-token-store.ts';

/** The account of a token. */
export interface TokenOwner {
  readonly tenantId: string | undefined;
  readonly id: string;
}

export type MailTokens = ReturnType<typeof createMailTokens>;

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

const LIFETIMES_MS: Readonly<Record<TokenPurpose, number>> = {
  recovery: 30 * MINUTE_MS,
  email: 30 * MINUTE_MS,
  'email-stop': 30 * MINUTE_MS,
  invitation: 7 * DAY_MS,
};

/** Returns when a new token expires, Unix milliseconds. */
export const tokenExpiry = (purpose: TokenPurpose, now: number): number => now + LIFETIMES_MS[purpose];

interface TokenValues {
  /** The address that gets the token. Default: not stored. */
  readonly email?: string;
  /** Of the password that the token replaces, as passwordFingerprint returns it. Default: not stored. */
  readonly fingerprint?: Buffer;
  /** The session that requests the token, and with which it ends. Default: the token belongs to none. */
  readonly sessionId?: string | undefined;
  /** Default: by its purpose. */
  readonly expiresAt?: number;
  /** The mail that has the link. Default: not stored. */
  readonly mailId?: string;
  /** When the link is shown to an administrator, who gets it instead of a mail. */
  readonly shownAt?: number;
}

export function createMailTokens({ database, clock }: { readonly database: Database; readonly clock: Clock }) {
  return {
    /** Creates a token, which replaces the earlier one. */
    async issue(
      tx: Statements,
      owner: TokenOwner,
      purpose: TokenPurpose,
      { expiresAt = tokenExpiry(purpose, clock()), ...values }: TokenValues = {},
    ): Promise<string> {
      const token = newMailToken();
      await putMailToken(database, tx, owner, { ...values, purpose, token, expiresAt });
      return token;
    },
    /** Returns the account of a valid token, the address that got it, and the session that has requested it. */
    find: (purpose: TokenPurpose, token: string) => findMailToken(database, purpose, token, clock()),
    /** Ends the token of a purpose, if there is one. */
    end: endMailToken,
    /** Ends a valid token. Returns false if it is not valid any more, or the deadline has passed. */
    take: (
      tx: Statements,
      owner: TokenOwner,
      purpose: TokenPurpose,
      token: string,
      deadline: Deadline,
      /** The address that must have got the token, and the password that it must replace. Default: any. */
      { email, fingerprint }: Pick<TokenValues, 'email' | 'fingerprint'> = {},
    ) => takeMailToken(database, tx, owner, { purpose, token, now: clock(), email, fingerprint }, deadline),
  };
}

/** Returns what a token stores of the password that it replaces. */
export function passwordFingerprint({ id }: Pick<TokenOwner, 'id'>, passwordVersion: number | undefined): Buffer {
  return createHash('sha256').update(`${id} ${passwordVersion}`).digest();
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/**
 * Returns the bucket of a name that has no account, one of 4,096. There are any number of such names, so they must not have a row each.
 * One row for all of them would make the nodes of a cluster conflict.
 */
export const bucketOf = (name: string): string => sha256(name).slice(0, 3);

/**
 * Returns an owner that has no account, for a name. A request for no account does the same work with it, and its tokens are sent to
 * nobody. The names of a bucket have the same owner, so that its rows do not accumulate.
 */
export function ownerWithoutAccount(name: string): TokenOwner {
  return { tenantId: NO_ACCOUNT, id: hexToId(sha256(bucketOf(name)).slice(0, 32)) };
}
