// The check of a credential that was good when its call began: revoked since then, or its account or tenant stopped. That a
// token has expired meanwhile ends no call: only its next one.
import type { Clock } from '../../clock.ts';
import type { Statements } from '../../db/types.ts';
import { ServiceError } from '../../errors.ts';
import type { Principal, Reauthenticate } from '../../principal/principal.ts';
import type { Blacklist } from '../../token/blacklist.ts';
import type { AccountStore } from '../account-store.ts';
import type { AccountWithTenant } from './eligibility.ts';
import { principalOf } from './principal-of.ts';

/** What the check reads. In a transaction it locks the account first and then the rest, as those do who revoke. */
interface Found {
  readonly standing: AccountWithTenant | undefined;
  readonly revoked: boolean;
}

export function createReauthenticate(options: {
  readonly accounts: Pick<AccountStore, 'find' | 'hold'>;
  readonly blacklist: Pick<Blacklist, 'has' | 'hasWithin'>;
  /** Whether a session is revoked; nobody revokes it until the transaction ends. */
  readonly isSessionRevoked: (
    tx: Statements,
    session: { tenantId: string | undefined; id: string },
  ) => Promise<boolean>;
  /** The same for an API key, by its SHA-256 in hex. */
  readonly isApiKeyRevoked: (hash: string, tx?: Statements) => Promise<boolean>;
  readonly clock: Clock;
  /** Whether service accounts must belong to a tenant. */
  readonly tenantRequired: boolean;
}): Reauthenticate {
  const { accounts, blacklist, isSessionRevoked, isApiKeyRevoked, clock, tenantRequired } = options;

  return async (principal, tx) => {
    const { standing, revoked } = await (tx ? hold(principal, tx) : find(principal));
    if (revoked) throw new ServiceError('TOKEN_INVALID', { detail: 'the credential was revoked during the call' });
    const { account: _account, permissions: _permissions, ...facts } = principal;
    return principalOf(standing, facts, clock(), tenantRequired);
  };

  async function find({ account, revocationId, apiKeyHash }: Principal): Promise<Found> {
    const [standing, ...revoked] = await Promise.all([
      accounts.find(account),
      revocationId !== undefined && blacklist.has(revocationId),
      apiKeyHash !== undefined && isApiKeyRevoked(apiKeyHash),
    ]);
    return { standing, revoked: revoked.includes(true) };
  }

  async function hold({ account, sessionId, revocationId, apiKeyHash }: Principal, tx: Statements): Promise<Found> {
    const { tenantId } = account;
    const standing = await accounts.hold(tx, account);
    const revoked =
      (sessionId !== undefined && (await isSessionRevoked(tx, { tenantId, id: sessionId }))) ||
      (revocationId !== undefined && (await blacklist.hasWithin(tx, revocationId))) ||
      (apiKeyHash !== undefined && (await isApiKeyRevoked(apiKeyHash, tx)));
    return { standing, revoked };
  }
}
