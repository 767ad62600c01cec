// Ends grants before their time, within the caller's transaction. A grant of a session ends with it by itself.
import type { Clock, Deadline } from '../../../platform/clock.ts';
import type { Statements } from '../../../platform/db/types.ts';
import type { RecordEnd } from '../../session/revocation/end-sessions.ts';
import type { Blacklist } from '../../token/blacklist.ts';
import type { GrantAddress, GrantEnd, GrantStore, OwnedGrant } from './grant-store.ts';

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
    found: readonly OwnedGrant[],
    deadline: Deadline,
    record: RecordEnd,
  ): Promise<void> => {
    for (const { id, ...application } of found)
      if (await endGrant(tx, { tenantId, id }, 'account-changed', deadline))
        record('grant.revoked', { ...application, grantId: id, reason: 'account-changed' });
  };
  return {
    ofAccount: async (tx: Statements, account: AccountAddress, deadline: Deadline, record: RecordEnd) =>
      endEach(tx, account.tenantId, await grants.selectOffline(tx, account), deadline, record),
    ofSession: async (tx: Statements, session: AccountAddress, deadline: Deadline, record: RecordEnd) =>
      endEach(tx, session.tenantId, await grants.selectOfSession(tx, session.tenantId, session.id), deadline, record),
  };
}
