// Reads what the decisions need to know of a session, as it is now.
import type { Clock } from '../../../platform/clock.ts';
import { isId } from '../../../platform/db/ids.ts';
import { ServiceError } from '../../../platform/errors.ts';
import type { Policies } from '../../access/policy/policies.ts';
import type { Call } from '../../access/principal.ts';
import type { FoundAccount } from '../../identity/account-row.ts';
import { findIneligibility } from '../../identity/authentication/eligibility.ts';
import { isOpen } from '../../session/open-session.ts';
import { isWithoutRequiredFactor, limitSession } from '../../session/session-limits.ts';
import {
  authenticationOf,
  type AuthenticatedSession,
  type Session,
  type SessionAddress,
  type ShortenSession,
} from '../../session/session.ts';
import { issuedAmong } from '../../session/transport/transport-policy.ts';
import type { TransportPolicies } from '../../session/transport/transport-policy.ts';
import type { ClientApplication } from '../applications/application-loader-store.ts';
import type { FindConsent } from '../consent/consent-store.ts';
import { isPermitted, servesAccount, type FindAccounts, type FindSessions, type Standing } from '../grants/standing.ts';
import type { SessionFacts } from './decide-authorization.ts';

export interface SessionFactsDependencies {
  readonly findConsent: FindConsent;
  readonly accounts: FindAccounts;
  readonly sessions: FindSessions & {
    findBySelector(selector: Buffer): Promise<Session | undefined>;
    findAddress(id: string): Promise<SessionAddress | undefined>;
  };
  readonly policies: Pick<Policies, 'of'>;
  readonly transports: TransportPolicies;
  readonly shortenSession: ShortenSession;
  readonly clock: Clock;
}

/** A live session with its account. */
export interface LiveSession extends Standing {
  readonly id: string;
  readonly session: AuthenticatedSession;
}

export type SessionReader = ReturnType<typeof createSessionReader>;

export function createSessionReader(options: SessionFactsDependencies) {
  const { findConsent, accounts, sessions, policies, transports, shortenSession, clock } = options;

  async function toLive(
    session: AuthenticatedSession | undefined,
    { tenantId, id }: SessionAddress,
  ): Promise<LiveSession | undefined> {
    if (!session) return undefined;
    const found = await accounts.find({ tenantId, id: session.accountId });
    const now = clock();
    if (!found || findIneligibility('refresh-token', found, now)) return undefined;
    const policy = policies.of(found.definitions);
    if (isOpen(session, { account: found.account, id, policy, now })) return { id, session, found, policy };
    const { expiresAt } = limitSession(session, policy);
    // A looser policy must not bring it back.
    if (expiresAt <= now && session.expiresAt > expiresAt)
      await shortenSession({ tenantId, id, refreshedAt: session.refreshedAt, expiresAt });
    return undefined;
  }

  return {
    /**
     * Returns the live session of a browser's refresh cookies. Only the current token of a session counts. It is not rotated, and
     * nothing changes.
     */
    async ofCookies(refreshTokens: readonly string[]): Promise<LiveSession | undefined> {
      const [presented, ...others] = await issuedAmong(transports.REFRESH_TOKEN_TRANSPORT_COOKIE, refreshTokens);
      if (!presented || others.length > 0) return undefined;
      const { selector, generation, verifierHash } = presented.token;
      const stored = await sessions.findBySelector(selector);
      if (stored?.transport !== 'COOKIE' || stored.generation !== generation) return undefined;
      if (!stored.verifierHash.equals(verifierHash)) return undefined;
      return toLive({ ...stored, ...authenticationOf(stored) }, stored);
    },

    /** Returns a session by its id, if it is live. */
    ofId: async (address: SessionAddress): Promise<LiveSession | undefined> =>
      toLive(await sessions.findAuthenticated(address), address),

    /** Returns the session of an ID token, if it is live. */
    async ofIdToken({ sub, sid }: { readonly sub: string; readonly sid: string | undefined }) {
      const address = sid !== undefined && isId(sid) ? await sessions.findAddress(sid) : undefined;
      const live = address && (await toLive(await sessions.findAuthenticated(address), address));
      return live?.session.accountId === sub ? live : undefined;
    },

    /** Returns what a session means for an application. */
    async factsOf(
      { session, found, policy }: LiveSession,
      application: ClientApplication,
    ): Promise<SessionFacts & { readonly consentId: string | undefined }> {
      const { account } = found;
      const address = { tenantId: account.tenantId, accountId: account.id, applicationId: application.id };
      const consent = application.firstParty ? undefined : await findConsent(address);
      return {
        accountId: account.id,
        isServed: servesAccount(application, account, policy),
        authenticatedAt: session.authenticatedAt,
        methods: session.methods,
        factors: factorsOf(account),
        lacksFactor: isWithoutRequiredFactor(session, account, policy.effective),
        isPermitted: isPermitted(application, account),
        consented: consent?.scopes ?? [],
        consentId: consent?.id,
      };
    },
  };
}

/**
 * Returns the session of a call's bearer token. Throws PERMISSION_DENIED if the caller is not a user with a session, and TOKEN_INVALID if
 * the session has just ended.
 */
export async function sessionOf(reader: Pick<SessionReader, 'ofId'>, { principal }: Call): Promise<LiveSession> {
  const { account, sessionId } = principal!;
  if (sessionId === undefined)
    throw new ServiceError('PERMISSION_DENIED', { detail: 'only the user of a session continues a request' });
  const live = await reader.ofId({ tenantId: account.tenantId, id: sessionId });
  if (!live) throw new ServiceError('TOKEN_INVALID', { detail: 'the session has ended' });
  return live;
}

function factorsOf({ factors }: FoundAccount['account']): SessionFacts['factors'] {
  return { totp: factors.includes('totp'), passkey: factors.includes('passkey') };
}
