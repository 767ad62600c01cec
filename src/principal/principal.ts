// The principal: the account behind a credential, as the database holds it now. Types and pure functions.
// Imported by every folder of src.
import type { Permission } from '../../proto/gen/authservice/access/v1/access.ts';
import type { Statements } from '../db/types.ts';
import type { Account } from './account.ts';

export interface Principal {
  /** The account as stored now; roles and permissions are judged from it, never from a token's claims. */
  readonly account: Account;
  readonly permissions: ReadonlySet<Permission>;
  /** The session family of a bearer token that belongs to one (claim `sid`). */
  readonly sessionId: string | undefined;
  /** What a revocation of this very credential names: the token's `sid`, else its `jti`. */
  readonly revocationId: string | undefined;
  /** SHA-256 of the API key, in hex, if the credential is one. */
  readonly apiKeyHash: string | undefined;
  /** When the credential ends by itself, Unix milliseconds. */
  readonly expiresAt: number | undefined;
}

/** What a transaction of the database offers. */
export type Transaction = Statements;

/**
 * Checks again that a principal's credential has not been revoked, and returns the principal as the database has it now. In a
 * transaction the result holds until that ends: a revocation waits for it. Throws TOKEN_INVALID or SUBJECT_UNKNOWN.
 */
export type Reauthenticate = (principal: Principal, tx?: Transaction) => Promise<Principal>;
