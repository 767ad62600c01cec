// An OpenID provider: other applications log in users of this service (OpenID Connect Core 1.0, OAuth 2.1).
// Decides: whether a request is valid (`decideRequest`), what a session lacks for it (`findLack`, `decideContinuation`), what a code
// (`decideExchange`), a device (`decideDevicePoll`, `decideDeviceDecision`) and a refresh token (`decideRefresh`) lead to, which session the
// logout of an application ends (`decideLogout`), and whether a grant still stands (`findStanding`).
// States: a request waits on the login page until it is used, or late. A device waits until its user has decided, or ten
// minutes. A code is open for a minute (that of a device for the rest of the ten), then used or late. A grant is live
// while its session (unless it is offline), account and application are, until it is revoked or idle for too long.
// Tables: authorization_codes, authorization_requests, client_assertions, consents, device_requests, grants, session_applications.
// Routes: /auth/oauth2/{authorize, device, end-session, par, token, userinfo}, /auth/oauth2/{requests, logout-requests}/:id,
// /auth/oauth2/device-requests, /auth/oauth2/device-requests/decision, /account/grants, /account/grants/:id,
// /users/:userId/grants, /users/:userId/grants/:grantId.
import { AuthorizationServiceService } from '../../../proto/gen/authservice/oauth/v1/authorization_service.ts';
import { implement, type Service } from '../../platform/rpc/service.ts';
import type { Principal } from '../access/principal.ts';
import { createAuthorize, type AuthorizeDependencies } from './authorize/authorize.ts';
import { continuationHandlers, type ContinueAuthorizationDependencies } from './authorize/continue-authorization.ts';
import { pushHandlers, type PushRequestDependencies } from './authorize/push-request.ts';
import { createAuthorizeDevice, type AuthorizeDeviceDependencies } from './device/authorize-device.ts';
import { deviceHandlers, type DeviceDependencies } from './device/device-handlers.ts';
import { createConfirmLogout, type ConfirmLogoutDependencies } from './logout/confirm-logout.ts';
import { createEndSession, type EndSessionDependencies } from './logout/end-session.ts';
import { grantHandlers, type GrantDependencies } from './grants/grant-handlers.ts';
import { createExchangeToken, type ExchangeTokenDependencies } from './tokens/exchange-token.ts';
import { createGetUserInfo, type GetUserInfoDependencies } from './tokens/get-user-info.ts';

type AuthorizationDependencies = {
  readonly authorize: AuthorizeDependencies;
  readonly exchange: ExchangeTokenDependencies;
  readonly endSession: EndSessionDependencies;
  readonly confirmLogout: ConfirmLogoutDependencies;
} & ContinueAuthorizationDependencies &
  PushRequestDependencies &
  AuthorizeDeviceDependencies &
  DeviceDependencies &
  GrantDependencies &
  GetUserInfoDependencies;

export function authorizationService(dependencies: AuthorizationDependencies): Service<Principal> {
  return implement(
    AuthorizationServiceService,
    {
      authorize: createAuthorize(dependencies.authorize),
      ...pushHandlers(dependencies),
      ...continuationHandlers(dependencies),
      exchangeToken: createExchangeToken(dependencies.exchange),
      endSession: createEndSession(dependencies.endSession),
      confirmLogout: createConfirmLogout(dependencies.confirmLogout),
      getUserInfo: createGetUserInfo(dependencies),
      ...grantHandlers(dependencies),
      authorizeDevice: createAuthorizeDevice(dependencies),
      ...deviceHandlers(dependencies),
    },
    { unavailable: 'AUTHENTICATION_SERVICE_UNAVAILABLE' },
  );
}
