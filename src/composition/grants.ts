// The grants of applications, which the checks of credentials and the changes of accounts need.
import { createEndGrant, createEndOfflineGrants } from '../auth/oauth/grants/end-grants.ts';
import { createSessionReader, type SessionReader } from '../auth/oauth/authorize/session-facts.ts';
import { createGrantStore, type GrantStore } from '../auth/oauth/grants/grant-store.ts';
import { createRefreshTokens, type RefreshTokens } from '../auth/oauth/grants/refresh-token.ts';
import { createFindStanding, type FindStanding } from '../auth/oauth/grants/standing.ts';
import {
  createFindGrantedApplication,
  createFindOwningApplication,
  type FindOwningApplication,
} from '../auth/oauth/applications/application-loader-store.ts';
import { createFindConsent } from '../auth/oauth/consent/consent-store.ts';
import { createWithSettings } from '../auth/oauth/applications/command-line.ts';
import { createCallerTokens } from '../auth/oauth/tokens/caller-tokens.ts';
import { createInspectToken } from '../auth/oauth/tokens/inspect-token.ts';
import { shortenSession } from '../auth/session/slide-store.ts';
import { loadSecretKey } from '../auth/keys/secret-key.ts';
import { commandLineRules } from './applications.ts';
import type { Foundation } from './foundation.ts';
import type { Tokens } from './tokens.ts';

/** The grants of applications, as the checks of credentials and the changes of accounts need them. */
export interface Grants {
  readonly store: GrantStore;
  readonly sessionReader: SessionReader;
  readonly findStanding: FindStanding;
  readonly endGrant: ReturnType<typeof createEndGrant>;
  readonly endOffline: ReturnType<typeof createEndOfflineGrants>;
  readonly inspectToken: ReturnType<typeof createInspectToken>;
  readonly refreshTokens: RefreshTokens;
  readonly findOwningApplication: FindOwningApplication;
  readonly callerTokens: ReturnType<typeof createCallerTokens>;
}

/** Creates the parts of grants that other services use. Their key is read from the database or created. */
export async function createGrants(
  foundation: Foundation,
  { tokens, blacklist, encryption, transports }: Tokens,
): Promise<Grants> {
  const { settings, database, accounts, sessions, policies, audit, clock } = foundation;
  const macKey = await loadSecretKey({ database, encryption, clock, name: 'grant-refresh-token' });
  const refreshTokens = createRefreshTokens(macKey);
  const store = createGrantStore(database);
  const endGrant = createEndGrant({ grants: store, blacklist, clock });
  const findStanding = createFindStanding({ accounts, sessions, policies, clock });
  const findOwningApplication = createFindOwningApplication(database, createWithSettings(commandLineRules(settings)));
  const findApplication = createFindGrantedApplication(findOwningApplication);
  const inspectToken = createInspectToken({ tokens, blacklist, grants: store, findApplication, findStanding });
  return {
    sessionReader: createSessionReader({
      findConsent: createFindConsent(database),
      accounts,
      sessions,
      policies,
      transports,
      shortenSession: (session) => shortenSession(database, session, session),
      clock,
    }),
    store,
    findStanding,
    endGrant,
    endOffline: createEndOfflineGrants({ grants: store, endGrant }),
    inspectToken,
    refreshTokens,
    findOwningApplication,
    callerTokens: createCallerTokens({
      tokens,
      refreshTokens,
      grants: store,
      findApplication,
      findStanding,
      inspect: inspectToken.inspect,
      endGrant,
      audit,
      issuer: settings['app.security.jwt.issuer'],
      clock,
    }),
  };
}
