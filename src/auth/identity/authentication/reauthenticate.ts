// Checks again a credential that was valid when its call began. It may have been revoked since then, or its account or
// tenant may have been stopped. An expired token does not end a running call, only rejects the next one.
import type { Clock } from '../../../platform/clock.ts';
import type { Statements } from '../../../platform/db/types.ts';
import { ServiceError } from '../../../platform/errors.ts';
import type { Principal } from '../../access/principal.ts';
import type { Blacklist } from '../../token/blacklist.ts';
import type { AccountStore } from '../account-store.ts';
import type { FoundAccount } from '../account-row.ts';
import { principalOf } from './principal-of.ts';

/**
 * The data for the check. In a transaction, the account is locked before the credential. Revocations lock in the same
 * order.
 */
interface Found {
  readonly accountWithTenant: FoundAccount | undefined;
  readonly revoked: boolean;
}

export function createReauthenticate(options: {
  readonly accounts: Pick<AccountStore, 'find' | 'hold'>;
  readonly blacklist: Pick<Blacklist, 'has' | 'hasWithin'>;
  /** Whether a session is revoked. Locks the session against revocation until the transaction ends. */
  readonly isSessionRevoked: (
    tx: Statements,
    session: { tenantId: string | undefined; id: string },
  ) => Promise<boolean>;
  /** Whether the grant of an application's token, its session or its application refuses the token now. */
  readonly isGrantRefused: (principal: Principal & { readonly grantId: string }) => Promise<boolean>;
  /** Whether an API key is revoked, by its SHA-256 in hex. In a transaction, locks the key in the same way. */
  readonly isApiKeyRevoked: (hash: string, tx?: Statements) => Promise<boolean>;
  readonly clock: Clock;
  /** Whether service accounts must belong to a tenant. */
  readonly tenantRequired: boolean;
}): (principal: Principal, tx?: Statements) => Promise<Principal> {
  const { accounts, blacklist, isSessionRevoked, isGrantRefused, isApiKeyRevoked, clock, tenantRequired } = options;

  return async (principal, tx) => {
    const { accountWithTenant, revoked } = await (tx ? findAndLock(principal, tx) : find(principal));
    // A deleted account has ended its sessions, too, and has a text of its own. A key without an account is unknown.
    if (revoked && (accountWithTenant || principal.apiKeyHash !== undefined))
      throw new ServiceError('TOKEN_INVALID', { detail: 'the credential was revoked during the call' });
    const { account: _account, permissions: _permissions, definitions: _definitions, ...facts } = principal;
    return principalOf(accountWithTenant, facts, clock(), tenantRequired);
  };

  async function find(principal: Principal): Promise<Found> {
    const { account, revocationId, keyRevocationId, grantId, apiKeyHash } = principal;
    const [accountWithTenant, ...revoked] = await Promise.all([
      accounts.find(account),
      revocationId !== undefined && blacklist.has(revocationId),
      keyRevocationId !== undefined && blacklist.has(keyRevocationId),
      grantId !== undefined && isGrantRefused({ ...principal, grantId }),
      apiKeyHash !== undefined && isApiKeyRevoked(apiKeyHash),
    ]);
    return { accountWithTenant, revoked: revoked.includes(true) };
  }

  async function findAndLock(
    { account, sessionId, revocationId, keyRevocationId, apiKeyHash }: Principal,
    tx: Statements,
  ): Promise<Found> {
    const { tenantId } = account;
    const accountWithTenant = await accounts.hold(tx, account);
    const revoked =
      (sessionId !== undefined && (await isSessionRevoked(tx, { tenantId, id: sessionId }))) ||
      (revocationId !== undefined && (await blacklist.hasWithin(tx, revocationId, keyRevocationId))) ||
      (apiKeyHash !== undefined && (await isApiKeyRevoked(apiKeyHash, tx)));
    return { accountWithTenant, revoked };
  }
}
