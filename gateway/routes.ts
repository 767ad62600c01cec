// Every route on one page: method, path, and the one RPC it becomes.
import type { Endpoint } from './endpoint.ts';
import { apiPath } from './api-path.ts';
import { issueApiKey } from './api-keys/issue-api-key.ts';
import { listApiKeys } from './api-keys/list-api-keys.ts';
import { revokeApiKey } from './api-keys/revoke-api-key.ts';
import { authPath } from './auth/auth-path.ts';
import { cookieProfile } from './auth/cookie-profile/profile.ts';
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
import type { Gateway, GatewaySettings, TypedApp } from './context.ts';
import type { ErrorDialects, ErrorForms } from './errors/dialects.ts';
import { problem } from './errors/problem.ts';
import { live, ready } from './root/health.ts';
import { jsonWebKeySet } from './root/json-web-key-set.ts';

type Line = readonly [
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
  url: string,
  rpc: string | undefined,
  endpoint: Endpoint,
];

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
    ['POST', `${auth}/login`, 'session.v1.SessionService/Login', login],
    ['POST', `${auth}/refresh`, 'session.v1.SessionService/Refresh', refresh],
    ['GET', `${auth}/me`, 'identity.v1.IdentityService/GetMe', me],
    ['POST', `${auth}/logout`, 'session.v1.SessionService/Logout', logout],
    ['POST', `${auth}/token`, 'client_credentials.v1.ClientCredentialsService/IssueToken', token()],
    ['POST', keys, 'api_key.v1.ApiKeyService/IssueApiKey', issueApiKey()],
    ['GET', keys, 'api_key.v1.ApiKeyService/ListApiKeys', listApiKeys()],
    ['DELETE', `${keys}/:keyId`, 'api_key.v1.ApiKeyService/RevokeApiKey', revokeApiKey()],
    ['GET', products, 'business.v1.ProductService/ListProducts', listProducts()],
    ['POST', products, 'business.v1.ProductService/CreateProduct', createProduct()],
    ['GET', `${products}/:id`, 'business.v1.ProductService/GetProduct', getProduct()],
    ['PUT', `${products}/:id`, 'business.v1.ProductService/UpdateProduct', replaceProduct()],
    ['PATCH', `${products}/:id`, 'business.v1.ProductService/UpdateProduct', changeProduct()],
    ['DELETE', `${products}/:id`, 'business.v1.ProductService/DeleteProduct', deleteProduct()],
    ['PATCH', `${products}/:id/status`, 'business.v1.ProductService/SetProductStatus', setProductStatus()],
    ['POST', `${products}/upload-image`, 'business.v1.FileService/UploadProductImage', uploadProductImage(maxBytes)],
    ['GET', `${products}/:productId/images/:index`, 'business.v1.FileService/DownloadProductImage', getProductImage()],
    ['GET', orders, 'business.v1.OrderService/ListOrders', listOrders()],
    ['POST', orders, 'business.v1.OrderService/CreateOrder', createOrder()],
    ['GET', `${orders}/:id`, 'business.v1.OrderService/GetOrder', getOrder()],
    ['PUT', `${orders}/:id`, 'business.v1.OrderService/UpdateOrder', replaceOrder()],
    ['PATCH', `${orders}/:id`, 'business.v1.OrderService/UpdateOrder', changeOrder()],
    ['DELETE', `${orders}/:id`, 'business.v1.OrderService/DeleteOrder', deleteOrder()],
    ['PATCH', `${orders}/:id/status`, 'business.v1.OrderService/SetOrderStatus', setOrderStatus()],
    [
      'GET',
      `${orders}/:id/status-history`,
      'business.v1.OrderService/ListOrderStatusHistory',
      listOrderStatusHistory(),
    ],
    [
      'GET',
      `${orders}/:orderId/production-photos/:index`,
      'business.v1.FileService/DownloadOrderPhoto',
      getOrderPhoto('production'),
    ],
    [
      'GET',
      `${orders}/:orderId/delivery-photos/:index`,
      'business.v1.FileService/DownloadOrderPhoto',
      getOrderPhoto('delivery'),
    ],
    ['GET', customers, 'business.v1.CustomerService/ListCustomers', listCustomers()],
    ['POST', customers, 'business.v1.CustomerService/CreateCustomer', createCustomer()],
    ['GET', `${customers}/check-duplicate`, 'business.v1.CustomerService/FindDuplicateCustomers', checkDuplicate()],
    ['GET', `${customers}/:id`, 'business.v1.CustomerService/GetCustomer', getCustomer()],
    ['PATCH', `${customers}/:id`, 'business.v1.CustomerService/UpdateCustomer', changeCustomer()],
    ['PATCH', `${customers}/:id/status`, 'business.v1.CustomerService/SetCustomerStatus', setCustomerStatus()],
    ['GET', `${customers}/:id/orders`, 'business.v1.CustomerService/ListCustomerOrders', listCustomerOrders()],
    ['GET', `${customers}/:id/stats`, 'business.v1.CustomerService/GetCustomerStats', getCustomerStats()],
    ['GET', `${customers}/:id/notes`, 'business.v1.CustomerService/ListCustomerNotes', listCustomerNotes()],
    ['POST', `${customers}/:id/notes`, 'business.v1.CustomerService/CreateCustomerNote', createCustomerNote()],
    ['GET', `${dashboard}/stats`, 'business.v1.DashboardService/GetDashboardStats', getDashboardStats()],
    ['GET', `${dashboard}/recent-orders`, 'business.v1.DashboardService/ListRecentOrders', listRecentOrders()],
    ['GET', `${dashboard}/inventory-alerts`, 'business.v1.DashboardService/ListInventoryAlerts', listInventoryAlerts()],
    ['GET', `${dashboard}/notifications`, 'business.v1.DashboardService/ListNotifications', listNotifications()],
    [
      'GET',
      `${referenceData}/order-statuses`,
      'business.v1.ReferenceDataService/ListOrderStatuses',
      listOrderStatuses(),
    ],
    [
      'GET',
      `${referenceData}/payment-methods`,
      'business.v1.ReferenceDataService/ListPaymentMethods',
      listPaymentMethods(),
    ],
    [
      'POST',
      `${apiPath(gateway.settings)}/staging/files/prepare`,
      'business.v1.FileService/PrepareFile',
      prepareFile(),
    ],
    ['PUT', staged, 'business.v1.FileService/UploadFile', uploadFile(maxBytes)],
    ['GET', staged, 'business.v1.FileService/DownloadFile', getFile()],
    ['DELETE', staged, 'business.v1.FileService/DeleteFile', deleteFile()],
    ['GET', '/.well-known/jwks.json', 'session.v1.SessionService/GetJsonWebKeySet', jsonWebKeySet()],
    ['GET', '/health/live', undefined, live()],
    ['GET', '/health/ready', 'grpc.health.v1.Health/Check', ready()],
  ];
}

/** The paths whose errors are no problem documents. */
export function errorDialects(settings: GatewaySettings): ErrorDialects {
  const tokenPath = `${authPath(settings)}/token`;
  const tokenErrors = tokenErrorDialect(settings['app.name']);
  const speaksTokenProfile = tokenProfilePaths(settings);
  return (path) => {
    if (path === tokenPath) return tokenErrors;
    return speaksTokenProfile(path) ? tokenProfileDialect : undefined;
  };
}

/** The same for what is no request. */
export function errorForms(settings: GatewaySettings): ErrorForms {
  const tokenPath = `${authPath(settings)}/token`;
  const speaksTokenProfile = tokenProfilePaths(settings);
  return (path) => {
    if (path === undefined) return problem;
    if (path === tokenPath) return unreadTokenError;
    return speaksTokenProfile(path) ? tokenProfileError : problem;
  };
}

/** Registers every route. */
export function registerRoutes(app: TypedApp, gateway: Gateway): void {
  for (const [method, url, rpc, endpoint] of routes(gateway)) {
    endpoint(app, gateway.clients, { method, url, config: { rpc } });
  }
}
