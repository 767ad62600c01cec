// Whoever stands behind a credential, as the database knows them at this moment.
import type { Permission } from '../proto/gen/access/v1/access.ts';
import type { Account } from './identity/account.ts';

export interface Principal {
  /** The account as stored now; roles and permissions are judged from it, never from a token's claims. */
  readonly account: Account;
  readonly permissions: ReadonlySet<Permission>;
  /** The session family of a bearer token that belongs to one (claim `sid`). */
  readonly sessionId: string | undefined;
  /** What a revocation of this very credential names: the token's `sid`, else its `jti`. */
  readonly revocationId: string | undefined;
  /** When the credential ends by itself, Unix milliseconds. */
  readonly expiresAt: number | undefined;
}
