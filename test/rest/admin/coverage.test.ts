// Every administrative RPC has a route, and every route of the contract exists.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Credential } from '../../../proto/gen/authservice/access/v1/access.ts';
import { ROLES } from '../../../src/auth/roles/built-in-roles.ts';
import { readAccessRules } from '../../../src/platform/rpc/pipeline/access-rules.ts';
import { ownDescriptors } from '../../../src/platform/rpc/contract/descriptors.ts';
import { SERVICES } from '../../support/world.ts';
import { deploy, type Deployment } from '../../support/deployment.ts';
import { OPERATIONS } from './operations.ts';

/** The table of the contract: paths below `/api/v1` and their methods. */
const CONTRACT: Readonly<Record<string, string>> = {
  '/tenants': 'GET, POST',
  '/tenants/{tenantId}': 'GET',
  '/tenants/{tenantId}/suspend': 'POST',
  '/tenants/{tenantId}/activate': 'POST',
  '/tenants/{tenantId}/login-domains': 'PUT',
  '/tenants/{tenantId}/policy': 'GET, PATCH',
  '/users': 'GET, POST',
  '/users/{userId}': 'GET, PATCH, DELETE',
  '/users/{userId}/roles': 'PUT',
  '/users/{userId}/password': 'PUT',
  '/users/{userId}/enable': 'POST',
  '/users/{userId}/disable': 'POST',
  '/users/{userId}/unlock': 'POST',
  '/users/{userId}/sessions': 'GET, DELETE',
  '/users/{userId}/sessions/{sessionId}': 'DELETE',
  '/users/{userId}/factors': 'GET, DELETE',
  '/account/sessions': 'GET, DELETE',
  '/account/sessions/{sessionId}': 'DELETE',
  '/account/password': 'PUT',
  '/account/confirm': 'POST',
  '/account/factors': 'GET',
  '/account/factors/totp': 'DELETE, POST',
  '/account/factors/totp/confirm': 'POST',
  '/account/factors/recovery-codes': 'POST',
  '/service-accounts': 'GET, POST',
  '/service-accounts/{id}': 'GET, PATCH',
  '/service-accounts/{id}/enable': 'POST',
  '/service-accounts/{id}/disable': 'POST',
  '/service-accounts/{id}/secrets': 'GET, POST',
  '/service-accounts/{id}/secrets/{secretId}/expire': 'POST',
  '/roles': 'GET, POST',
  '/roles/{name}': 'GET, PATCH, DELETE',
  '/audit-records': 'GET',
  '/signing-keys': 'GET',
  '/signing-keys/rotate': 'POST',
  '/credentials/explain': 'POST',
};

let deployment: Deployment;
let paths: Readonly<Record<string, Readonly<Record<string, { readonly 'x-rpc'?: string }>>>>;

beforeAll(async () => {
  deployment = await deploy({ engine: 'sqlite', transport: 'local' });
  ({ paths } = (await deployment.app.inject('/openapi.json')).json<{ paths: typeof paths }>());
});
afterAll(() => deployment?.close());

it('every administrative RPC has a route', () => {
  const rules = readAccessRules();
  const routed = new Set(Object.values(paths).flatMap((methods) => Object.values(methods).map((one) => one['x-rpc'])));
  const asking = Object.values(SERVICES)
    .flatMap((definition) => Object.values(definition).map(({ path }) => path))
    .filter((path) => rules.get(path)!.credential === Credential.CREDENTIAL_REQUIRED);
  expect(asking.length).toBeGreaterThan(35);
  expect(asking.filter((path) => !routed.has(path.slice(1)))).toEqual([]);
});

it('the administrative routes equal those of the contract, and all are tested', () => {
  const served = Object.entries(CONTRACT).map(([path]) => [
    path,
    Object.keys(paths[`/api/v1${path}`] ?? {}).map((method) => method.toUpperCase()),
  ]);
  const expected = Object.entries(CONTRACT).map(([path, methods]) => [path, methods.split(', ')]);
  expect(served.map(([path, methods]) => [path, (methods as string[]).toSorted()])).toEqual(
    expected.map(([path, methods]) => [path, (methods as string[]).toSorted()]),
  );
  const names = Object.entries(CONTRACT).flatMap(([path, methods]) =>
    methods.split(', ').map((method) => `${method} ${path}`),
  );
  expect(OPERATIONS.map(([name]) => name).toSorted()).toEqual(names.toSorted());
});

it('the protos list exactly the existing roles', () => {
  const { methods, ruleOf } = ownDescriptors();
  const fields = methods.flatMap(({ input }) =>
    input.fields.filter(({ name, message }) => /^roles?$/.test(name) && !message),
  );
  expect(fields.length).toBeGreaterThanOrEqual(4);
  for (const field of fields) expect([field.parent.name, ruleOf(field)!.allowed]).toEqual([field.parent.name, ROLES]);
});
