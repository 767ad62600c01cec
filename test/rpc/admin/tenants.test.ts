import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TenantStatus } from '../../../proto/gen/authservice/tenancy/v1/tenancy_service.ts';
import { newId } from '../../../src/platform/db/ids.ts';
import { DIAGONAL } from '../../support/deployment.ts';
import { restClient } from '../../support/rest-client.ts';
import { openWorld, type Clients, type World } from '../../support/world.ts';
import { outcomeOf, violationsOf } from '../../support/rpc-outcomes.ts';

const { TENANT_STATUS_ACTIVE: ACTIVE, TENANT_STATUS_SUSPENDED: SUSPENDED } = TenantStatus;
const ANY = TenantStatus.TENANT_STATUS_UNSPECIFIED;

describe.each(DIAGONAL)('$engine, $transport', ({ engine, transport }) => {
  let world: World;
  let tenancy: Clients['tenancy'];

  beforeAll(async () => {
    world = await openWorld({ engine, transport });
    ({ tenancy } = world.clients);
  });
  afterAll(() => world?.close());

  it('creates a tenant, and rejects an existing id', async () => {
    const request = { tenantId: `t-${newId()}`, name: ' Flowers & more ' };
    const { tenant } = await tenancy.createTenant(request, world.root.as);
    const createdAt = new Date(world.deployment.clock.now());
    expect(tenant).toEqual({
      id: request.tenantId,
      name: 'Flowers & more',
      status: ACTIVE,
      createdAt,
      loginDomains: [],
    });
    expect(await tenancy.getTenant(request, world.root.as)).toEqual({ tenant });
    expect(await outcomeOf(tenancy.createTenant(request, world.root.as))).toBe('CONFLICT');
  });

  it('rejects ids that are not slugs, and names that are too short or too long', async () => {
    for (const tenantId of ['', 'Acme', 'a b', 'x'.repeat(64), 'acme\n']) {
      const call = tenancy.createTenant({ tenantId, name: '' }, world.root.as);
      expect(await violationsOf(call)).toEqual(['tenantId: pattern', 'name: length']);
      expect(await outcomeOf(tenancy.getTenant({ tenantId }, world.root.as))).toBe('NOT_FOUND');
    }
  });

  it('lists by id, searches and filters', async () => {
    const mark = newId();
    for (const letter of ['c', 'a', 'b']) {
      await tenancy.createTenant({ tenantId: `${letter}-${mark}`, name: `Ödland ${letter}` }, world.root.as);
    }
    await tenancy.suspendTenant({ tenantId: `b-${mark}` }, world.root.as);
    const list = async (request: object) => {
      const { tenants, page } = await tenancy.listTenants({ status: ANY, ...request }, world.root.as);
      return [page!.total, ...tenants.map(({ id }) => id.replace(`-${mark}`, ''))];
    };
    expect(await list({ query: mark.toUpperCase() })).toEqual([3, 'a', 'b', 'c']);
    expect(await list({ query: 'öDLAND A' })).toContain('a');
    expect(await list({ query: mark, page: { page: 2, perPage: 2 } })).toEqual([3, 'c']);
    expect(await list({ query: mark, status: SUSPENDED })).toEqual([1, 'b']);
    expect(await list({ query: mark, status: ACTIVE })).toEqual([2, 'a', 'c']);
    expect(await violationsOf(tenancy.listTenants({ status: 9 as never }, world.root.as))).toEqual(['status: enum']);
  });

  it("suspension rejects the tenant's credentials, and activation accepts them again", async () => {
    const tenantId = `t-${newId()}`;
    const user = await world.actor({ tenantId });
    const rest = restClient(world.deployment.url);
    const { tenant } = await tenancy.suspendTenant({ tenantId }, world.root.as);
    expect(tenant!.status).toBe(SUSPENDED);
    expect((await tenancy.suspendTenant({ tenantId }, world.root.as)).tenant).toEqual(tenant);
    expect(await outcomeOf(world.clients.identity.getMe({}, user.as))).toBe('TOKEN_INVALID');
    expect((await rest.refresh(user.session.cookie)).status).toBe(401);
    expect((await tenancy.activateTenant({ tenantId }, world.root.as)).tenant!.status).toBe(ACTIVE);
    expect(await outcomeOf(world.clients.identity.getMe({}, user.as))).toBe('OK');
    expect((await rest.refresh(user.session.cookie)).status).toBe(200);
  });

  it('returns NOT_FOUND for a missing tenant', async () => {
    for (const call of [tenancy.getTenant, tenancy.suspendTenant, tenancy.activateTenant]) {
      expect(await outcomeOf(call({ tenantId: 'missing' }, world.root.as))).toBe('NOT_FOUND');
    }
  });
});
