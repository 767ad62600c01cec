// Every route on one page: method, path, and the one RPC it becomes.
import type { Endpoint } from './endpoint.ts';
import { apiPath } from './api-path.ts';
import { issueApiKey } from './api-keys/issue-api-key.ts';
import { listApiKeys } from './api-keys/list-api-keys.ts';
import { revokeApiKey } from './api-keys/revoke-api-key.ts';
import { authPath } from './auth/auth-path.ts';
import { cookieProfile } from './auth/cookie-profile/profile.ts';
import { introspect } from './auth/m2m/introspect.ts';
import { oauthPaths } from './auth/m2m/paths.ts';
import { revoke } from './auth/m2m/revoke.ts';
import { token } from './auth/m2m/token.ts';
import { tokenErrorDialect, unreadTokenError } from './auth/m2m/token-error.ts';
import { tokenProfileDialect, tokenProfileError } from './auth/token-profile/error.ts';
import { tokenProfilePaths } from './auth/token-profile/paths.ts';
import { tokenProfile } from './auth/token-profile/profile.ts';
import { changeCustomer } from './business/customers/change-customer.ts';
import { checkDuplicate } from './business/customers/check-duplicate.ts';
import { createCustomer } from './business/customers/create-customer.ts';
import { createCustomerNote } from './business/customers/create-customer-note.ts';
import { getCustomer } from './business/customers/get-customer.ts';
import { getCustomerStats } from './business/customers/get-customer-stats.ts';
import { listCustomerNotes } from './business/customers/list-customer-notes.ts';
import { listCustomerOrders } from './business/customers/list-customer-orders.ts';
import { listCustomers } from './business/customers/list-customers.ts';
import { setCustomerStatus } from './business/customers/set-customer-status.ts';
import { getDashboardStats } from './business/dashboard/get-dashboard-stats.ts';
import { listInventoryAlerts } from './business/dashboard/list-inventory-alerts.ts';
import { listNotifications } from './business/dashboard/list-notifications.ts';
import { listRecentOrders } from './business/dashboard/list-recent-orders.ts';
import { deleteFile } from './business/files/delete-file.ts';
import { getFile } from './business/files/get-file.ts';
import { prepareFile } from './business/files/prepare-file.ts';
import { uploadFile } from './business/files/upload-file.ts';
import { createOrder } from './business/orders/create-order.ts';
import { deleteOrder } from './business/orders/delete-order.ts';
import { getOrder } from './business/orders/get-order.ts';
import { getOrderPhoto } from './business/orders/get-order-photo.ts';
import { listOrders } from './business/orders/list-orders.ts';
import { listOrderStatusHistory } from './business/orders/list-order-status-history.ts';
import { setOrderStatus } from './business/orders/set-order-status.ts';
import { changeOrder, replaceOrder } from './business/orders/update-order.ts';
import { changeProduct } from './business/products/change-product.ts';
import { createProduct } from './business/products/create-product.ts';
import { deleteProduct } from './business/products/delete-product.ts';
import { getProduct } from './business/products/get-product.ts';
import { getProductImage } from './business/products/get-product-image.ts';
import { listProducts } from './business/products/list-products.ts';
import { replaceProduct } from './business/products/replace-product.ts';
import { setProductStatus } from './business/products/set-product-status.ts';
import { uploadProductImage } from './business/products/upload-product-image.ts';
import { listOrderStatuses } from './business/reference-data/list-order-statuses.ts';
import { listPaymentMethods } from './business/reference-data/list-payment-methods.ts';
import { verify } from './auth/verify.ts';
import type { Gateway, GatewaySettings, TypedApp } from './context.ts';
import type { ErrorDialects, ErrorForms } from './errors/dialects.ts';
import { problem } from '../src/problem/problem.ts';
import { authorizationServerMetadata } from './root/authorization-server-metadata.ts';
import { live, ready } from './root/health.ts';
import { jsonWebKeySet } from './root/json-web-key-set.ts';

type Line = readonly [
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
  url: string,
  rpc: string | undefined,
  endpoint: Endpoint,
];

const METADATA_RPC = 'authservice.session.v1.SessionService/GetAuthorizationServerMetadata';

const PROFILES = { A: cookieProfile, B: tokenProfile };

