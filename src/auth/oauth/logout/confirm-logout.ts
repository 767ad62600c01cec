// The logout that a user has confirmed on the page.
import type {
  ConfirmLogoutRequest,
  ConfirmLogoutResponse,
} from '../../../../proto/gen/authservice/oauth/v1/authorization_service.ts';
import {
  RefreshTokenTransport,
  RequestOrigin,
  type LogoutRequest,
  type LogoutResponse,
} from '../../../../proto/gen/authservice/session/v1/session_service.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Database } from '../../../platform/db/types.ts';
import { ServiceError } from '../../../platform/errors.ts';
import { loadThenHandle } from '../../../platform/rpc/service.ts';
import type { Call } from '../../access/principal.ts';
import type { FindByClientId } from '../applications/application-loader-store.ts';
import { createParameters, parseParameters } from '../authorize/parameters.ts';
import type { RequestStore } from '../authorize/request-store.ts';
import { findTarget } from './decide-logout.ts';

export interface ConfirmLogoutDependencies {
  readonly database: Database;
  readonly requests: Pick<RequestStore, 'findOpen' | 'use'>;
  readonly findByClientId: FindByClientId;
  /** SessionService.Logout. */
  readonly logout: (request: LogoutRequest, call: Call) => Promise<LogoutResponse>;
  readonly clock: Clock;
}

const isCookie = (transport: RefreshTokenTransport): boolean =>
  transport === RefreshTokenTransport.REFRESH_TOKEN_TRANSPORT_COOKIE;

/** AuthorizationService.ConfirmLogout. */
export function createConfirmLogout({ database, requests, findByClientId, logout, clock }: ConfirmLogoutDependencies) {
  /** Throws TOKEN_MISSING if the caller shows no session, and NOT_FOUND if the request is unknown, used or late, or if its application no longer has the URI. */
  async function findOpen({ requestId, refreshTokenTransport }: ConfirmLogoutRequest, { principal }: Call) {
    if (!isCookie(refreshTokenTransport) && !principal) throw new ServiceError('TOKEN_MISSING');
    const stored = await requests.findOpen(requestId, clock());
    if (stored?.kind !== 'LOGOUT') throw new ServiceError('NOT_FOUND');
    const parameters = createParameters(parseParameters(stored.parameters));
    const clientId = parameters.get('client_id');
    const application = clientId === undefined ? undefined : (await findByClientId(clientId))?.application;
    const target = findTarget(parameters, application);
    if (target === null) throw new ServiceError('NOT_FOUND');
    return { stored, target };
  }

  return loadThenHandle(
    findOpen,
    async (request: ConfirmLogoutRequest, call: Call, { stored, target }): Promise<ConfirmLogoutResponse> => {
      const { refreshTokens, refreshTokenTransport, origin } = request;
      const hasCookies = isCookie(refreshTokenTransport);
      if (hasCookies && origin !== RequestOrigin.REQUEST_ORIGIN_OWN)
        throw new ServiceError('PERMISSION_DENIED', { detail: 'only a page of this service confirms a logout' });
      const { principal } = call;
      if (principal && (principal.isApplication === true || principal.sessionId === undefined))
        throw new ServiceError('PERMISSION_DENIED', { detail: 'only the user of a session confirms a logout' });
      // Without the origin of the page: a session that began on a page elsewhere ends, too.
      const { refreshCookieName } = await logout(
        hasCookies
          ? { refreshTokens, refreshTokenTransport }
          : { refreshTokens: [], refreshTokenTransport: RefreshTokenTransport.REFRESH_TOKEN_TRANSPORT_UNSPECIFIED },
        call,
      );
      // After the logout: a request whose session could not be ended can be confirmed again.
      await database.transaction(call.deadline, (tx) => requests.use(tx, stored, clock()));
      return { redirectTo: target, refreshCookieName };
    },
  );
}
