// All routes: those of the protos, those of modules, and those written by hand here. Each maps a method and a path to exactly one
// RPC, except the liveness check.
import type { RpcName } from './clients.ts';
import type { RouteEntry } from './endpoint.ts';
import { authPath, contextPath } from './api-path.ts';
import { loginOptions } from './auth/login-options.ts';
import { authorize, postAuthorize } from './oauth2/authorize.ts';
import { authorizeDevice } from './oauth2/device.ts';
import { confirmLogout, endSession, postEndSession } from './oauth2/end-session.ts';
import { pushAuthorizationRequest } from './oauth2/par.ts';
import { exchangeToken } from './oauth2/token.ts';
import { userInfo } from './oauth2/userinfo.ts';
import { profileA } from './auth/profile-a/profile.ts';
import { introspect } from './auth/m2m/introspect.ts';
import { revoke } from './auth/m2m/revoke.ts';
import { token } from './auth/m2m/token.ts';
import { profileB } from './auth/profile-b/profile.ts';
import {
  confirmEmail,
  confirmInvitation,
  confirmRecovery,
  requestRecovery,
  stopEmailChange,
} from './auth/mail-tokens.ts';
import { auditExport } from './audit/audit-export.ts';
import { auditStream } from './audit/audit-stream.ts';
import { revocations } from './auth/revocations.ts';
import { verify, type VerifyOptions } from './auth/verify.ts';
import { derivedRoutes } from './contract/derived.ts';
import type { Gateway, GatewaySettings, TypedApp } from './context.ts';
import { authorizationServerMetadata, jsonWebKeySet } from './root/well-known.ts';
import { enabledModules, MODULES } from './modules.ts';
import { live, ready } from './root/health.ts';

const PROFILES = { A: profileA, B: profileB };

/** The order of the OpenAPI document: beginnings of paths below `/api/v1`. Those of modules follow, then the others. */
const RESOURCES = [
  'auth',
  'tenants',
  'users',
  'sessions',
  'account/sessions',
  'account',
  'service-accounts',
  'applications',
  'audit-records',
  'webhooks',
  'statistics',
  'signing-keys',
  'credentials',
  'service-accounts/:id/api-keys',
];

function positionOf([, url]: RouteEntry, ordered: readonly string[]): number {
  const [, path = ''] = url.split('/api/v1/');
  const [found] = ordered.filter((resource) => path.startsWith(resource)).toSorted((a, b) => b.length - a.length);
  return found === undefined ? ordered.length : ordered.indexOf(found);
}

function routes(gateway: Omit<Gateway, 'clients'>): RouteEntry[] {
  const { settings, stopping } = gateway;
  const served = enabledModules(settings);
  const leftOut = MODULES.filter((module) => !served.includes(module));
  const packages = leftOut.flatMap((module) => module.packages);
  const permissions = {
    missing: leftOut.flatMap((module) => module.permissions),
    example: served.flatMap((module) => module.permissions)[0] ?? 'READ_AUDIT',
  };
  const services = [
    ...(settings['app.mail.url'] === undefined ? MAIL_SERVICES : []),
    ...(settings['app.oauth.enabled'] ? [] : OAUTH_SERVICES),
  ];
  const declared = derivedRoutes(contextPath(settings)).filter(
    ([, , rpc]) => !packages.includes(packageOf(rpc!)) && !services.includes(serviceOf(rpc!)),
  );
  const auditRecords = `${contextPath(settings)}/api/v1/audit-records`;
  const audit = 'authservice.audit.v1.AuditService';
  const auditRoutes: RouteEntry<RpcName>[] = [
    ['GET', `${auditRecords}/stream`, `${audit}/StreamAuditRecords`, auditStream],
    ['GET', `${auditRecords}/export`, `${audit}/ExportAuditRecords`, auditExport],
  ];
  const resources = [...declared, ...auditRoutes, ...served.flatMap((module) => module.routes(settings))];
  const all = [...authRoutes(gateway, permissions), ...resources, ...rootRoutes(settings, stopping)];
  assertNoCollision(all);
  const ordered = [...RESOURCES, ...served.flatMap((module) => module.resources)];
  return all.toSorted((one, other) => positionOf(one, ordered) - positionOf(other, ordered));
}

