// Lists: order, pages, filters, totals.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../../src/platform/db/ids.ts';
import { userUpdate } from './rpcs.ts';
import { DIAGONAL } from '../../support/deployment.ts';
import { openWorld, type Actor, type World } from '../../support/world.ts';
import { violationsOf } from '../../support/rpc-outcomes.ts';

describe.each(DIAGONAL)('$engine over $transport', ({ engine, transport }) => {
  let world: World;

  beforeAll(async () => {
    world = await openWorld({ engine, transport });
  });
  afterAll(() => world?.close());

  /** An administrator of a tenant of its own, with these users. */
  const tenantWith = async (users: readonly object[]) => {
    const tenantId = `tenant-${newId()}`;
    const admin = await world.actor({ tenantId, username: `boss-${newId()}`, name: 'The Boss', roles: ['ADMIN'] });
    const ids: string[] = [];
    for (const user of users) ids.push((await world.seed({ ...user, tenantId })).id);
    return { tenantId, admin, ids };
  };
  const found = async (admin: Actor, request: object) => {
    const { users, page } = await world.clients.identity.listUsers(request, admin.as);
    expect(page!.total).toBe(users.length);
    return users.map(({ account }) => account!.id);
  };

  it('are sorted by creation, newest first, in pages with the exact total', async () => {
    const { admin, ids } = await tenantWith(Array.from({ length: 24 }, () => ({})));
    const expected = [...ids.toReversed(), admin.account.id];
    const pages = await Promise.all(
      [1, 2, 3, 4].map((page) => world.clients.identity.listUsers({ page: { page, perPage: 10 } }, admin.as)),
    );
    expect(pages.map(({ users }) => users.length)).toEqual([10, 10, 5, 0]);
    expect(pages.map(({ page }) => page)).toMatchObject([1, 2, 3, 4].map((page) => ({ page, perPage: 10, total: 25 })));
    expect(pages.map(({ page }) => page!.next !== undefined)).toEqual([true, true, false, false]);
    expect(pages.flatMap(({ users }) => users.map(({ account }) => account!.id))).toEqual(expected);
    expect(await world.clients.identity.listUsers({}, admin.as)).toMatchObject({
      page: { page: 1, perPage: 20, total: 25 },
    });
  });

  it('continue behind the last item of a page, with the total of the first page, whatever was added meanwhile', async () => {
    const { tenantId, admin, ids } = await tenantWith(Array.from({ length: 6 }, () => ({})));
    const { listUsers } = world.clients.identity;
    const found: string[] = [];
    let after: string | undefined;
    const numbers: number[] = [];
    do {
      const { users, page } = await listUsers({ page: { page: 0, perPage: 3, after } }, admin.as);
      found.push(...users.map(({ account }) => account!.id));
      numbers.push(page!.page, page!.total);
      after = page!.next;
      await world.seed({ tenantId });
    } while (after !== undefined);
    expect(found).toEqual([...ids.toReversed(), admin.account.id]);
    expect(numbers).toEqual([1, 7, 2, 7, 3, 7]);
  });

  it('reject a cursor of another list, of other filters, one that is malformed, and one beside a page', async () => {
    const { admin } = await tenantWith([{}, {}]);
    const { identity, audit } = world.clients;
    const { page } = await identity.listUsers({ page: { page: 1, perPage: 1 } }, admin.as);
    const after = page!.next!;
    const [digest, ...parts] = JSON.parse(Buffer.from(after, 'base64url').toString()) as unknown[];
    const cursor = (...values: unknown[]) => Buffer.from(JSON.stringify(values)).toString('base64url');
    const forged = [
      cursor(digest, ...parts.slice(0, 3), 'x'),
      cursor(digest, ...parts.slice(0, 3), 7),
      cursor(digest, ...parts, 'more'),
      cursor(digest, -1, ...parts.slice(1)),
      cursor(digest, 1e300, ...parts.slice(1)),
      cursor('other', ...parts),
      cursor(),
      Buffer.from('null').toString('base64url'),
      'x',
    ];
    const bad = [
      ...forged.map((text) => identity.listUsers({ page: { page: 1, perPage: 1, after: text } }, admin.as)),
      identity.listUsers({ page: { page: 1, perPage: 1, after }, query: 'a' }, admin.as),
      identity.listUsers({ page: { page: 2, perPage: 1, after } }, admin.as),
      audit.listAuditRecords({ page: { page: 1, perPage: 1, after }, events: [] }, admin.as),
    ];
    expect(await Promise.all(bad.map(violationsOf))).toEqual(bad.map(() => ['after: cursor']));
    // Fewer rows per page are not another filter.
    expect((await identity.listUsers({ page: { page: 1, perPage: 2, after } }, admin.as)).users).toHaveLength(2);
    // Another tenant's cursor shows nothing of that tenant.
    const elsewhere = await identity.listUsers({ page: { page: 1, perPage: 1, after } }, world.other.as);
    expect(elsewhere.users.every(({ account }) => account!.tenantId === 'globex')).toBe(true);
  });

  it.each([
    { page: -1, perPage: 0 },
    { page: 1_000_001, perPage: 0 },
    { page: 1, perPage: 101 },
    { page: 1, perPage: -5 },
  ])('reject the page %o', async (page) => {
    for (const list of [
      () => world.clients.identity.listUsers({ page }, world.admin.as),
      () => world.clients.session.listMySessions({ page }, world.admin.as),
      () => world.clients.clientCredentials.listServiceAccounts({ page }, world.admin.as),
      () => world.clients.tenancy.listTenants({ page, status: 0 }, world.root.as),
      () => world.clients.audit.listAuditRecords({ page, events: [] }, world.admin.as),
    ]) {
      expect(await violationsOf(list())).toHaveLength(1);
    }
  });

  it('find a literal text in username, name and e-mail address, in any letter case', async () => {
    const { admin, ids } = await tenantWith([
      { username: `ärger-${newId()}`, name: 'Zoë Ünlü', email: 'Zoe@Example.Test' },
      { username: `percent-${newId()}`, name: '100% real_name' },
      { username: `slash-${newId()}`, name: 'back\\slash \'quote\' "double"' },
      { username: `plain-${newId()}`, name: '100 realXname' },
    ]);
    const [umlaut, percent, slash, plain] = ids as [string, string, string, string];
    const expectations: [string, string[]][] = [
      ['ÄRGER', [umlaut]],
      ['zoë ünLÜ', [umlaut]],
      ['zoe\u0308', [umlaut]],
      ['zoe@example', [umlaut]],
      ['100%', [percent]],
      ['real_', [percent]],
      // No digits: the ids in usernames can contain them.
      [' real', [plain, percent]],
      ['\\', [slash]],
      ["'QUOTE'", [slash]],
      ['%', [percent]],
      ['nobody', []],
      ['', [...ids.toReversed(), admin.account.id]],
    ];
    for (const [query, expected] of expectations) {
      expect([query, await found(admin, { query })]).toEqual([query, expected]);
    }
    expect(await violationsOf(world.clients.identity.listUsers({ query: 'x'.repeat(255) }, admin.as))).toEqual([
      'query: length',
    ]);
  });

  it('find the updated texts', async () => {
    const { admin, ids } = await tenantWith([{ name: 'Before' }]);
    const [userId] = ids as [string];
    await world.clients.identity.updateUser(userUpdate(userId, { name: 'After' }), admin.as);
    expect(await found(admin, { query: 'before' })).toEqual([]);
    expect(await found(admin, { query: 'AFTER' })).toEqual([userId]);
  });

  it('are found by texts that are too long for an index', async () => {
    const tulips = '🌷'.repeat(197);
    const { admin, ids } = await tenantWith([{ name: `${tulips}end` }, { name: `${tulips}tip` }, { name: 'The end' }]);
    expect(await found(admin, { query: 'END' })).toEqual([ids[2], ids[0]]);
    expect(await found(admin, { query: `${tulips.slice(-8)}tip` })).toEqual([ids[1]]);
    expect(await found(admin, { query: 'no such end' })).toEqual([]);
  });

  it('filter by inherited role and state', async () => {
    const { admin, ids } = await tenantWith([
      { roles: ['SALES', 'FLORIST'] },
      { roles: ['FLORIST'], disabled: true },
      { roles: ['MANAGER'] },
      { roles: ['TENANT_ADMIN'] },
    ]);
    const [both, disabled, manager, tenantAdmin] = ids as [string, string, string, string];
    expect(await found(admin, { role: 'FLORIST' })).toEqual([disabled, both]);
    expect(await found(admin, { role: 'SALES' })).toEqual([both]);
    expect(await found(admin, { role: 'ADMIN' })).toEqual([admin.account.id]);
    expect(await found(admin, { disabled: true })).toEqual([disabled]);
    expect(await found(admin, { disabled: false })).toEqual([tenantAdmin, manager, both, admin.account.id]);
    expect(await found(admin, { disabled: true, role: 'SALES' })).toEqual([]);
    expect(await violationsOf(world.clients.identity.listUsers({ role: 'BOSS' }, admin.as))).toEqual(['role: enum']);
  });

  it('contain the users of every tenant for a SUPER_ADMIN, or of the requested one', async () => {
    const { tenantId, admin, ids } = await tenantWith([{}]);
    expect(await found(world.root, { tenantId })).toEqual([...ids, admin.account.id]);
    expect(await found(world.root, { role: 'SUPER_ADMIN' })).toEqual([world.root.account.id]);
    expect(await found(world.root, { query: 'the boss', tenantId })).toEqual([admin.account.id]);
    expect(await found(world.root, { tenantId: 'missing' })).toEqual([]);
    const bad = world.clients.identity.listUsers({ tenantId: '' }, world.root.as);
    expect(await violationsOf(bad)).toEqual(['tenantId: pattern']);
  });
});
