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
import { selectNamesOfApplications } from '../auth/oauth/applications/application-store.ts';
import { tenantExists } from '../auth/tenancy/tenant-store.ts';
import type { Foundation } from './foundation.ts';
import type { Tokens } from './tokens.ts';

/** What changes accounts and ends their sessions, for several services. */
export interface Accounts {
  readonly writer: ReturnType<typeof createAccountWriter>;
  readonly administration: AccountAdministration;
  /** Ends all sessions of an account that was changed. */
  readonly endSessions: EndSessions;
  readonly endAllSessions: ReturnType<typeof createEndAllSessions>;
  readonly endOtherSessions: ReturnType<typeof createEndOtherSessions>;
  readonly endSession: ReturnType<typeof createEndSession>;
}

export function createAccounts(foundation: Foundation, { blacklist }: Pick<Tokens, 'blacklist'>): Accounts {
  const { database, definitions, sessions, challenges, revocations, accounts, audit, clock } = foundation;
  const writer = createAccountWriter(database, definitions);
  const endAllSessions = createEndAllSessions({ sessions, challenges, revocations, accounts: writer, clock });
  const endSessions: EndSessions = (tx, account, deadline) => endAllSessions(tx, account, 'account-changed', deadline);
  const endSession = createEndSession({ sessions, blacklist, clock });
  return {
    writer,
    endAllSessions,
    endSessions,
    endSession,
    endOtherSessions: createEndOtherSessions({ challenges, endSession, clock }),
    administration: createAccountAdministration({
      database,
      definitions,
      accounts,
      revocations,
      audit,
      clock,
      endSessions,
      tenantExists: (id) => tenantExists(database, id),
      selectReservedNames: selectNamesOfApplications,
    }),
  };
}
