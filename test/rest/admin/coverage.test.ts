// Every administrative RPC has a route, and the tests of all operations know every route.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { WRITTEN_ROUTES } from '../../../cli/isolation/written-routes.ts';
import { Credential } from '../../../proto/gen/authservice/access/v1/access.ts';
import { ROLES } from '../../../src/auth/access/roles/built-in-roles.ts';
import { ownDescriptors } from '../../../src/platform/rpc/contract/descriptors.ts';
import { API } from '../../support/callers.ts';
import { IS_SHOP_SERVED, SHOP_PACKAGE } from '../../support/shop-served.ts';
import { deploy, type Deployment } from '../../support/deployment.ts';
import { mailFolder } from '../../support/mails.ts';
import { OPERATIONS } from './operations.ts';

/** The methods of the protos that need a credential, but for those of the shop. */
const methods = ownDescriptors().methods.filter(
  (method) =>
    !method.deprecated &&
    method.parent.file.proto.package !== SHOP_PACKAGE &&
    ownDescriptors().optionOf(method, 'authservice.access.v1.rule')?.credential === Credential.CREDENTIAL_REQUIRED,
);
const rpcOf = ({ parent, name }: (typeof methods)[number]) => `${parent.typeName}/${name}`;

let deployment: Deployment;
let paths: Readonly<Record<string, Readonly<Record<string, { readonly 'x-rpc'?: string }>>>>;

beforeAll(async () => {
  deployment = await deploy({ engine: 'sqlite', transport: 'local', settings: mailFolder().settings });
  ({ paths } = (await deployment.app.inject('/openapi.json')).json<{ paths: typeof paths }>());
});
afterAll(() => deployment?.close());

it('every administrative RPC has a route', () => {
  const routed = new Set(
    Object.values(paths).flatMap((operations) => Object.values(operations).map((one) => one['x-rpc'])),
  );
  expect(methods.length).toBeGreaterThan(60);
  expect(methods.map(rpcOf).filter((rpc) => !routed.has(rpc))).toEqual([]);
});

it('every route that a proto declares is served, and the tests of all operations send a request to it', () => {
  const declared = new Set(methods.filter((method) => ownDescriptors().optionOf(method, 'google.api.http')).map(rpcOf));
  const served = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations)
      .filter(([, { 'x-rpc': rpc }]) => rpc !== undefined && declared.has(rpc))
      .map(([method]) => `${method.toUpperCase()} ${path.slice(API.length)}`),
  );
  expect(served.length).toBeGreaterThanOrEqual(declared.size);
  expect(OPERATIONS.map(([name]) => name).toSorted()).toEqual(served.toSorted());
});

it('the other routes are those of cli/isolation/written-routes.ts, with their RPCs', () => {
  const all = ownDescriptors().methods.filter((method) => ownDescriptors().optionOf(method, 'google.api.http'));
  const declared = new Set(all.map(rpcOf));
  const written = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations)
      .filter(([, { 'x-rpc': rpc }]) => rpc === undefined || !declared.has(rpc))
      .map(([method, { 'x-rpc': rpc }]) => [`${method.toUpperCase()} ${path.replace(API, '')}`, rpc]),
  );
  const expected = Object.entries(WRITTEN_ROUTES).filter(
    ([, rpc]) => IS_SHOP_SERVED || !rpc?.startsWith(`${SHOP_PACKAGE}.`),
  );
  expect(Object.fromEntries(written)).toEqual(Object.fromEntries(expected));
});

it('the protos list exactly the existing roles', () => {
  const { methods: all, ruleOf } = ownDescriptors();
  const fields = all.flatMap(({ input }) =>
    input.fields.filter(({ name, message }) => /^roles?$/.test(name) && !message),
  );
  expect(fields.length).toBeGreaterThanOrEqual(4);
  for (const field of fields) expect([field.parent.name, ruleOf(field)!.allowed]).toEqual([field.parent.name, ROLES]);
});
