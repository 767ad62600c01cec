// Every operation of REST with every status of its responses. The table pins them. A declared route that is not in the table has the
// statuses that follow from its proto, so a new route needs no line.
import { Reason } from '../../proto/gen/authservice/error/v1/reason.ts';
import { CATALOGUE, type FailureName } from '../../src/platform/problem/catalogue.ts';
import { IS_SHOP_SERVED, SHOP_PACKAGE } from './shop-served.ts';
import { ownDescriptors, type DescMethod, type HttpRule } from '../../src/platform/rpc/contract/descriptors.ts';

const anywhere = ['400', '408', '431', '500', '501'];
const answering = (success: string, ...more: string[]): string[] => [...anywhere, success, ...more].toSorted();
const sorted = (...more: string[]): string[] => answering('200', ...more);
// All that is tenant data: a credential and its permission are asked for, and the core may be away.
const data = (success: string, ...more: string[]) => answering(success, '401', '403', '503', ...more);
const read = data('200');
const readOne = data('200', '404');
const readVersion = data('200', '304', '404');
const readContent = data('200', '206', '304', '404', '416', '429');
const bodied = (success: string, ...more: string[]) => data(success, '413', '415', ...more);
const change = bodied('200', '404', '412');
const changeOrConflict = bodied('200', '404', '409', '412');

const TABLE: Readonly<Record<string, readonly string[]>> = {
  'GET /api/v1/auth/options': sorted('503'),
  'POST /api/v1/auth/login': sorted('401', '413', '415', '423', '429', '503'),
  'POST /api/v1/auth/second-factor': sorted('401', '413', '415', '423', '429', '503'),
  'POST /api/v1/auth/second-factor/enrolment': sorted('401', '413', '415', '429', '503'),
  'POST /api/v1/auth/second-factor/passkey-options': sorted('401', '404', '413', '415', '429', '503'),
  'POST /api/v1/auth/passkey': sorted('401', '404', '413', '415', '429', '503'),
  'POST /api/v1/auth/passkey/options': sorted('404', '413', '415', '503'),
  'POST /api/v1/auth/refresh': sorted('401', '413', '415', '429', '503'),
  'GET /api/v1/auth/me': sorted('401', '503'),
  'GET /api/v1/auth/verify': data('200'),
  'GET /api/v1/auth/revocations': data('200', '429'),
  'POST /api/v1/auth/logout': sorted('401', '413', '415', '503'),
  'POST /api/v1/auth/token': sorted('401', '413', '429', '503'),
  'POST /api/v1/auth/introspect': sorted('401', '413', '429', '503'),
  'POST /api/v1/auth/revoke': sorted('401', '413', '429', '503'),
  'POST /api/v1/auth/recovery': answering('202', '413', '415', '503'),
  'POST /api/v1/auth/recovery/confirm': answering('204', '413', '415', '503'),
  'POST /api/v1/auth/email/confirm': answering('204', '413', '415', '503'),
  'POST /api/v1/auth/invitation/confirm': answering('204', '413', '415', '503'),
  'GET /api/v1/tenants': read,
  'POST /api/v1/tenants': bodied('201', '409'),
  'GET /api/v1/tenants/{tenantId}': readOne,
  'POST /api/v1/tenants/{tenantId}/suspend': bodied('200', '404'),
  'POST /api/v1/tenants/{tenantId}/activate': bodied('200', '404'),
  'PUT /api/v1/tenants/{tenantId}/login-domains': bodied('200', '404', '409'),
  'GET /api/v1/tenants/{tenantId}/policy': readVersion,
  'PATCH /api/v1/tenants/{tenantId}/policy': change,
  'GET /api/v1/users': read,
  'POST /api/v1/users': bodied('201', '409', '429'),
  'GET /api/v1/users/{userId}': readOne,
  'PATCH /api/v1/users/{userId}': bodied('200', '404', '409'),
  'DELETE /api/v1/users/{userId}': bodied('204', '404', '409'),
  'PUT /api/v1/users/{userId}/roles': bodied('200', '404', '409'),
  'PUT /api/v1/users/{userId}/password': bodied('200', '404', '409'),
  'POST /api/v1/users/{userId}/enable': bodied('200', '404'),
  'POST /api/v1/users/{userId}/disable': bodied('200', '404', '409'),
  'POST /api/v1/users/{userId}/unlock': bodied('200', '404'),
  'GET /api/v1/users/{userId}/sessions': readOne,
  'DELETE /api/v1/users/{userId}/sessions': bodied('200', '404'),
  'DELETE /api/v1/users/{userId}/sessions/{sessionId}': bodied('204', '404'),
  'GET /api/v1/account/sessions': read,
  'DELETE /api/v1/account/sessions': bodied('200'),
  'DELETE /api/v1/account/sessions/{sessionId}': bodied('204', '404'),
  'PUT /api/v1/account/password': bodied('204', '409', '423'),
  'POST /api/v1/account/confirm': bodied('200', '423', '429'),
  'GET /api/v1/service-accounts': read,
  'POST /api/v1/service-accounts': bodied('201', '409'),
  'GET /api/v1/service-accounts/{id}': readOne,
  'PATCH /api/v1/service-accounts/{id}': bodied('200', '404'),
  'POST /api/v1/service-accounts/{id}/enable': bodied('200', '404'),
  'POST /api/v1/service-accounts/{id}/disable': bodied('200', '404', '409'),
  'GET /api/v1/service-accounts/{id}/secrets': readOne,
  'POST /api/v1/service-accounts/{id}/secrets': bodied('201', '404', '409'),
  'POST /api/v1/service-accounts/{id}/secrets/{secretId}/expire': bodied('200', '404'),
  'GET /api/v1/audit-records': read,
  'GET /api/v1/audit-records/head': read,
  'GET /api/v1/audit-records/stream': data('200', '429'),
  'GET /api/v1/signing-keys': read,
  'POST /api/v1/signing-keys/rotate': bodied('200', '409'),
  'POST /api/v1/credentials/explain': bodied('200'),
  'POST /api/v1/service-accounts/{id}/api-keys': bodied('201', '404', '409'),
  'GET /api/v1/service-accounts/{id}/api-keys': data('200', '404', '409'),
  'DELETE /api/v1/service-accounts/{id}/api-keys/{keyId}': bodied('204', '404', '409'),
  'GET /api/v1/products': read,
  'POST /api/v1/products': bodied('201', '409'),
  'POST /api/v1/products/upload-image': bodied('201', '409', '429'),
  'GET /api/v1/products/{id}': readVersion,
  'PUT /api/v1/products/{id}': changeOrConflict,
  'PATCH /api/v1/products/{id}': changeOrConflict,
  'DELETE /api/v1/products/{id}': bodied('204', '404', '412'),
  'PATCH /api/v1/products/{id}/status': change,
  'GET /api/v1/products/{productId}/images/{index}': readContent,
  'GET /api/v1/orders': read,
  'POST /api/v1/orders': bodied('201', '409'),
  'GET /api/v1/orders/{id}': readVersion,
  'PUT /api/v1/orders/{id}': changeOrConflict,
  'PATCH /api/v1/orders/{id}': changeOrConflict,
  'DELETE /api/v1/orders/{id}': bodied('204', '404', '409', '412'),
  'PATCH /api/v1/orders/{id}/status': changeOrConflict,
  'GET /api/v1/orders/{id}/status-history': readOne,
  'GET /api/v1/orders/{orderId}/production-photos/{index}': readContent,
  'GET /api/v1/orders/{orderId}/delivery-photos/{index}': readContent,
  'GET /api/v1/customers': read,
  'POST /api/v1/customers': bodied('201'),
  'GET /api/v1/customers/check-duplicate': read,
  'GET /api/v1/customers/{id}': readVersion,
  'PATCH /api/v1/customers/{id}': change,
  'PATCH /api/v1/customers/{id}/status': change,
  'GET /api/v1/customers/{id}/orders': readOne,
  'GET /api/v1/customers/{id}/stats': readOne,
  'GET /api/v1/customers/{id}/notes': readOne,
  'POST /api/v1/customers/{id}/notes': bodied('201', '404'),
  'GET /api/v1/dashboard/stats': read,
  'GET /api/v1/dashboard/recent-orders': read,
  'GET /api/v1/dashboard/inventory-alerts': read,
  'GET /api/v1/dashboard/notifications': read,
  'GET /api/v1/reference-data/order-statuses': read,
  'GET /api/v1/reference-data/payment-methods': read,
  'POST /api/v1/staging/files/prepare': bodied('201', '409'),
  'PUT /api/v1/files/staging/{date}/{uuid}': bodied('200', '404', '409', '429'),
  'GET /api/v1/files/staging/{date}/{uuid}': readContent,
  'DELETE /api/v1/files/staging/{date}/{uuid}': bodied('204', '404'),
  'GET /.well-known/oauth-authorization-server': sorted('503'),
  'GET /.well-known/openid-configuration': sorted('503'),
  'GET /.well-known/jwks.json': sorted('503'),
  'GET /health/live': sorted(),
  'GET /health/ready': sorted('503'),
};

