// What is another tenant's looks to an administrator exactly like what does not exist, in every RPC that there is.
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Credential, Permission } from '../../../proto/gen/access/v1/access.ts';
import { loadAccessRules } from '../../../src/rpc/access-rules.ts';
import { ENGINES } from '../../support/databases.ts';
import { ADMINISTRATION, existingRecords, missingRecords, type Kind, type Records } from './rpcs.ts';
import { openWorld, refusal, SERVICES, type World } from './world.ts';

const RULES = loadAccessRules([join(import.meta.dirname, '../../../proto')]);

/** Methods by `client.method`, with their rule. */
const METHODS = Object.entries(SERVICES).flatMap(([service, definition]) =>
  Object.entries(definition).map(([name, { path }]) => ({ name: `${service}.${name}`, path, rule: RULES.get(path)! })),
);

const ofKind = (kind: Kind) => Object.entries(ADMINISTRATION).filter(([, rpc]) => rpc.kind === kind);

it('every RPC that asks for a credential is listed here', () => {
  const asking = METHODS.filter(({ rule }) => rule.credential === Credential.CREDENTIAL_REQUIRED);
  expect(Object.keys(ADMINISTRATION).toSorted()).toEqual(asking.map(({ name }) => name).toSorted());
  const services = new Set(METHODS.map(({ path }) => path.split('/')[1]));
  const declared = [...RULES].filter(([, { permission }]) => permission !== Permission.PERMISSION_UNSPECIFIED);
  expect(declared.map(([path]) => path.split('/')[1]).filter((service) => !services.has(service))).toEqual([]);
});

describe.each(ENGINES)('%s', (engine) => {
  let world: World;
  let foreign: Records;

  beforeAll(async () => {
    world = await openWorld({ engine, transport: 'local' });
    foreign = await existingRecords(world, 'globex');
  });
  afterAll(() => world?.close());

  const refused = async (name: string, records: Records) =>
    refusal(ADMINISTRATION[name]!.call(world.clients, records, { ...world.admin.as, requestId: 'same' }));

  it.each(ofKind('record').map(([name]) => name))('%s answers foreign and missing records alike', async (name) => {
    const missing = await refused(name, missingRecords());
    expect(missing.reason).toBe('NOT_FOUND');
    expect(JSON.stringify(await refused(name, foreign))).toBe(JSON.stringify(missing));
  });

  it.each(ofKind('record').map(([name]) => name))('%s finds no foreign record behind an own one', async (name) => {
    const own = await existingRecords(world, 'acme');
    const mixed = { ...foreign, serviceAccountId: own.serviceAccountId };
    const { reason } = await refused(name, { ...mixed, serviceAccountId: foreign.serviceAccountId });
    expect(reason).toBe('NOT_FOUND');
    if (/expireClientSecret|revokeApiKey/.test(name)) expect((await refused(name, mixed)).reason).toBe('NOT_FOUND');
  });

  it.each(ofKind('create').map(([name]) => name))('%s creates nothing elsewhere', async (name) => {
    const missing = await refused(name, missingRecords());
    expect(missing.reason).toBe('TENANT_MISMATCH');
    expect(JSON.stringify(await refused(name, foreign))).toBe(JSON.stringify(missing));
  });

  it.each(ofKind('tenant').map(([name]) => name))("%s is not for a tenant's administrator", async (name) => {
    const missing = await refused(name, missingRecords());
    expect(missing.reason).toBe('PERMISSION_DENIED');
    expect(JSON.stringify(await refused(name, foreign))).toBe(JSON.stringify(missing));
  });

  it.each(ofKind('list').map(([name]) => name))('%s shows the own tenant, whichever is asked for', async (name) => {
    const answer = (records: Records) => ADMINISTRATION[name]!.call(world.clients, records, world.admin.as);
    const own = await answer({ ...missingRecords(), tenantId: 'acme' });
    expect(await answer(foreign)).toEqual(own);
    expect(await answer(missingRecords())).toEqual(own);
    const tenants = [...JSON.stringify(own).matchAll(/"tenantId":"([^"]*)"/g)].map(([, tenant]) => tenant);
    expect(new Set(tenants)).toEqual(new Set(['acme']));
  });

  it('nothing of the other tenant has changed', async () => {
    for (const name of ofKind('record').map(([each]) => each)) await refused(name, foreign);
    const { user } = await world.clients.identity.getUser({ userId: foreign.userId }, world.other.as);
    expect(user).toMatchObject({ disabled: false, heldRoles: ['MANAGER'] });
    const { serviceAccount } = await world.clients.clientCredentials.getServiceAccount(foreign, world.other.as);
    expect(serviceAccount).toMatchObject({ disabled: false, secrets: [{ id: foreign.secretId }] });
    expect((await world.clients.apiKey.listApiKeys(foreign, world.other.as)).keys).toHaveLength(1);
    expect((await world.clients.session.listUserSessions(foreign, world.other.as)).sessions).toHaveLength(1);
  });
});
