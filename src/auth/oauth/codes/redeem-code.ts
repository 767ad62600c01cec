// Turns a code into a grant with its first tokens, or ends the grant of a code that was used before.
import type { ExchangeTokenResponse } from '../../../../proto/gen/authservice/oauth/v1/authorization_service.ts';
import type { Clock, Deadline } from '../../../platform/clock.ts';
import type { Database, Statements } from '../../../platform/db/types.ts';
import { ServiceError } from '../../../platform/errors.ts';
import type { Call } from '../../access/principal.ts';
import type { AuditEvent, AuditLog } from '../../audit/trail/audit-log.ts';
import type { Notify } from '../../mail/notices.ts';
import type { SlideSession } from '../../session/slide-session.ts';
import type { ClientApplication } from '../applications/application-loader-store.ts';
import { holdConsent } from '../consent/consent-store.ts';
import type { EndGrant } from '../grants/end-grants.ts';
import { selectSurplus } from '../grants/grant-list-store.ts';
import { deleteGrants, type Grant, type GrantStore } from '../grants/grant-store.ts';
import { newSelector, type RefreshTokens } from '../grants/refresh-token.ts';
import type { Standing } from '../grants/standing.ts';
import { addSessionApplication } from '../logout/session-application-store.ts';
import type { PrepareTokens } from '../tokens/issue-tokens.ts';
import { useCode, type AuthorizationCode } from './code-store.ts';

type AccountAddress = { readonly tenantId: string | undefined; readonly id: string };

export interface RedeemCodeDependencies {
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
  readonly prepareTokens: PrepareTokens;
  readonly refreshTokens: RefreshTokens;
  readonly endGrant: EndGrant;
  readonly audit: AuditLog;
  readonly clock: Clock;
}

/** What a code is redeemed with. */
export interface RedeemTerms {
  readonly application: ClientApplication;
  readonly standing: Standing;
  readonly resource: string | undefined;
}

/** A code that was used meanwhile, or a session that has ended, is seen in the next round. */
export const MAX_TRIES = 3;

export type RedeemCode = ReturnType<typeof createRedeemCode>;

export function createRedeemCode(options: RedeemCodeDependencies) {
  const { database, grants, lockInSession, guardAccount, slideSession, prepareTokens } = options;
  const { refreshTokens, endGrant, notify, audit, clock } = options;

  return { redeem, revokeReplayed };

  /** Returns undefined if the code was used, or its session has ended, since they were judged, or if the call is late. */
  async function redeem(
    code: AuthorizationCode,
    terms: RedeemTerms,
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

  /** Throws INVALID_GRANT. */
  async function revokeReplayed(code: AuthorizationCode, application: ClientApplication, call: Call): Promise<never> {
    await audit.commit(call, async (tx, record) => {
      const isEnded = await endGrant(tx, { tenantId: code.tenantId, id: code.grantId }, 'replay', call.deadline);
      if (isEnded) record(grantEvent('code.replayed', code, application, { grantId: code.grantId }));
    });
    throw new ServiceError('INVALID_GRANT', { detail: 'the code was used before; its grant is revoked' });
  }
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
    resource: resource ?? code.resource,
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