/** Throws if two RPCs have the same route, as those of a module and of the service can. */
function assertNoCollision(all: readonly RouteEntry[]): void {
  const rpcs = new Map<string, string | undefined>();
  for (const [method, url, rpc] of all) {
    const route = `${method} ${url.replaceAll(/:\w+/g, '{id}')}`;
    if (rpcs.has(route)) throw new Error(`${rpc} and ${rpcs.get(route)} have the same route ${route}`);
    rpcs.set(route, rpc);
  }
}

/** Returns the package of an RPC: `authservice.session.v1` of `authservice.session.v1.SessionService/Login`. */
function packageOf(rpc: string): string {
  return rpc.slice(0, rpc.lastIndexOf('.', rpc.indexOf('/')));
}

/** Returns the service of an RPC: `authservice.session.v1.SessionService`. */
function serviceOf(rpc: string): string {
  return rpc.slice(0, rpc.indexOf('/'));
}

function authRoutes(
  gateway: Pick<Gateway, 'settings' | 'log' | 'pages'>,
  permissions: VerifyOptions,
): RouteEntry<RpcName>[] {
  const { settings, log } = gateway;
  const auth = authPath(settings);
  const clients = 'authservice.clientcredentials.v1.ClientCredentialsService';
  const profile = PROFILES[settings['app.security.auth-profile']]({ settings, log });
  const { login, completeLogin, changeTemporaryPassword, startEnrolment, refresh, me, logout } = profile;
  const { secondFactorPasskeyOptions, passkeyLoginOptions, passkeyLogin } = profile;
  const session = 'authservice.session.v1.SessionService';
  return [
    ['GET', `${auth}/options`, `${session}/GetLoginOptions`, loginOptions(settings)],
    ['POST', `${auth}/login`, 'authservice.session.v1.SessionService/Login', login],
    ['POST', `${auth}/second-factor`, 'authservice.session.v1.SessionService/CompleteLogin', completeLogin],
    ['POST', `${auth}/password-change`, `${session}/ChangeTemporaryPassword`, changeTemporaryPassword],
    ['POST', `${auth}/second-factor/enrolment`, 'authservice.session.v1.SessionService/StartEnrolment', startEnrolment],
    [
      'POST',
      `${auth}/second-factor/passkey-options`,
      `${session}/CreateSecondFactorPasskeyOptions`,
      secondFactorPasskeyOptions,
    ],
    ['POST', `${auth}/passkey/options`, `${session}/CreatePasskeyLoginOptions`, passkeyLoginOptions],
    ['POST', `${auth}/passkey`, `${session}/LoginWithPasskey`, passkeyLogin],
    ['POST', `${auth}/refresh`, 'authservice.session.v1.SessionService/Refresh', refresh],
    ['GET', `${auth}/me`, 'authservice.identity.v1.IdentityService/GetMe', me],
    ['POST', `${auth}/logout`, 'authservice.session.v1.SessionService/Logout', logout],
    ['GET', `${auth}/verify`, 'authservice.identity.v1.IdentityService/VerifyAccess', verify(permissions)],
    ['GET', `${auth}/revocations`, 'authservice.session.v1.SessionService/StreamRevocations', revocations],
    ['POST', `${auth}/token`, `${clients}/IssueToken`, token],
    ['POST', `${auth}/introspect`, `${clients}/IntrospectToken`, introspect],
    ['POST', `${auth}/revoke`, `${clients}/RevokeToken`, revoke],
    ...(settings['app.oauth.enabled'] ? oauthRoutes(gateway) : []),
    ...(settings['app.mail.url'] === undefined ? [] : mailRoutes(settings)),
  ];
}

