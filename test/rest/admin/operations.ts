// Every operation of administration over REST, with a request that its rules accept.
import { newId } from '../../../src/platform/db/ids.ts';
import { NEW_WEBHOOK, newRoleName, type Records } from '../../rpc/admin/rpcs.ts';

/** Who may call it: accounts without a tenant, administrators of any kind, or every account. */
export type Audience = 'super-admin' | 'administrator' | 'account';

export interface Operation {
  readonly method: string;
  /** As the OpenAPI document names it, below `/api/v1`. */
  readonly template: string;
  readonly audience: Audience;
  readonly status: number;
  /** The path's parameters. Without a record that they name the response is 404. */
  readonly path?: (records: Records) => readonly string[];
  readonly body?: () => object;
  /** Whether the body, or the query of a list, can name a tenant. */
  readonly tenant?: boolean;
}

const PASSWORD = 'A long enough password';
const user = ({ userId }: Records) => [userId];
const client = ({ serviceAccountId }: Records) => [serviceAccountId];
const tenant = ({ tenantId }: Records) => [tenantId];
const passkey = ({ passkeyId }: Records) => [passkeyId];
const webhook = ({ webhookId }: Records) => [webhookId];
const role = ({ roleName }: Records) => [roleName];

type Row = readonly [name: string, audience: Audience, status: number, more?: Partial<Operation>];

