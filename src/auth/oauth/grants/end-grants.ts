// Ends grants before their time, within the caller's transaction. A grant of a session ends with it by itself.
import type { Clock, Deadline } from '../../../platform/clock.ts';
import type { Statements } from '../../../platform/db/types.ts';
import type { Blacklist } from '../../token/blacklist.ts';
import type { GrantAddress, GrantEnd, GrantStore } from './grant-store.ts';

/** Revokes a grant and all its tokens. Returns false if it is not live. */
export type EndGrant = (tx: Statements, grant: GrantAddress, reason: GrantEnd, deadline: Deadline) => Promise<boolean>;

export function createEndGrant(options: {
  readonly grants: Pick<GrantStore, 'revoke'>;
  readonly blacklist: Pick<Blacklist, 'add'>;
  readonly clock: Clock;
}): EndGrant {
  const { grants, blacklist, clock } = options;
  return async (tx, grant, reason, deadline) => {
    const expiresAt = await grants.revoke(tx, grant, reason, clock(), deadline);
    if (expiresAt === undefined) return false;
    await blacklist.add(tx, { kind: 'grant', id: grant.id, expiresAt }, deadline);
    return true;
  };
}

/** Ends what users have allowed an application that is deleted. Everything refuses it already: its row is gone. */
export type EndApplication = (tx: Statements, applicationId: string) => Promise<void>;

export function createEndApplication(options: {
  readonly grants: Pick<GrantStore, 'selectUsed'>;
  readonly blacklist: Pick<Blacklist, 'addGrants'>;
  readonly clock: Clock;
}): EndApplication {
  const { grants, blacklist, clock } = options;
  return async (tx, applicationId) => {
    // For those that check tokens by the key set and the feed, and for calls that are running.
    await blacklist.addGrants(tx, await grants.selectUsed(tx, applicationId, clock()));
  };
}

type AccountAddress = { readonly tenantId: string | undefined; readonly id: string };

/** Returns functions that end the grants that outlive their sessions: all of an account, or those that began in a session. */
export function createEndOfflineGrants(options: {
  readonly grants: Pick<GrantStore, 'selectOffline' | 'selectOfSession'>;
  readonly endGrant: EndGrant;
}) {
  const { grants, endGrant } = options;
  const endEach = async (
    tx: Statements,
    tenantId: string | undefined,
    ids: readonly string[],
    deadline: Deadline,
  ): Promise<void> => {
    for (const id of ids) await endGrant(tx, { tenantId, id }, 'account-changed', deadline);
  };
  return {
    ofAccount: async (tx: Statements, account: AccountAddress, deadline: Deadline) =>
      endEach(tx, account.tenantId, await grants.selectOffline(tx, account), deadline),
    ofSession: async (tx: Statements, session: AccountAddress, deadline: Deadline) =>
      endEach(tx, session.tenantId, await grants.selectOfSession(tx, session.tenantId, session.id), deadline),
  };
}
