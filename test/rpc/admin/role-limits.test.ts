// Limits of roles and their holders, with many tenants and with accounts that exceed a limit already.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ON_SQLITE } from '../../support/deployment.ts';
import { outcomeOf } from '../../support/rpc-outcomes.ts';
import { recordSpans } from '../../support/spans.ts';
import { openWorld, type World } from '../../support/world.ts';
import { newRoleName } from './rpcs.ts';

/** With two roles each, more than two reads of 2,000 roles. */
const TENANTS = 2_100;
const NONE = { permissions: [], inherits: [] };

const permissionsFrom = (from: number, length: number) => Array.from({ length }, (_, index) => `n${from + index}:read`);

describe.each(ON_SQLITE)('$engine over $transport', ({ engine, transport }) => {
  const spans = recordSpans();
  let world: World;
  beforeAll(async () => {
    world = await openWorld({ engine, transport, tracer: spans.tracer });
  });
  afterAll(() => world?.close());

  const create = async (role: object = {}, as = world.admin.as) => {
    const name = newRoleName();
    await world.clients.role.createRole({ ...NONE, name, ...role }, as);
    return name;
  };
  const change = (name: string, role: object, as = world.admin.as) => {
    const updateMask = Object.keys(role);
    return outcomeOf(world.clients.role.updateRole({ name, role: { ...NONE, ...role }, updateMask }, as));
  };
  const roleRow = (tenantId: string, name: string, permissions: readonly string[] = [], inherits: string[] = []) => ({
    tenant_id: Buffer.from(tenantId),
    name: Buffer.from(name),
    permissions: JSON.stringify(permissions),
    inherits: JSON.stringify(inherits),
    created_at: 1,
    updated_at: 1,
    version: 1,
  });

  async function insert(table: string, rows: readonly Record<string, Buffer | string | number>[]): Promise<void> {
    const columns = Object.keys(rows[0]!);
    for (let start = 0; start < rows.length; start += 1_000) {
      const some = rows.slice(start, start + 1_000);
      const places = some.map(() => `(${columns.map(() => '?').join()})`).join();
      await world.deployment.database.execute(
        `INSERT INTO ${table} (${columns.join()}) VALUES ${places}`,
        some.flatMap((row) => Object.values(row)),
      );
    }
  }

  it('refuses roles that inherit too many roles, or too long names', async () => {
    const names = (count: number, prefix: string, length: number) =>
      Array.from({ length: count }, (_, index) => `${prefix}_${index}_`.padEnd(length, 'X'));
    const [many, others, long] = [names(49, 'MANY', 12), names(49, 'OTHER', 12), names(36, 'LONG', 63)];
    for (const name of [...many, ...others, ...long])
      await world.clients.role.createRole({ ...NONE, name }, world.admin.as);
    const give = (userId: string, roles: string[]) =>
      outcomeOf(world.clients.identity.setUserRoles({ userId, roles }, world.admin.as));
    const first = await create({ inherits: many });
    const other = await create({ inherits: others });
    const second = await create({ inherits: long.slice(0, 30) });
    const { id } = await world.seed({ tenantId: 'acme' });
    expect(await give(id, [first, other])).toBe('OK');
    expect(await give(id, [first, other, 'SALES'])).toBe('VALIDATION_ERROR');
    expect(await change(first, { inherits: [...many, 'FLORIST'] })).toBe('CONFLICT');
    expect(await give(id, [second])).toBe('OK');
    expect(await give(id, [second, long[30]!])).toBe('VALIDATION_ERROR');
    expect(await change(second, { inherits: long.slice(0, 31) })).toBe('CONFLICT');
    expect(await change(second, { inherits: long.slice(0, 29) })).toBe('OK');
  });

  it('an account above a limit does not prevent changes of its roles that do not add to it', async () => {
    const large = await create({ permissions: permissionsFrom(0, 190) });
    const small = await create({ permissions: permissionsFrom(190, 20) });
    await world.seed({ tenantId: 'acme', roles: [large, small] });
    expect(await change(small, { description: 'Reads' })).toBe('OK');
    expect(await change(small, { permissions: permissionsFrom(190, 21) })).toBe('CONFLICT');
    const lacking = [...permissionsFrom(190, 21), 'platform:x'];
    expect(await change(small, { permissions: lacking })).toBe('PERMISSION_DENIED');
    expect(await change(small, { permissions: permissionsFrom(290, 20) })).toBe('OK');
    expect(await change(small, { permissions: permissionsFrom(290, 19) })).toBe('OK');
    expect(await change(small, { permissions: permissionsFrom(290, 20) })).toBe('CONFLICT');
  });

  it(
    `a role for each of ${TENANTS} tenants with own roles is created and changed in time`,
    { timeout: 60_000 },
    async () => {
      const shared = await create({ permissions: ['tickets:read'] }, world.root.as);
      const ids = Array.from({ length: TENANTS }, (_, index) => `tenant-${index}`);
      await insert(
        'tenants',
        ids.map((id) => ({
          id: Buffer.from(id),
          name: id,
          status: 'ACTIVE',
          created_at: 1,
          updated_at: 1,
          definitions_version: 1,
        })),
      );
      await insert(
        'roles',
        ids.flatMap((id) => [roleRow(id, 'CLERK', ['invoices:read']), roleRow(id, 'LEAD', ['a:a'], ['CLERK', shared])]),
      );
      spans.reset();
      const created = await outcomeOf(
        world.clients.role.createRole({ ...NONE, name: newRoleName(), permissions: ['b:b'] }, world.root.as),
      );
      const changed = await change(shared, { permissions: ['tickets:write'] }, world.root.as);
      expect([created, changed]).toEqual(['OK', 'OK']);
      const statements = spans.all().filter(({ name }) => name.startsWith('SELECT '));
      expect(statements.length).toBeGreaterThan(10);
      expect(statements.length).toBeLessThan(40);
      await insert('roles', [roleRow(`tenant-${TENANTS - 1}`, 'LARGE', permissionsFrom(0, 995), [])]);
      expect(await change(shared, { permissions: permissionsFrom(5_000, 20) }, world.root.as)).toBe('CONFLICT');
    },
  );
});
