// Access: who a caller is and may do. The principal, roles with their permissions (`roles`), and policies of tenants (`policy`). The
// principal is the account behind a credential, with its current state in the database. Types and pure functions.
// Decides: what a role permits, and which policy is in force for a tenant.
// States: none
// Tables: roles.
// Routes: none (RoleService is in `role`, policies are in `tenancy`).
import type { Call as RpcCall, Caller } from '../../platform/rpc/types.ts';
import type { Definitions } from './roles/definitions.ts';
import type { HeldPermissions } from './roles/rights.ts';
import type { Account } from './account.ts';
import type { Authentication } from './authentication.ts';

export interface Principal extends Caller {
  /** The stored account. Roles and permissions always come from it, never from a token's claims. */
  readonly account: Account;
  readonly permissions: HeldPermissions;
  /** What the tenant of the account defines; undefined if the principal is no stored account. */
  readonly definitions: Pick<Definitions, 'policy'> | undefined;
  /** The session of a bearer token (claim `sid`); undefined if it has none. */
  readonly sessionId: string | undefined;
  /** The id under which this credential is revoked: the token's `gid`, else its `sid`, else its `jti`. */
  readonly revocationId: string | undefined;
  /** The id under which all tokens of the key of this token are revoked; undefined for other credentials. */
  readonly keyRevocationId?: string | undefined;
  /** The grant of an application's token (claim `gid`), also of the command line of this service; undefined for any other credential. */
  readonly grantId?: string | undefined;
  /** SHA-256 of the API key in hex; undefined for other credentials. */
  readonly apiKeyHash: string | undefined;
  /**
   * The authentication of the session when the token was issued. The session can have a later one. Undefined for tokens of machine
   * clients, for those of the previous release, and for API keys.
   */
  readonly authentication?: Authentication | undefined;
  /** When the credential expires, Unix milliseconds. */
  readonly expiresAt: number | undefined;
}

/** A call of the core, with its principal. */
export type Call = RpcCall<Principal>;
