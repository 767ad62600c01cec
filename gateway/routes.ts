// All routes. Each maps a method and a path to exactly one RPC.
import type { RouteEntry } from './endpoint.ts';
import { apiPath, authPath } from './api-path.ts';
import { cookieProfile } from './auth/cookie-mode/profile.ts';
import { introspect } from './auth/m2m/introspect.ts';
import { oauthPaths } from './auth/m2m/paths.ts';
import { revoke } from './auth/m2m/revoke.ts';
import { token } from './auth/m2m/token.ts';
import { createTokenErrorSender, formatTokenError } from './auth/m2m/token-error.ts';
import { sendTokenModeError, tokenModeError } from './auth/token-mode/error.ts';
import { tokenModePaths } from './auth/token-mode/paths.ts';
import { tokenMode } from './auth/token-mode/profile.ts';
import { deleteFile } from './business/files/delete-file.ts';
import { getFile } from './business/files/get-file.ts';
import { prepareFile } from './business/files/prepare-file.ts';
import { uploadFile } from './business/files/upload-file.ts';
import { getOrderPhoto } from './business/orders/get-order-photo.ts';
import { getProductImage } from './business/products/get-product-image.ts';
import { uploadProductImage } from './business/products/upload-product-image.ts';
import { verify } from './auth/verify.ts';
import { administrationRoutes } from './administration-routes.ts';
import { derived, derivedEndpoint, derivedWithoutChanging } from './contract/derived.ts';
import type { Gateway, GatewaySettings, TypedApp } from './context.ts';
import type { ErrorFormatter, SendErrorByPath } from './errors/error-formats.ts';
import { problem } from '../src/platform/problem/problem.ts';
import { authorizationServerMetadata, jsonWebKeySet } from './root/well-known.ts';
import { live, ready } from './root/health.ts';

const METADATA_RPC = 'authservice.session.v1.SessionService/GetAuthorizationServerMetadata';

/**
 * The body of an order can hold all that a GET returned. That is 200 items with names of 200 characters. Some clients escape each
 * character with six bytes (`\\u00e9`).
 */
const derivedOrder = derivedEndpoint({ bodyLimit: 327_680 });

const PROFILES = { A: cookieProfile, B: tokenMode };

