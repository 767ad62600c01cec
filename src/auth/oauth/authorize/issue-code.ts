// Stores an authorization code, and what the user has allowed with it.
import type { Clock } from '../../../platform/clock.ts';
import { newId } from '../../../platform/db/ids.ts';
import type { Database, Statements } from '../../../platform/db/types.ts';
import { DependencyUnavailableError } from '../../../platform/errors.ts';
import { networkOf } from '../../../platform/formats/network.ts';
import type { Call } from '../../access/principal.ts';
import type { SlideSession } from '../../session/slide-session.ts';
import type { ClientApplication } from '../applications/application-loader-store.ts';
import { CODE_LIFETIME_MS, insertCode, newCode } from '../codes/code-store.ts';
import type { AuthorizationRequest } from './decide-request.ts';
import { redirectTo } from './redirect.ts';
import type { LiveSession } from './session-facts.ts';

export interface IssueCodeDependencies {
  readonly database: Database;
  readonly slideSession: SlideSession;
  readonly issuer: string;
  readonly clock: Clock;
}

export interface CodeOrder {
  readonly request: AuthorizationRequest;
  readonly application: ClientApplication;
  readonly live: LiveSession;
  /** The consent that the exchange of the code needs; undefined if none is needed. */
  readonly consentId: string | undefined;
  readonly userAgent: string | undefined;
}

/** The session has ended since the request was judged. It is to be judged again. */
export class OutdatedFactsError extends Error {}

/**
 * Stores a code, and returns the redirect with it. The session's idle window restarts. Throws OutdatedFactsError, which rolls a transaction
 * back. Without a transaction, a code can remain that no client has got.
 */
export type IssueCode = (db: Statements, order: CodeOrder, call: Call) => Promise<string>;

export const MAX_USER_AGENT = 512;

export function createIssueCode({ database, slideSession, issuer, clock }: IssueCodeDependencies): IssueCode {
  return async (db, { request, application, live, consentId, userAgent }, call) => {
    const now = clock();
    const { text, hash } = newCode();
    const { tenantId, id: accountId } = live.found.account;
    const expiresAt = now + CODE_LIFETIME_MS;
    const code = {
      hash,
      tenantId,
      accountId,
      applicationTenant: application.tenantId,
      applicationId: application.id,
      grantId: newId(),
      sessionId: live.id,
      consentId,
      redirectUri: request.redirectUri,
      challenge: request.challenge,
      nonce: request.nonce,
      scopes: request.scopes,
      resource: request.resource,
      authenticatedAt: live.session.authenticatedAt,
      methods: live.session.methods,
      network: networkOf(call.clientAddress),
      userAgent: userAgent?.slice(0, MAX_USER_AGENT),
      createdAt: now,
      expiresAt,
      keptUntil: expiresAt,
      usedAt: undefined,
    };
    await insertCode(database, db, code, call.deadline);
    // The code's foreign key has locked the account, as each transaction does first that locks several rows of it.
    if (!(await slideSession(db, live, { id: live.id, accessExpiresAt: 0 }, call.deadline)))
      throw new OutdatedFactsError();
    return redirectTo(request.redirectUri, { code: text, state: request.state }, { issuer });
  };
}

const MAX_TRIES = 3;

/** Judges a request, and again if something has changed meanwhile. */
export async function whileOutdated<T>(judge: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await judge();
    } catch (error) {
      if (!(error instanceof OutdatedFactsError)) throw error;
      if (tries === MAX_TRIES) throw new DependencyUnavailableError('the request could not be judged in time');
    }
  }
}