function routes(gateway: Gateway): Line[] {
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
    ['POST', keys, 'authservice.apikey.v1.ApiKeyService/IssueApiKey', issueApiKey()],
    ['GET', keys, 'authservice.apikey.v1.ApiKeyService/ListApiKeys', listApiKeys()],
    ['DELETE', `${keys}/:keyId`, 'authservice.apikey.v1.ApiKeyService/RevokeApiKey', revokeApiKey()],
    ['GET', products, 'authservice.business.v1.ProductService/ListProducts', listProducts()],
    ['POST', products, 'authservice.business.v1.ProductService/CreateProduct', createProduct()],
    ['GET', `${products}/:id`, 'authservice.business.v1.ProductService/GetProduct', getProduct()],
    ['PUT', `${products}/:id`, 'authservice.business.v1.ProductService/UpdateProduct', replaceProduct()],
    ['PATCH', `${products}/:id`, 'authservice.business.v1.ProductService/UpdateProduct', changeProduct()],
    ['DELETE', `${products}/:id`, 'authservice.business.v1.ProductService/DeleteProduct', deleteProduct()],
    ['PATCH', `${products}/:id/status`, 'authservice.business.v1.ProductService/SetProductStatus', setProductStatus()],
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
    ['GET', orders, 'authservice.business.v1.OrderService/ListOrders', listOrders()],
    ['POST', orders, 'authservice.business.v1.OrderService/CreateOrder', createOrder()],
    ['GET', `${orders}/:id`, 'authservice.business.v1.OrderService/GetOrder', getOrder()],
    ['PUT', `${orders}/:id`, 'authservice.business.v1.OrderService/UpdateOrder', replaceOrder()],
    ['PATCH', `${orders}/:id`, 'authservice.business.v1.OrderService/UpdateOrder', changeOrder()],
    ['DELETE', `${orders}/:id`, 'authservice.business.v1.OrderService/DeleteOrder', deleteOrder()],
    ['PATCH', `${orders}/:id/status`, 'authservice.business.v1.OrderService/SetOrderStatus', setOrderStatus()],
    [
      'GET',
      `${orders}/:id/status-history`,
      'authservice.business.v1.OrderService/ListOrderStatusHistory',
      listOrderStatusHistory(),
    ],
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
    ['GET', customers, 'authservice.business.v1.CustomerService/ListCustomers', listCustomers()],
    ['POST', customers, 'authservice.business.v1.CustomerService/CreateCustomer', createCustomer()],
    [
      'GET',
      `${customers}/check-duplicate`,
      'authservice.business.v1.CustomerService/FindDuplicateCustomers',
      checkDuplicate(),
    ],
    ['GET', `${customers}/:id`, 'authservice.business.v1.CustomerService/GetCustomer', getCustomer()],
    ['PATCH', `${customers}/:id`, 'authservice.business.v1.CustomerService/UpdateCustomer', changeCustomer()],
    [
      'PATCH',
      `${customers}/:id/status`,
      'authservice.business.v1.CustomerService/SetCustomerStatus',
      setCustomerStatus(),
    ],
    [
      'GET',
      `${customers}/:id/orders`,
      'authservice.business.v1.CustomerService/ListCustomerOrders',
      listCustomerOrders(),
    ],
    ['GET', `${customers}/:id/stats`, 'authservice.business.v1.CustomerService/GetCustomerStats', getCustomerStats()],
    ['GET', `${customers}/:id/notes`, 'authservice.business.v1.CustomerService/ListCustomerNotes', listCustomerNotes()],
    [
      'POST',
      `${customers}/:id/notes`,
      'authservice.business.v1.CustomerService/CreateCustomerNote',
      createCustomerNote(),
    ],
    ['GET', `${dashboard}/stats`, 'authservice.business.v1.DashboardService/GetDashboardStats', getDashboardStats()],
    [
      'GET',
      `${dashboard}/recent-orders`,
      'authservice.business.v1.DashboardService/ListRecentOrders',
      listRecentOrders(),
    ],
    [
      'GET',
      `${dashboard}/inventory-alerts`,
      'authservice.business.v1.DashboardService/ListInventoryAlerts',
      listInventoryAlerts(),
    ],
    [
      'GET',
      `${dashboard}/notifications`,
      'authservice.business.v1.DashboardService/ListNotifications',
      listNotifications(),
    ],
    [
      'GET',
      `${referenceData}/order-statuses`,
      'authservice.business.v1.ReferenceDataService/ListOrderStatuses',
      listOrderStatuses(),
    ],
    [
      'GET',
      `${referenceData}/payment-methods`,
      'authservice.business.v1.ReferenceDataService/ListPaymentMethods',
      listPaymentMethods(),
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

/** The paths whose errors are no problem documents. */
export function errorDialects(settings: GatewaySettings): ErrorDialects {
  const speaksOauth = oauthPaths(settings);
  const tokenErrors = tokenErrorDialect(settings['app.name']);
  const speaksTokenProfile = tokenProfilePaths(settings);
  return (path) => {
    if (speaksOauth(path)) return tokenErrors;
    return speaksTokenProfile(path) ? tokenProfileDialect : undefined;
  };
}

/** The same for what is no request. */
export function errorForms(settings: GatewaySettings): ErrorForms {
  const speaksOauth = oauthPaths(settings);
  const speaksTokenProfile = tokenProfilePaths(settings);
  return (path) => {
    if (path === undefined) return problem;
    if (speaksOauth(path)) return unreadTokenError;
    return speaksTokenProfile(path) ? tokenProfileError : problem;
  };
}

/** Registers every route. */
export function registerRoutes(app: TypedApp, gateway: Gateway): void {
  for (const [method, url, rpc, endpoint] of routes(gateway)) {
    endpoint(app, gateway.clients, { method, url, config: { rpc } });
  }
}
