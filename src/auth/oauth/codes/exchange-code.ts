// Exchanges an authorization code for the tokens of a new grant (OAuth 2.1 section 4.1.3).
import type {
  ExchangeTokenRequest,
  ExchangeTokenResponse,
} from '../../../../proto/gen/authservice/oauth/v1/authorization_service.ts';
import type { Clock, Deadline } from '../../../platform/clock.ts';
import type { Database, Statements } from '../../../platform/db/types.ts';
import { DependencyUnavailableError, ServiceError } from '../../../platform/errors.ts';
import type { Call } from '../../access/principal.ts';
import type { AuditEvent, AuditLog } from '../../audit/trail/audit-log.ts';
import type { Notify } from '../../mail/notices.ts';
import type { SlideSession } from '../../session/slide-session.ts';
import type { ClientApplication } from '../applications/application-loader-store.ts';
import { isRegisteredUri } from '../applications/redirect-uri.ts';
import type { EndGrant } from '../grants/end-grants.ts';
import { selectSurplus } from '../grants/grant-list-store.ts';
import { deleteGrants, type Grant, type GrantStore } from '../grants/grant-store.ts';
import { newSelector, type RefreshTokens } from '../grants/refresh-token.ts';
import type { FindStanding, Standing } from '../grants/standing.ts';
import type { PrepareTokens } from '../tokens/issue-tokens.ts';
import { resourceOf } from '../tokens/resource.ts';
import { holdConsent } from '../consent/consent-store.ts';
import { findCode, useCode, type AuthorizationCode } from './code-store.ts';
import { addSessionApplication } from '../logout/session-application-store.ts';
import { decideExchange } from './decide-exchange.ts';

type AccountAddress = { readonly tenantId: string | undefined; readonly id: string };

export interface ExchangeCodeDependencies {
  readonly database: Database;
  readonly grants: Pick<GrantStore, 'insert' | 'hasOffline'>;
  readonly notify: Notify;
  /** Locks an account until the transaction ends. Returns false if all sessions up to this one have ended. */
  readonly lockInSession: (
    tx: Statements,
    account: AccountAddress,
    sessionId: string,
    deadline: Deadline,
  ) => Promise<boolean>;
  /** Makes the transaction fail if another node of a cluster changes the account. */
  readonly guardAccount: (tx: Statements, account: AccountAddress) => Promise<void>;
  readonly slideSession: SlideSession;
  readonly findStanding: FindStanding;
  readonly prepareTokens: PrepareTokens;
  readonly refreshTokens: RefreshTokens;
  readonly endGrant: EndGrant;
  readonly audit: AuditLog;
  readonly clock: Clock;
}

/** A code that was used meanwhile, or a session that has ended, is seen in the next round. */
const MAX_TRIES = 3;

