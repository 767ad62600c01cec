import { createAccountWriter } from '../auth/identity/account-store.ts';
import {
  createAccountAdministration,
  type AccountAdministration,
  type EndSessions,
} from '../auth/identity/users/account-administration.ts';
import {
  createEndAllSessions,
  createEndOtherSessions,
  createEndSession,
} from '../auth/session/revocation/end-sessions.ts';
import type { EndingDependencies } from '../auth/session/revocation/logout.ts';
import { noticeEnd } from '../auth/oauth/logout/session-application-store.ts';
import { endSessionsOfDeleted } from '../auth/session/slide-store.ts';
import { selectNamesOfApplications } from '../auth/oauth/applications/application-store.ts';
import { tenantExists } from '../auth/tenancy/tenant-store.ts';
import type { Foundation } from './foundation.ts';
import type { Grants } from './grants.ts';
import type { Tokens } from './tokens.ts';

/** What changes accounts and ends their sessions, for several services. */
export interface Accounts {
  readonly writer: ReturnType<typeof createAccountWriter>;
  readonly administration: AccountAdministration;
  /** Ends all sessions of an account that was changed, and what applications may do for it without one. */
  readonly endSessions: EndSessions;
  /** Ends all sessions of an account whose roles have changed. */
  readonly endSessionsAlone: EndSessions;
  readonly endAllSessions: ReturnType<typeof createEndAllSessions>;
  /** Ends all sessions, but not what applications may do without one. */
  readonly endAllSessionsAlone: ReturnType<typeof createEndAllSessions>;
  readonly endOtherSessions: ReturnType<typeof createEndOtherSessions>;
  readonly endSession: ReturnType<typeof createEndSession>;
  /** Revokes a grant of an application that its holder ends as a session. */
  readonly endGrant: EndingDependencies['endGrant'];
}

export function createAccounts(
  foundation: Foundation,
  { blacklist }: Pick<Tokens, 'blacklist'>,
  { endGrant, endOffline }: Pick<Grants, 'endGrant' | 'endOffline'>,
): Accounts {
  const { database, definitions, sessions, challenges, revocations, accounts, audit, clock } = foundation;
  const writer = createAccountWriter(database, definitions);
  const ending = { sessions, challenges, revocations, accounts: writer, clock };
  const endAllSessionsAlone = createEndAllSessions(ending);
  const endAllSessions = createEndAllSessions({ ...ending, endOffline: endOffline.ofAccount });
  const ofChange =
    (endAll: typeof endAllSessions): EndSessions =>
    (tx, account, deadline, record) =>
      endAll(tx, account, 'account-changed', deadline, record);
  const endSessions = ofChange(endAllSessions);
  const endSession = createEndSession({ sessions, blacklist, noticeEnd, clock });
  return {
    writer,
    endAllSessions,
    endAllSessionsAlone,
    endSessions,
    endSessionsAlone: ofChange(endAllSessionsAlone),
    endSession,
    endGrant: (tx, grant, deadline) => endGrant(tx, grant, 'revoked', deadline),
    endOtherSessions: createEndOtherSessions({ challenges, endSession, endOffline: endOffline.ofSession, clock }),
    administration: createAccountAdministration({
      database,
      definitions,
      accounts,
      revocations,
      audit,
      clock,
      endSessions,
      holdSession: (tx, session) => sessions.findAuthenticated(session, tx),
      endSessionsOfDeleted,
      tenantExists: (id) => tenantExists(database, id),
      selectReservedNames: selectNamesOfApplications,
    }),
  };
}