function routes(gateway: Gateway): RouteEntry[] {
  const auth = authPath(gateway.settings);
  const keys = `${apiPath(gateway.settings)}/service-accounts/:id/api-keys`;
  const products = `${apiPath(gateway.settings)}/products`;
  const orders = `${apiPath(gateway.settings)}/orders`;
  const customers = `${apiPath(gateway.settings)}/customers`;
  const dashboard = `${apiPath(gateway.settings)}/dashboard`;
  const referenceData = `${apiPath(gateway.settings)}/reference-data`;
  const staged = `${apiPath(gateway.settings)}/files/staging/:date/:uuid`;
  const maxBytes = gateway.settings['app.files.max-bytes'];
  const { login, refresh, me, logout } = PROFILES[gateway.settings['app.security.auth-profile']](gateway);
  return [
    ['POST', `${auth}/login`, 'authservice.session.v1.SessionService/Login', login],
    ['POST', `${auth}/refresh`, 'authservice.session.v1.SessionService/Refresh', refresh],
    ['GET', `${auth}/me`, 'authservice.identity.v1.IdentityService/GetMe', me],
    ['POST', `${auth}/logout`, 'authservice.session.v1.SessionService/Logout', logout],
    ['GET', `${auth}/verify`, 'authservice.identity.v1.IdentityService/VerifyAccess', verify()],
    ['POST', `${auth}/token`, 'authservice.clientcredentials.v1.ClientCredentialsService/IssueToken', token()],
    [
      'POST',
      `${auth}/introspect`,
      'authservice.clientcredentials.v1.ClientCredentialsService/IntrospectToken',
      introspect(),
    ],
    ['POST', `${auth}/revoke`, 'authservice.clientcredentials.v1.ClientCredentialsService/RevokeToken', revoke()],
    ...administrationRoutes(apiPath(gateway.settings)),
    ['POST', keys, 'authservice.apikey.v1.ApiKeyService/IssueApiKey', derived],
    ['GET', keys, 'authservice.apikey.v1.ApiKeyService/ListApiKeys', derived],
    ['DELETE', `${keys}/:keyId`, 'authservice.apikey.v1.ApiKeyService/RevokeApiKey', derived],
    ['GET', products, 'authservice.business.v1.ProductService/ListProducts', derived],
    ['POST', products, 'authservice.business.v1.ProductService/CreateProduct', derived],
    ['GET', `${products}/:id`, 'authservice.business.v1.ProductService/GetProduct', derived],
    [
      'PUT',
      `${products}/:id`,
      'authservice.business.v1.ProductService/UpdateProduct',
      derivedWithoutChanging('status', 'images'),
    ],
    ['PATCH', `${products}/:id`, 'authservice.business.v1.ProductService/UpdateProduct', derived],
    ['DELETE', `${products}/:id`, 'authservice.business.v1.ProductService/DeleteProduct', derived],
    ['PATCH', `${products}/:id/status`, 'authservice.business.v1.ProductService/SetProductStatus', derived],
    [
      'POST',
      `${products}/upload-image`,
      'authservice.business.v1.FileService/UploadProductImage',
      uploadProductImage(maxBytes),
    ],
    [
      'GET',
      `${products}/:productId/images/:index`,
      'authservice.business.v1.FileService/DownloadProductImage',
      getProductImage(),
    ],
    ['GET', orders, 'authservice.business.v1.OrderService/ListOrders', derived],
    ['POST', orders, 'authservice.business.v1.OrderService/CreateOrder', derivedOrder],
    ['GET', `${orders}/:id`, 'authservice.business.v1.OrderService/GetOrder', derived],
    ['PUT', `${orders}/:id`, 'authservice.business.v1.OrderService/UpdateOrder', derivedOrder],
    ['PATCH', `${orders}/:id`, 'authservice.business.v1.OrderService/UpdateOrder', derivedOrder],
    ['DELETE', `${orders}/:id`, 'authservice.business.v1.OrderService/DeleteOrder', derived],
    ['PATCH', `${orders}/:id/status`, 'authservice.business.v1.OrderService/SetOrderStatus', derived],
    ['GET', `${orders}/:id/status-history`, 'authservice.business.v1.OrderService/ListOrderStatusHistory', derived],
    [
      'GET',
      `${orders}/:orderId/production-photos/:index`,
      'authservice.business.v1.FileService/DownloadOrderPhoto',
      getOrderPhoto('production'),
    ],
    [
      'GET',
      `${orders}/:orderId/delivery-photos/:index`,
      'authservice.business.v1.FileService/DownloadOrderPhoto',
      getOrderPhoto('delivery'),
    ],
    ['GET', customers, 'authservice.business.v1.CustomerService/ListCustomers', derived],
    ['POST', customers, 'authservice.business.v1.CustomerService/CreateCustomer', derived],
    ['GET', `${customers}/check-duplicate`, 'authservice.business.v1.CustomerService/FindDuplicateCustomers', derived],
    ['GET', `${customers}/:id`, 'authservice.business.v1.CustomerService/GetCustomer', derived],
    ['PATCH', `${customers}/:id`, 'authservice.business.v1.CustomerService/UpdateCustomer', derived],
    ['PATCH', `${customers}/:id/status`, 'authservice.business.v1.CustomerService/SetCustomerStatus', derived],
    ['GET', `${customers}/:id/orders`, 'authservice.business.v1.CustomerService/ListCustomerOrders', derived],
    ['GET', `${customers}/:id/stats`, 'authservice.business.v1.CustomerService/GetCustomerStats', derived],
    ['GET', `${customers}/:id/notes`, 'authservice.business.v1.CustomerService/ListCustomerNotes', derived],
    ['POST', `${customers}/:id/notes`, 'authservice.business.v1.CustomerService/CreateCustomerNote', derived],
    ['GET', `${dashboard}/stats`, 'authservice.business.v1.DashboardService/GetDashboardStats', derived],
    ['GET', `${dashboard}/recent-orders`, 'authservice.business.v1.DashboardService/ListRecentOrders', derived],
    ['GET', `${dashboard}/inventory-alerts`, 'authservice.business.v1.DashboardService/ListInventoryAlerts', derived],
    ['GET', `${dashboard}/notifications`, 'authservice.business.v1.DashboardService/ListNotifications', derived],
    [
      'GET',
      `${referenceData}/order-statuses`,
      'authservice.business.v1.ReferenceDataService/ListOrderStatuses',
      derived,
    ],
    [
      'GET',
      `${referenceData}/payment-methods`,
      'authservice.business.v1.ReferenceDataService/ListPaymentMethods',
      derived,
    ],
    [
      'POST',
      `${apiPath(gateway.settings)}/staging/files/prepare`,
      'authservice.business.v1.FileService/PrepareFile',
      prepareFile(),
    ],
    ['PUT', staged, 'authservice.business.v1.FileService/UploadFile', uploadFile(maxBytes)],
    ['GET', staged, 'authservice.business.v1.FileService/DownloadFile', getFile()],
    ['DELETE', staged, 'authservice.business.v1.FileService/DeleteFile', deleteFile()],
    ['GET', '/.well-known/oauth-authorization-server', METADATA_RPC, authorizationServerMetadata(gateway.settings)],
    ['GET', '/.well-known/openid-configuration', METADATA_RPC, authorizationServerMetadata(gateway.settings)],
    ['GET', '/.well-known/jwks.json', 'authservice.session.v1.SessionService/GetJsonWebKeySet', jsonWebKeySet()],
    ['GET', '/health/live', undefined, live()],
    ['GET', '/health/ready', 'grpc.health.v1.Health/Check', ready()],
  ];
}

/** Returns the error sender of paths whose errors are not problem documents. */
export function errorSenderByPath(settings: GatewaySettings): SendErrorByPath {
  const isOauthPath = oauthPaths(settings);
  const tokenErrors = createTokenErrorSender(settings['app.name']);
  const isTokenModePath = tokenModePaths(settings);
  return (path) => {
    if (isOauthPath(path)) return tokenErrors;
    return isTokenModePath(path) ? sendTokenModeError : undefined;
  };
}

/** Returns the error formatter of a path, for input that could not be parsed as a request. */
export function errorFormatterByPath(settings: GatewaySettings): ErrorFormatter {
  const isOauthPath = oauthPaths(settings);
  const isTokenModePath = tokenModePaths(settings);
  return (path) => {
    if (path === undefined) return problem;
    if (isOauthPath(path)) return formatTokenError;
    return isTokenModePath(path) ? tokenModeError : problem;
  };
}

/** Registers every route. */
export function registerRoutes(app: TypedApp, gateway: Gateway): void {
  for (const [method, url, rpc, endpoint] of routes(gateway)) {
    endpoint(app, gateway.clients, { method, url, config: { rpc } });
  }
}