export function createExchangeCode(options: ExchangeCodeDependencies) {
  const { database, grants, lockInSession, guardAccount, slideSession, findStanding, prepareTokens } = options;
  const { refreshTokens, endGrant, notify, audit, clock } = options;

  return async (
    request: ExchangeTokenRequest & { readonly code: string },
    application: ClientApplication,
    call: Call,
  ): Promise<ExchangeTokenResponse> => {
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      const code = await findCode(database, request.code);
      const standing = code && (await findStanding({ ...code, offline: false }, application));
      const refusal = standing && 'refusal' in standing ? standing.refusal : findUriRefusal(code, application);
      const decision = decideExchange({
        code,
        application,
        redirectUri: request.redirectUri || undefined,
        verifier: request.codeVerifier || undefined,
        refusal,
        now: clock(),
      });
      if (decision.kind === 'refuse') throw new ServiceError('INVALID_GRANT', { detail: decision.detail });
      if (decision.kind === 'replay') return revokeReplayed(code!, application, call);
      const resource = resourceOf(request.resource, code!.resource, application);
      const response = await redeem(code!, { application, standing: standing as Standing, resource }, call);
      if (response) return response;
    }
    throw new DependencyUnavailableError('the code could not be exchanged in time');
  };

  /** Returns undefined if the code was used, or its session has ended, since they were judged, or if the call is late. */
  async function redeem(
    code: AuthorizationCode,
    terms: {
      readonly application: ClientApplication;
      readonly standing: Standing;
      readonly resource: string | undefined;
    },
    call: Call,
  ): Promise<ExchangeTokenResponse | undefined> {
    const { application, standing, resource } = terms;
    const grant = newGrant(code, application, resource, clock());
    const prepared = await prepareTokens({ ...terms, grant, scopes: grant.scopes, nonce: code.nonce });
    const stored = { ...grant, accessExpiresAt: prepared.accessExpiresAt };
    const isRedeemed = await audit.commit(call, async (tx, record) => {
      const account = { tenantId: code.tenantId, id: code.accountId };
      const session = { id: code.sessionId, accessExpiresAt: stored.accessExpiresAt };
      // What ends all sessions and grants of the account has ended this session too, or comes later and sees this grant.
      if (!(await lockInSession(tx, account, session.id, call.deadline))) return false;
      if (!(await slideSession(tx, standing, session, call.deadline))) return false;
      if (code.consentId !== undefined && !(await holdConsent(tx, code, code.consentId, clock())))
        throw new ServiceError('INVALID_GRANT', { detail: 'the consent was revoked' });
      if (!(await useCode(database, tx, code, clock(), call.deadline))) return false;
      if (stored.offline) await guardAccount(tx, account);
      const surplus = await selectSurplus(tx, account, application.id, clock());
      await deleteGrants(tx, code.tenantId, surplus.over);
      for (const id of surplus.live)
        if (await endGrant(tx, { tenantId: code.tenantId, id }, 'too-many', call.deadline))
          record(grantEvent('grant.revoked', code, application, { grantId: id, reason: 'too-many' }));
      if (stored.offline && !application.firstParty && !(await grants.hasOffline(tx, account, application.id)))
        await notify(tx, 'application-access', standing.found.account, clock(), { application: application.name });
      await grants.insert(tx, stored, call.deadline);
      await addSessionApplication(database, tx, stored, clock());
      record(grantEvent('grant.created', code, application, { grantId: stored.id, scopes: stored.scopes.join(' ') }));
      return true;
    });
    if (!isRedeemed) return undefined;
    return { ...(await prepared.response), refreshToken: refreshTokens.issue(stored) };
  }

  async function revokeReplayed(code: AuthorizationCode, application: ClientApplication, call: Call): Promise<never> {
    await audit.commit(call, async (tx, record) => {
      const isEnded = await endGrant(tx, { tenantId: code.tenantId, id: code.grantId }, 'replay', call.deadline);
      if (isEnded) record(grantEvent('code.replayed', code, application, { grantId: code.grantId }));
    });
    throw new ServiceError('INVALID_GRANT', { detail: 'the code was used before; its grant is revoked' });
  }
}

/** Returns why an application refuses a code: it no longer has its redirect URI. Undefined if it does not. */
export function findUriRefusal(
  code: AuthorizationCode | undefined,
  { redirectUris, type }: ClientApplication,
): string | undefined {
  return code === undefined || isRegisteredUri(code.redirectUri, redirectUris, type)
    ? undefined
    : 'the application no longer has the redirect URI of the code';
}

/** Returns an event of a grant or a consent, which names the account and the application. */
export function grantEvent(
  event: AuditEvent['event'],
  { tenantId, accountId }: Pick<AuthorizationCode, 'tenantId' | 'accountId'>,
  { id: application, clientId }: Pick<ClientApplication, 'id' | 'clientId'>,
  details: NonNullable<AuditEvent['details']>,
): AuditEvent {
  return { event, tenantId, accountId, details: { application, clientId, ...details } };
}

/** Returns the grant of a code, before its first access token is known. */
function newGrant(
  code: AuthorizationCode,
  application: ClientApplication,
  resource: string | undefined,
  now: number,
): Omit<Grant, 'accessExpiresAt'> {
  const { tenantId, accountId, applicationTenant, applicationId, sessionId, scopes } = code;
  const { authenticatedAt, methods, network, userAgent, grantId: id } = code;
  return {
    id,
    tenantId,
    accountId,
    applicationTenant,
    applicationId,
    sessionId,
    scopes,
    resource,
    authenticatedAt,
    methods,
    network,
    userAgent,
    offline: scopes.includes('offline_access'),
    selector: newSelector(),
    generation: 1,
    rotatedAt: undefined,
    stepScopes: scopes,
    previousStepScopes: scopes,
    createdAt: now,
    lastUsedAt: now,
    idleExpiresAt: idleEnd(application, now, now),
    revokedAt: undefined,
  };
}

/** Returns when a grant ends if it is used now: after its idle time, never after its lifetime. Unix milliseconds. */
export function idleEnd(
  { refreshTokenIdle, refreshTokenLifetime }: Pick<ClientApplication, 'refreshTokenIdle' | 'refreshTokenLifetime'>,
  createdAt: number,
  now: number,
): number {
  return Math.min(now + refreshTokenIdle * 1000, createdAt + refreshTokenLifetime * 1000);
}