/** The routes of the OpenID provider that are written by hand. */
function oauthRoutes(gateway: Pick<Gateway, 'settings' | 'log' | 'pages'>): RouteEntry<RpcName>[] {
  const oauth2 = `${authPath(gateway.settings)}/oauth2`;
  const service = 'authservice.oauth.v1.AuthorizationService';
  return [
    ['GET', `${oauth2}/authorize`, `${service}/Authorize`, authorize(gateway)],
    ['POST', `${oauth2}/authorize`, `${service}/StoreAuthorizationRequest`, postAuthorize(gateway)],
    ['GET', `${oauth2}/end-session`, `${service}/EndSession`, endSession(gateway)],
    ['POST', `${oauth2}/end-session`, `${service}/StoreLogoutRequest`, postEndSession(gateway)],
    ['POST', `${oauth2}/logout-requests/:id`, `${service}/ConfirmLogout`, confirmLogout(gateway)],
    ['POST', `${oauth2}/par`, `${service}/PushAuthorizationRequest`, pushAuthorizationRequest],
    ['POST', `${oauth2}/device`, `${service}/AuthorizeDevice`, authorizeDevice],
    ['POST', `${oauth2}/token`, `${service}/ExchangeToken`, exchangeToken],
    ['GET', `${oauth2}/userinfo`, `${service}/GetUserInfo`, userInfo],
    ['POST', `${oauth2}/userinfo`, `${service}/GetUserInfo`, userInfo],
  ];
}

/** The services that need mail. */
const MAIL_SERVICES = ['RecoveryService', 'EmailService', 'InvitationService'].map(
  (name) => `authservice.identity.v1.${name}`,
);

/** The services of the OpenID provider. */
const OAUTH_SERVICES = ['authservice.oauth.v1.AuthorizationService'];

/** The routes of authentication that need mail. */
function mailRoutes(settings: GatewaySettings): RouteEntry<RpcName>[] {
  const auth = authPath(settings);
  const identity = 'authservice.identity.v1';
  const newPassword = settings['app.security.auth-profile'] === 'A' ? 'newPassword' : 'new_password';
  return [
    ['POST', `${auth}/recovery`, `${identity}.RecoveryService/RequestRecovery`, requestRecovery],
    ['POST', `${auth}/recovery/confirm`, `${identity}.RecoveryService/ConfirmRecovery`, confirmRecovery(newPassword)],
    ['POST', `${auth}/email/confirm`, `${identity}.EmailService/ConfirmEmail`, confirmEmail],
    ['POST', `${auth}/email/stop`, `${identity}.EmailService/StopEmailChange`, stopEmailChange],
    ['POST', `${auth}/invitation/confirm`, `${identity}.InvitationService/ConfirmInvitation`, confirmInvitation],
  ];
}

function rootRoutes(settings: GatewaySettings, stopping: Gateway['stopping']): RouteEntry<RpcName>[] {
  const session = 'authservice.session.v1.SessionService';
  const metadata = `${session}/GetAuthorizationServerMetadata` as const;
  return [
    ['GET', '/.well-known/oauth-authorization-server', metadata, authorizationServerMetadata(settings)],
    ['GET', '/.well-known/openid-configuration', metadata, authorizationServerMetadata(settings)],
    ['GET', '/.well-known/jwks.json', 'authservice.key.v1.KeyService/GetJsonWebKeySet', jsonWebKeySet()],
    ['GET', '/health/live', undefined, live],
    ['GET', '/health/ready', 'grpc.health.v1.Health/Check', ready(stopping)],
  ];
}

/** Registers every route. */
export function registerRoutes(app: TypedApp, gateway: Gateway): void {
  const auth = `${authPath(gateway.settings)}/`;
  for (const [method, url, rpc, endpoint] of routes(gateway)) {
    endpoint(app, gateway.clients, { method, url, config: { rpc, checksCredential: url.startsWith(auth) } });
  }
}
