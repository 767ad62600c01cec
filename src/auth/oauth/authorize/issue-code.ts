// Stores an authorization code, and what the user has allowed with it.
import type { Clock } from '../../../platform/clock.ts';
import { newId } from '../../../platform/db/ids.ts';
import type { Database, Statements } from '../../../platform/db/types.ts';
import { ServiceError } from '../../../platform/errors.ts';
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

interface CodeOrder {
  readonly request: AuthorizationRequest;
  readonly application: ClientApplication;
  readonly live: LiveSession;
  readonly userAgent: string | undefined;
}

/**
 * Stores a code within a transaction, and returns the redirect with it. The session's idle window restarts. Throws NOT_FOUND if the
 * session has ended.
 */
export type IssueCode = (tx: Statements, order: CodeOrder, call: Call) => Promise<string>;

const MAX_USER_AGENT = 512;

export function createIssueCode({ database, slideSession, issuer, clock }: IssueCodeDependencies): IssueCode {
  return async (tx, { request, application, live, userAgent }, call) => {
    const now = clock();
    const { text, hash } = newCode();
    if (!(await slideSession(tx, live, { id: live.id, accessExpiresAt: 0 }, call.deadline)))
      throw new ServiceError('NOT_FOUND', { detail: 'the session has ended' });
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
    return redirectTo(request.redirectUri, { code: text, state: request.state }, { issuer });
  };
}
