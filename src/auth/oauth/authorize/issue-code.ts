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
import { holdConsent } from '../consent/consent-store.ts';
import type { Scope } from '../scopes.ts';
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
  /** The consent that the request was judged by; undefined if none is needed, or the user gives it in this transaction. */
  readonly consented: readonly Scope[] | undefined;
  readonly userAgent: string | undefined;
}

/** The session has ended, or the consent has changed, since the request was judged. It is to be judged again. */
export class OutdatedFactsError extends Error {}

/**
 * Stores a code within a transaction, and returns the redirect with it. The session's idle window restarts. Throws OutdatedFactsError,
 * which rolls the transaction back.
 */
export type IssueCode = (tx: Statements, order: CodeOrder, call: Call) => Promise<string>;

export const MAX_USER_AGENT = 512;

export function createIssueCode({ database, slideSession, issuer, clock }: IssueCodeDependencies): IssueCode {
  return async (tx, { request, application, live, consented, userAgent }, call) => {
    const now = clock();
    const { text, hash } = newCode();
    const { tenantId, id: accountId } = live.found.account;
    const consent = { tenantId, accountId, applicationId: application.id };
    const expiresAt = now + CODE_LIFETIME_MS;
    const code = {
      hash,
      tenantId,
      accountId,
      applicationTenant: application.tenantId,
      applicationId: application.id,
      grantId: newId(),
      sessionId: live.id,
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
    await insertCode(database, tx, code, call.deadline);
    // The code's foreign key has locked the account, as each transaction does first that locks several rows of it.
    if (consented && !(await holdConsent(tx, consent, consented, now))) throw new OutdatedFactsError();
    if (!(await slideSession(tx, live, { id: live.id, accessExpiresAt: 0 }, call.deadline)))
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
