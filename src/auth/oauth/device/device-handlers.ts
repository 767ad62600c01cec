import {
  AuthorizationDecision,
  type DecideDeviceRequestRequest,
  type DecideDeviceRequestResponse,
  type GetDeviceRequestRequest,
  type GetDeviceRequestResponse,
} from '../../../../proto/gen/authservice/oauth/v1/authorization_service.ts';
import type { Clock, Deadline } from '../../../platform/clock.ts';
import { newId } from '../../../platform/db/ids.ts';
import type { Database, Statements } from '../../../platform/db/types.ts';
import { ServiceError } from '../../../platform/errors.ts';
import { networkOf } from '../../../platform/formats/network.ts';
import { REASONS } from '../../../platform/problem/catalogue.ts';
import type { Call } from '../../access/principal.ts';
import type { AuditLog } from '../../audit/trail/audit-log.ts';
import type { SlideSession } from '../../session/slide-session.ts';
import type { ClientApplication, FindGrantedApplication } from '../applications/application-loader-store.ts';
import { scopesToConsent } from '../authorize/decide-authorization.ts';
import { MAX_USER_AGENT, OutdatedFactsError, whileOutdated } from '../authorize/issue-code.ts';
import { showApplication, type ShowApplicationDependencies } from '../authorize/show-application.ts';
import type { RequestStore } from '../authorize/request-store.ts';
import { sessionOf, type LiveSession, type SessionReader } from '../authorize/session-facts.ts';
import { insertCode } from '../codes/code-store.ts';
import { grantEvent } from '../codes/redeem-code.ts';
import { addConsent } from '../consent/consent-store.ts';
import { decideDeviceDecision } from './decide-device.ts';
import { DEVICE_KEPT_MS, type DeviceRequest, type DeviceStore } from './device-store.ts';
import type { LimitWrongCodes } from './limit-wrong-codes.ts';
import { userCodeHash } from './user-code.ts';

export interface DeviceDependencies extends ShowApplicationDependencies {
  readonly database: Database;
  readonly devices: Pick<DeviceStore, 'findOpen' | 'deny' | 'remove'>;
  readonly requests: Pick<RequestStore, 'use'>;
  readonly findGrantedApplication: FindGrantedApplication;
  readonly limitWrongCodes: LimitWrongCodes;
  readonly sessionReader: SessionReader;
  readonly slideSession: SlideSession;
  /** Locks an account's row until the transaction ends. */
  readonly lockAccount: (
    tx: Statements,
    account: { readonly tenantId: string | undefined; readonly id: string },
    deadline: Deadline,
  ) => Promise<unknown>;
  readonly audit: AuditLog;
  /** Counts decisions: see count-outcomes.ts. */
  readonly countDevice: (outcome: string) => void;
  readonly clock: Clock;
}

interface OpenDevice {
  readonly device: DeviceRequest;
  readonly application: ClientApplication;
}