const { methods, optionOf, ruleOf } = ownDescriptors();

/** The statuses of all declared routes of this run, by their protos. */
export const DECLARED: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  methods.flatMap((method) => {
    if (!IS_SHOP_SERVED && method.parent.file.proto.package === SHOP_PACKAGE) return [];
    const http = optionOf(method, 'google.api.http');
    return http
      ? [http, ...http.additionalBindings].map((binding) => declared(method, http.responseBody, binding))
      : [];
  }),
);

const AREAS_OF_SHOP = ['products', 'orders', 'customers', 'dashboard', 'reference-data', 'staging', 'files'];

/** All operations that the services of this run have. */
export const OPERATIONS: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  Object.entries({ ...DECLARED, ...TABLE }).filter(([name]) => IS_SHOP_SERVED || !isOfShop(name)),
);

function isOfShop(name: string): boolean {
  return AREAS_OF_SHOP.some((area) => name.includes(` /api/v1/${area}`));
}

function declared(method: DescMethod, responseBody: string, { pattern }: HttpRule): [name: string, statuses: string[]] {
  const isRead = pattern.case === 'get';
  const shown = method.output.fields.find(({ name }) => name === responseBody);
  const success = String(optionOf(method, 'authservice.rest.v1.operation')!.status || 200);
  const errors = (optionOf(method, 'authservice.error.v1.error') ?? []).map(({ reason }) => statusOf(reason));
  // A list has no version.
  const record = shown?.fieldKind === 'list' ? undefined : (shown?.message ?? method.output);
  const unchanged = isRead && record?.fields.some(({ name }) => name === 'version') ? ['304'] : [];
  const statuses = [...(isRead ? data(success) : bodied(success)), ...errors, ...unchanged];
  return [`${pattern.case.toUpperCase()} ${restPath(method, pattern.value)}`, [...new Set(statuses)].toSorted()];
}

/** `/products/{product_id}` is `/products/{id}` if the field has this name in REST. */
function restPath({ input }: DescMethod, path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const field = input.fields.find((one) => one.name === name)!;
    return `{${ruleOf(field)?.name || field.jsonName}}`;
  });
}

function statusOf(reason: Reason): string {
  const [name] = Object.entries(Reason).find(([, number]) => number === reason)!;
  return String(CATALOGUE[name.replace('REASON_', '') as FailureName].status);
}
