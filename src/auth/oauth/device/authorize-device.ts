// Starts the authorization of a device (RFC 8628 section 3.1).
import type {
  AuthorizeDeviceRequest,
  AuthorizeDeviceResponse,
} from '../../../../proto/gen/authservice/oauth/v1/authorization_service.ts';
import type { Clock } from '../../../platform/clock.ts';
import { DependencyUnavailableError, ServiceError } from '../../../platform/errors.ts';
import { networkOf } from '../../../platform/formats/network.ts';
import type { Call } from '../../access/principal.ts';
import type { ClientApplication } from '../applications/application-loader-store.ts';
import { isCommandLine } from '../applications/command-line.ts';
import { tooManyRequests } from '../authorize/authorize.ts';
import type { RequestStore } from '../authorize/request-store.ts';
import { readScopes, type Scope } from '../scopes.ts';
import type { AuthenticateApplication } from '../tokens/client-authentication.ts';
import { DEVICE_LIFETIME_MS, newDeviceCode, POLL_INTERVAL_S, type DeviceStore } from './device-store.ts';
import { newUserCode, userCodeHash } from './user-code.ts';

export interface AuthorizeDeviceDependencies {
  readonly devices: Pick<DeviceStore, 'insert'>;
  readonly requests: Pick<RequestStore, 'insert'>;
  readonly authenticateApplication: AuthenticateApplication;
  /** URL of the page where users enter codes. */
  readonly verificationUri: string;
  /** Counts requests by their outcome: see count-outcomes.ts. */
  readonly countDevice: (outcome: string) => void;
  readonly clock: Clock;
}

/** Another device can have the same code for its user. */
const MAX_TRIES = 5;

/** AuthorizationService.AuthorizeDevice. */
export function createAuthorizeDevice(options: AuthorizeDeviceDependencies) {
  const { devices, requests, authenticateApplication, verificationUri, countDevice, clock } = options;

  return async (request: AuthorizeDeviceRequest, call: Call): Promise<AuthorizeDeviceResponse> => {
    const application = await authenticateApplication(request, call, { endpoint: 'device' });
    const asked = readAsked(request, application);
    const { text: deviceCode, hash } = newDeviceCode();
    const requestedAt = clock();
    const device = {
      ...asked,
      hash,
      applicationTenant: application.tenantId,
      applicationId: application.id,
      network: networkOf(call.clientAddress),
      interval: POLL_INTERVAL_S,
      polledAt: undefined,
      deniedAt: undefined,
      requestedAt,
      expiresAt: requestedAt + DEVICE_LIFETIME_MS,
    };
    // It counts among the open requests until it is decided.
    const counted = { ...device, kind: 'DEVICE' as const, pushedHash: undefined, parameters: '' };
    if (!(await requests.insert(counted, call.deadline))) throw tooManyRequests();
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      const userCode = newUserCode();
      if (await devices.insert({ ...device, userCodeHash: userCodeHash(userCode)! }, call.deadline)) {
        countDevice('login');
        return {
          deviceCode,
          userCode,
          verificationUri,
          verificationUriComplete: `${verificationUri}?user_code=${userCode}`,
          expiresIn: DEVICE_LIFETIME_MS / 1000,
          interval: POLL_INTERVAL_S,
        };
      }
    }
    throw new DependencyUnavailableError('no code for the user was free');
  };
}

/** Returns what a device asks for. Throws UNAUTHORIZED_CLIENT or INVALID_TARGET. */
function readAsked(
  { scope, resource }: AuthorizeDeviceRequest,
  application: ClientApplication,
): { readonly scopes: readonly Scope[]; readonly resource: string | undefined } {
  if (!application.deviceGrant)
    throw new ServiceError('UNAUTHORIZED_CLIENT', { detail: 'the application has no device grant' });
  const scopes = readScopes(scope, application.scopes);
  const isOwn = isCommandLine(application);
  if (resource && !(isOwn && application.resources.includes(resource)))
    throw new ServiceError('INVALID_TARGET', { detail: 'a device cannot ask for a resource' });
  return {
    // What acts as its user ends with the session of its user.
    scopes: isOwn ? scopes.filter((one) => one !== 'offline_access') : scopes,
    resource: resource || undefined,
  };
}