/** AuthorizationService: the RPCs by which the page for devices shows and decides a request. */
export function deviceHandlers(options: DeviceDependencies) {
  const { database, devices, requests, findGrantedApplication, limitWrongCodes, sessionReader } = options;
  const { slideSession, lockAccount, audit, countDevice, clock } = options;

  /** Throws NOT_FOUND if no device waits with this code, or TOO_MANY_REQUESTS. */
  async function findOpen(userCode: string, call: Call): Promise<OpenDevice> {
    const open = await limitWrongCodes(call, async (): Promise<OpenDevice | undefined> => {
      const hash = userCodeHash(userCode);
      const device = hash && (await devices.findOpen(hash, clock()));
      const application = device && (await findGrantedApplication(device));
      return device && application?.deviceGrant ? { device, application } : undefined;
    });
    if (!open) throw new ServiceError('NOT_FOUND');
    return open;
  }

  async function decideOnce(
    { userCode, decision, userAgent }: DecideDeviceRequestRequest,
    call: Call,
  ): Promise<DecideDeviceRequestResponse> {
    const live = await sessionOf(sessionReader, call);
    const open = await findOpen(userCode, call);
    const session = await sessionReader.factsOf(live, open.application);
    const choice = decision === AuthorizationDecision.AUTHORIZATION_DECISION_ALLOW ? 'ALLOW' : 'DENY';
    const decided = decideDeviceDecision({ application: open.application, session, now: clock() }, choice);
    if (decided === 'not-served')
      throw new ServiceError('PERMISSION_DENIED', { detail: 'the application does not serve the account' });
    if (decided === 'factor')
      throw new ServiceError('FRESH_SESSION_REQUIRED', {
        detail: 'the session lacks a factor that the application needs',
        stepUp: { maxAge: undefined, amr: 'mfa' },
      });
    if (decided === 'deny') await deny(open, live, call);
    else await allow(open, live, userAgent, call);
    countDevice(decided === 'deny' ? REASONS.ACCESS_DENIED.code : 'code');
    return {};
  }

  async function deny({ device, application }: OpenDevice, { found }: LiveSession, call: Call): Promise<void> {
    const { tenantId, id: accountId } = found.account;
    await audit.commit(call, async (tx, record) => {
      if (!(await devices.deny(tx, device, clock(), call.deadline))) throw new ServiceError('NOT_FOUND');
      await requests.use(tx, { hash: device.hash, pushedHash: undefined }, clock());
      record(grantEvent('device.denied', { tenantId, accountId }, application, {}));
    });
  }

  /** Stores the code of an allowed device. */
  async function allow(
    { device, application }: OpenDevice,
    live: LiveSession,
    userAgent: string | undefined,
    call: Call,
  ): Promise<void> {
    const { tenantId, id: accountId } = live.found.account;
    const now = clock();
    const codeWith = (consentId: string | undefined) => ({
      hash: device.hash,
      tenantId,
      accountId,
      applicationTenant: application.tenantId,
      applicationId: application.id,
      grantId: newId(),
      sessionId: live.id,
      consentId,
      redirectUri: undefined,
      challenge: undefined,
      nonce: undefined,
      scopes: device.scopes,
      resource: device.resource,
      authenticatedAt: live.session.authenticatedAt,
      methods: live.session.methods,
      network: networkOf(call.clientAddress),
      userAgent: userAgent?.slice(0, MAX_USER_AGENT),
      createdAt: now,
      expiresAt: device.expiresAt,
      keptUntil: device.expiresAt + DEVICE_KEPT_MS,
      usedAt: undefined,
    });
    await audit.commit(call, async (tx, record) => {
      if (!(await devices.remove(tx, device, now, call.deadline))) throw new ServiceError('NOT_FOUND');
      await requests.use(tx, { hash: device.hash, pushedHash: undefined }, now);
      let consentId: string | undefined;
      if (!application.firstParty) {
        const address = { tenantId, accountId, applicationId: application.id };
        // Before the rows that depend on it, as an exchange does.
        await lockAccount(tx, { tenantId, id: accountId }, call.deadline);
        const { id, added } = await addConsent(tx, address, scopesToConsent(device), now);
        consentId = id;
        if (added.length > 0)
          record(grantEvent('consent.given', { tenantId, accountId }, application, { scopes: added.join(' ') }));
      }
      await insertCode(database, tx, codeWith(consentId), call.deadline);
      if (!(await slideSession(tx, live, { id: live.id, accessExpiresAt: 0 }, call.deadline)))
        throw new OutdatedFactsError();
    });
  }

  return {
    async getDeviceRequest({ userCode }: GetDeviceRequestRequest, call: Call): Promise<GetDeviceRequestResponse> {
      const { device, application } = await findOpen(userCode, call);
      return {
        application: await showApplication(application, options),
        scopes: [...device.scopes],
        network: device.network,
        createdAt: new Date(device.requestedAt),
      };
    },

    decideDeviceRequest: (request: DecideDeviceRequestRequest, call: Call): Promise<DecideDeviceRequestResponse> =>
      whileOutdated(() => decideOnce(request, call)),
  };
}
