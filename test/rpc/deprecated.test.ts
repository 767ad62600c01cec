// Deprecated RPCs answer as those that replace them, for one release.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { unaryCall } from '../../gateway/clients.ts';
import { contracts, rpcOf } from '../../gateway/contract/contracts.ts';
import { emptyMessage } from '../../src/platform/rpc/contract/values.ts';
import { outcomeOf } from '../support/rpc-outcomes.ts';
import { openWorld, type World } from '../support/world.ts';

const DEPRECATED = contracts().methods.filter(({ deprecated }) => deprecated);
const UNARY = DEPRECATED.filter(({ methodKind }) => methodKind === 'unary');

let world: World;
beforeAll(async () => {
  world = await openWorld({ engine: 'sqlite', transport: 'grpc' });
});
afterAll(() => world?.close());

it('are these', () => {
  expect(DEPRECATED.map(({ parent, name }) => `${parent.name}/${name}`).toSorted()).toEqual([
    'SessionService/GetJsonWebKeySet',
    'SessionService/ListSigningKeys',
    'SessionService/RotateSigningKey',
    'TenancyService/GetAuditHead',
    'TenancyService/GetStatistics',
    'TenancyService/ListAuditRecords',
    'TenancyService/ListMyAuditRecords',
    'TenancyService/StreamAuditRecords',
  ]);
});

it.each(UNARY)('$name answers', async ({ name, ...method }) => {
  const call = unaryCall(world.deployment.clients, rpcOf({ name, ...method }));
  const request = emptyMessage(method.input);
  expect(await outcomeOf(call(request, world.root.as))).toBe('OK');
  const isPublic = name === 'GetJsonWebKeySet';
  expect(await outcomeOf(call(request, {}))).toBe(isPublic ? 'OK' : 'TOKEN_MISSING');
});

it('StreamAuditRecords answers', async () => {
  const { tenancy } = world.clients;
  for await (const first of tenancy.streamAuditRecords({ events: [] }, world.root.as)) {
    expect(first).toHaveProperty('cursor');
    break;
  }
});