const ROWS: readonly Row[] = [
  ['GET /tenants', 'super-admin', 200],
  ['POST /tenants', 'super-admin', 201, { body: () => ({ tenantId: `t-${newId()}`, name: 'New' }) }],
  ['GET /tenants/{tenantId}', 'super-admin', 200, { path: tenant }],
  ['POST /tenants/{tenantId}/suspend', 'super-admin', 200, { path: tenant }],
  ['POST /tenants/{tenantId}/activate', 'super-admin', 200, { path: tenant }],
  ['PUT /tenants/{tenantId}/login-domains', 'super-admin', 200, { path: tenant, body: () => ({ loginDomains: [] }) }],
  ['GET /tenants/{tenantId}/policy', 'administrator', 200, { path: tenant }],
  ['PATCH /tenants/{tenantId}/policy', 'administrator', 200, { path: tenant, body: () => ({ lockMaxFailures: 4 }) }],
  ['GET /users', 'administrator', 200, { tenant: true }],
  [
    'POST /users',
    'administrator',
    201,
    { tenant: true, body: () => ({ username: newId(), password: PASSWORD, name: 'New', roles: ['SALES'] }) },
  ],
  ['GET /users/{userId}', 'administrator', 200, { path: user }],
  ['PATCH /users/{userId}', 'administrator', 200, { path: user, body: () => ({ name: 'Changed' }) }],
  ['PUT /users/{userId}/roles', 'administrator', 200, { path: user, body: () => ({ roles: ['FLORIST'] }) }],
  ['PUT /users/{userId}/password', 'administrator', 200, { path: user, body: () => ({ password: PASSWORD }) }],
  ['POST /users/{userId}/disable', 'administrator', 200, { path: user }],
  ['POST /users/{userId}/enable', 'administrator', 200, { path: user }],
  ['POST /users/{userId}/unlock', 'administrator', 200, { path: user }],
  ['POST /users/{userId}/invite', 'administrator', 202, { path: ({ invitedId }) => [invitedId] }],
  ['DELETE /users/{userId}/invite', 'administrator', 204, { path: ({ invitedId }) => [invitedId] }],
  ['GET /sessions', 'administrator', 200, { tenant: true }],
  ['GET /users/{userId}/sessions', 'administrator', 200, { path: user }],
  ['DELETE /users/{userId}/sessions', 'administrator', 200, { path: user }],
  [
    'DELETE /users/{userId}/sessions/{sessionId}',
    'account',
    204,
    { path: ({ userId, sessionId }) => [userId, sessionId] },
  ],
  ['GET /users/{userId}/factors', 'administrator', 200, { path: user }],
  ['DELETE /users/{userId}/factors', 'administrator', 204, { path: user }],
  ['DELETE /users/{userId}', 'administrator', 204, { path: user }],
  ['GET /account', 'account', 200],
  ['PUT /account/email', 'account', 202, { body: () => ({ email: 'new@mail.test' }) }],
  ['GET /account/sessions', 'account', 200],
  ['DELETE /account/sessions', 'account', 200],
  ['DELETE /account/sessions/{sessionId}', 'account', 204, { path: ({ sessionId }) => [sessionId] }],
  ['GET /statistics', 'administrator', 200, { tenant: true }],
  ['GET /account/audit-records', 'account', 200],
  ['GET /account/factors', 'account', 200],
  ['POST /account/factors/totp', 'account', 201],
  ['POST /account/factors/totp/confirm', 'account', 200, { body: () => ({ totp: '123456' }) }],
  ['DELETE /account/factors/totp', 'account', 204],
  ['POST /account/factors/recovery-codes', 'account', 200],
  ['POST /account/factors/passkeys/options', 'account', 200],
  ['POST /account/factors/passkeys', 'account', 201, { body: () => ({ label: 'Phone', passkey: {} }) }],
  ['PATCH /account/factors/passkeys/{passkeyId}', 'account', 200, { path: passkey, body: () => ({ label: 'Key' }) }],
  ['DELETE /account/factors/passkeys/{passkeyId}', 'account', 204, { path: passkey }],
  [
    'PUT /account/password',
    'account',
    204,
    { body: () => ({ currentPassword: 'Correct horse 42', newPassword: PASSWORD }) },
  ],
  ['POST /account/confirm', 'account', 200, { body: () => ({ password: 'Correct horse 42' }) }],
  ['POST /account/confirm/passkey-options', 'account', 200],
  ['GET /service-accounts', 'administrator', 200, { tenant: true }],
  [
    'POST /service-accounts',
    'administrator',
    201,
    { tenant: true, body: () => ({ clientId: newId(), name: 'New', roles: ['SALES'] }) },
  ],
  ['GET /service-accounts/{id}', 'administrator', 200, { path: client }],
  ['PATCH /service-accounts/{id}', 'administrator', 200, { path: client, body: () => ({ name: 'Changed' }) }],
  ['POST /service-accounts/{id}/disable', 'administrator', 200, { path: client }],
  ['POST /service-accounts/{id}/enable', 'administrator', 200, { path: client }],
  ['GET /service-accounts/{id}/secrets', 'administrator', 200, { path: client }],
  ['POST /service-accounts/{id}/secrets', 'administrator', 201, { path: client, body: () => ({}) }],
  [
    'POST /service-accounts/{id}/secrets/{secretId}/expire',
    'administrator',
    200,
    { path: ({ serviceAccountId, secretId }) => [serviceAccountId, secretId], body: () => ({}) },
  ],
  ['GET /service-accounts/{id}/api-keys', 'administrator', 200, { path: client }],
  ['POST /service-accounts/{id}/api-keys', 'administrator', 201, { path: client, body: () => ({ label: 'Key' }) }],
  [
    'DELETE /service-accounts/{id}/api-keys/{keyId}',
    'administrator',
    204,
    { path: ({ serviceAccountId, keyId }) => [serviceAccountId, keyId] },
  ],
  ['GET /roles', 'administrator', 200, { tenant: true }],
  ['POST /roles', 'administrator', 201, { tenant: true, body: () => ({ name: newRoleName() }) }],
  ['GET /roles/{name}', 'administrator', 200, { path: role }],
  ['PATCH /roles/{name}', 'administrator', 200, { path: role, body: () => ({ description: 'Changed' }) }],
  ['DELETE /roles/{name}', 'administrator', 204, { path: role }],
  ['GET /audit-records', 'administrator', 200, { tenant: true }],
  ['GET /audit-records/head', 'administrator', 200, { tenant: true }],
  ['GET /webhooks', 'administrator', 200, { tenant: true }],
  ['POST /webhooks', 'administrator', 201, { tenant: true, body: () => NEW_WEBHOOK }],
  ['GET /webhooks/{id}', 'administrator', 200, { path: webhook }],
  ['PATCH /webhooks/{id}', 'administrator', 200, { path: webhook, body: () => ({ disabled: false }) }],
  ['POST /webhooks/{id}/rotate-secret', 'administrator', 200, { path: webhook }],
  ['POST /webhooks/{id}/test', 'administrator', 200, { path: webhook }],
  ['GET /webhooks/{id}/deliveries', 'administrator', 200, { path: webhook }],
  [
    'POST /webhooks/{id}/deliveries/{deliveryId}/retry',
    'administrator',
    200,
    { path: ({ webhookId, deliveryId }) => [webhookId, deliveryId] },
  ],
  ['DELETE /webhooks/{id}', 'administrator', 204, { path: webhook }],
  ['GET /signing-keys', 'super-admin', 200],
  ['POST /signing-keys/rotate', 'super-admin', 200],
  ['POST /credentials/explain', 'administrator', 200, { body: () => ({ username: 'nobody' }) }],
];

export const OPERATIONS: readonly (readonly [name: string, operation: Operation])[] = ROWS.map(
  ([name, audience, status, more]) => {
    const [method = '', template = ''] = name.split(' ');
    return [name, { method, template, audience, status, ...more }];
  },
);

/** The path of an operation on these records, below `/api/v1`. */
export function pathOf({ template, path }: Operation, records: Records): string {
  const values = [...(path?.(records) ?? [])];
  return template.replaceAll(/\{\w+\}/g, () => encodeURIComponent(values.shift()!));
}
