// The routes that are written by hand. Each maps a method and a path to exactly one RPC. The protos declare all others.
import type { RouteEntry } from './endpoint.ts';
import { apiPath, authPath, contextPath } from './api-path.ts';
import { profileA } from './auth/profile-a/profile.ts';
import { introspect } from './auth/m2m/introspect.ts';
import { revoke } from './auth/m2m/revoke.ts';
import { token } from './auth/m2m/token.ts';
import { profileB } from './auth/profile-b/profile.ts';
import { deleteFile } from './business/files/delete-file.ts';
import { getDeliveryPhoto, getFile, getProductImage, getProductionPhoto } from './business/files/get-content.ts';
import { prepareFile } from './business/files/prepare-file.ts';
import { uploadFile } from './business/files/upload-file.ts';
import { uploadProductImage } from './business/products/upload-product-image.ts';
import { verify } from './auth/verify.ts';
import { derivedRoutes } from './contract/derived.ts';
import type { Gateway, GatewaySettings, TypedApp } from './context.ts';
import { authorizationServerMetadata, jsonWebKeySet } from './root/well-known.ts';
import { live, ready } from './root/health.ts';

const PROFILES = { A: profileA, B: profileB };

/** The order of the OpenAPI document: beginnings of paths below `/api/v1`. Other resources follow. */
const RESOURCES = [
  'auth',
  'tenants',
  'users',
  'account/sessions',
  'account',
  'service-accounts',
  'audit-records',
  'signing-keys',
  'credentials',
  'service-accounts/:id/api-keys',
  'products',
  'orders',
  'customers',
  'dashboard',
  'reference-data',
  'staging',
  'files',
];

function positionOf([, url]: RouteEntry): number {
  const [, path = ''] = url.split('/api/v1/');
  const [found] = RESOURCES.filter((resource) => path.startsWith(resource)).toSorted((a, b) => b.length - a.length);
  return found === undefined ? RESOURCES.length : RESOURCES.indexOf(found);
}

function routes({ settings, log }: Pick<Gateway, 'settings' | 'log'>): RouteEntry[] {
  const resources = [...derivedRoutes(contextPath(settings)), ...fileRoutes(settings)];
  const all = [...authRoutes({ settings, log }), ...resources, ...rootRoutes(settings)];
  return all.toSorted((one, other) => positionOf(one) - positionOf(other));
}

function authRoutes({ settings, log }: Pick<Gateway, 'settings' | 'log'>): RouteEntry[] {
  const auth = authPath(settings);
  const clients = 'authservice.clientcredentials.v1.ClientCredentialsService';
  const { login, refresh, me, logout } = PROFILES[settings['app.security.auth-profile']]({ settings, log });
  return [
    ['POST', `${auth}/login`, 'authservice.session.v1.SessionService/Login', login],
    ['POST', `${auth}/refresh`, 'authservice.session.v1.SessionService/Refresh', refresh],
    ['GET', `${auth}/me`, 'authservice.identity.v1.IdentityService/GetMe', me],
    ['POST', `${auth}/logout`, 'authservice.session.v1.SessionService/Logout', logout],
    ['GET', `${auth}/verify`, 'authservice.identity.v1.IdentityService/VerifyAccess', verify],
    ['POST', `${auth}/token`, `${clients}/IssueToken`, token],
    ['POST', `${auth}/introspect`, `${clients}/IntrospectToken`, introspect],
    ['POST', `${auth}/revoke`, `${clients}/RevokeToken`, revoke],
  ];
}

function fileRoutes(settings: GatewaySettings): RouteEntry[] {
  const api = apiPath(settings);
  const files = 'authservice.business.v1.FileService';
  const staged = `${api}/files/staging/:date/:uuid`;
  const image = `${api}/products/:productId/images/:index`;
  const photos = (kind: string) => `${api}/orders/:orderId/${kind}-photos/:index`;
  const maxBytes = settings['app.files.max-bytes'];
  return [
    ['POST', `${api}/products/upload-image`, `${files}/UploadProductImage`, uploadProductImage(maxBytes)],
    ['GET', image, `${files}/DownloadProductImage`, getProductImage],
    ['GET', photos('production'), `${files}/DownloadOrderPhoto`, getProductionPhoto],
    ['GET', photos('delivery'), `${files}/DownloadOrderPhoto`, getDeliveryPhoto],
    ['POST', `${api}/staging/files/prepare`, `${files}/PrepareFile`, prepareFile],
    ['PUT', staged, `${files}/UploadFile`, uploadFile(maxBytes)],
    ['GET', staged, `${files}/DownloadFile`, getFile],
    ['DELETE', staged, `${files}/DeleteFile`, deleteFile],
  ];
}

function rootRoutes(settings: GatewaySettings): RouteEntry[] {
  const session = 'authservice.session.v1.SessionService';
  const metadata = `${session}/GetAuthorizationServerMetadata` as const;
  return [
    ['GET', '/.well-known/oauth-authorization-server', metadata, authorizationServerMetadata(settings)],
    ['GET', '/.well-known/openid-configuration', metadata, authorizationServerMetadata(settings)],
    ['GET', '/.well-known/jwks.json', `${session}/GetJsonWebKeySet`, jsonWebKeySet()],
    ['GET', '/health/live', undefined, live],
    ['GET', '/health/ready', 'grpc.health.v1.Health/Check', ready],
  ];
}

/** Registers every route. */
export function registerRoutes(app: TypedApp, gateway: Gateway): void {
  const auth = `${authPath(gateway.settings)}/`;
  for (const [method, url, rpc, endpoint] of routes(gateway)) {
    endpoint(app, gateway.clients, { method, url, config: { rpc, checksCredential: url.startsWith(auth) } });
  }
}
