// The list of users: last login, factors, state, and its orders.
import { describe, expect, it } from 'vitest';
import { newId } from '../../../src/platform/db/ids.ts';
import type { Seed } from '../../support/accounts.ts';
import { faults, type Caller } from '../../support/callers.ts';
import { DIAGONAL } from '../../support/deployment.ts';
import { seedTotp } from '../../support/factors.ts';
import { restClient } from '../../support/rest-client.ts';
import { openAdministration, TIME } from './administration.ts';

const DAY_MS = 24 * 3600_000;

describe.each(DIAGONAL)('$engine over $transport', (kind) => {
  const acme = openAdministration(kind);
  const logIn = async ({ username }: { readonly username: string }) => {
    await restClient(acme.world.deployment.url).open(username);
  };

  /** Users with a name of their own, so that a query finds them alone. */
  async function users(...seeds: readonly Seed[]) {
    const mark = newId();
    const seeded = [];
    for (const [index, seed] of seeds.entries())
      seeded.push(
        await acme.world.seed({ username: `${'cab'[index % 3]}${index}-${mark}@acme.test`, name: mark, ...seed }),
      );
    return { mark, seeded };
  }
  const names = async (path: string, by: Caller = acme.admin) =>
    (await by.get(path)).body.map(({ username }: { username: string }) => username.slice(0, 2));

  /** Follows the links to the next page. */
  async function pages(path: string, by: Caller = acme.admin): Promise<string[]> {
    const found: string[] = [];
    let next: string | undefined = `${path}&perPage=2`;
    while (next !== undefined) {
      const { body, headers } = await by.get(next);
      found.push(...body.map(({ username }: { username: string }) => username.slice(0, 2)));
      next = /<[^>]*\/api\/v1([^>]*)>; rel="next"/.exec(headers.get('link') ?? '')?.[1];
    }
    return found;
  }

  it('shows the last login and the kinds of factors', async () => {
    const { account } = await seedTotp(acme.world.deployment);
    const { seeded } = await users({}, {});
    const shown = async (id: string) => (await acme.admin.get(`/users/${id}`)).body;
    const [first, never] = [await shown(seeded[0]!.id), await shown(account.id)];
    expect(['lastLoginAt' in first, first.factors, first.state]).toEqual([false, [], 'ENABLED']);
    expect(never.factors).toEqual(['totp', 'recovery-code']);
    await logIn(seeded[0]!);
    expect((await shown(seeded[0]!.id)).lastLoginAt).toEqual(TIME);
    const [listed] = (await acme.admin.get(`/users?query=${seeded[0]!.username}`)).body;
    expect(listed).toMatchObject({ lastLoginAt: TIME, factors: [], state: 'ENABLED' });
  });

  it('shows the first state that fits, and filters by it', async () => {
    const now = acme.world.deployment.clock.now();
    const past = now - DAY_MS;
    const lock = { lockedUntil: now + DAY_MS, loginFailedCount: 5 };
    const { mark } = await users(
      { disabled: true, accountExpiresAt: past, ...lock },
      { accountExpiresAt: past, ...lock },
      { ...lock, invitationExpiresAt: past, hasPassword: false },
      { invitationExpiresAt: past, hasPassword: false },
      { lockedUntil: past, accountExpiresAt: now + DAY_MS },
    );
    const all = (await acme.admin.get(`/users?query=${mark}&sort=createdAt`)).body;
    const states = ['DISABLED', 'EXPIRED', 'LOCKED', 'INVITED', 'ENABLED'];
    expect(all.map(({ state }: { state: string }) => state)).toEqual(states);
    for (const [index, state] of states.entries())
      for (const by of [acme.admin, acme.root])
        expect([state, await names(`/users?query=${mark}&state=${state}`, by)]).toEqual([
          state,
          [`${'cab'[index % 3]}${index}`],
        ]);
    expect(await names(`/users?query=${mark}&state=DISABLED&disabled=false`)).toEqual([]);
    const locked = (await acme.admin.get('/users?state=LOCKED&perPage=100')).body;
    expect(locked.length).toBeGreaterThan(0);
    expect(locked.every(({ state }: { state: string }) => state === 'LOCKED')).toBe(true);
    expect(faults(await acme.admin.get('/users?state=GONE'))).toEqual(['state']);
  });

  it('sorts by name, creation and last login, also page by page and of all tenants', async () => {
    const { mark, seeded } = await users({}, {}, {}, {}, {});
    for (const index of [3, 0, 4]) {
      acme.world.deployment.clock.advance(1_000);
      await logIn(seeded[index]!);
    }
    const expected = {
      username: ['a1', 'a4', 'b2', 'c0', 'c3'],
      '-username': ['c3', 'c0', 'b2', 'a4', 'a1'],
      createdAt: ['c0', 'a1', 'b2', 'c3', 'a4'],
      '-createdAt': ['a4', 'c3', 'b2', 'a1', 'c0'],
      lastLoginAt: ['a1', 'b2', 'c3', 'c0', 'a4'],
      '-lastLoginAt': ['a4', 'c0', 'c3', 'b2', 'a1'],
    };
    for (const [sort, order] of Object.entries(expected))
      for (const by of [acme.admin, acme.root]) {
        const path = `/users?query=${mark}&sort=${sort}`;
        expect([sort, await names(path, by), await pages(path, by)]).toEqual([sort, order, order]);
      }
    // Without filters, the index of the order is read.
    for (const sort of Object.keys(expected))
      for (const by of [acme.admin, acme.root]) {
        const all = (await by.get(`/users?sort=${sort}&perPage=100`)).body as { id: string; username: string }[];
        const found = await pages(`/users?sort=${sort}`, by);
        expect(found).toHaveLength(all.length);
        if (sort === 'username')
          expect(all.map(({ username }) => username)).toEqual(all.map(({ username }) => username).toSorted());
      }
    for (const bad of ['sort=name', 'sort=username,createdAt'])
      expect(faults(await acme.admin.get(`/users?${bad}`))).toEqual(['sort']);
    const { headers } = await acme.admin.get(`/users?query=${mark}&sort=username&perPage=2`);
    const after = /after=([\w-]+)/.exec(headers.get('link')!)![1];
    expect((await acme.admin.get(`/users?query=${mark}&sort=-username&perPage=2&after=${after}`)).status).toBe(400);
  });
});
