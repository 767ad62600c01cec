// The decisions about roles, over random role graphs and actors.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createBuiltInRoles, ROLES, type RoleDefinition } from '../../src/auth/access/roles/built-in-roles.ts';
import { SHOP_GRANTS } from '../../src/composition/shop-grants.ts';
import {
  canGive,
  canTakeOver,
  flattenRoles,
  permissionNames,
  resolveRights,
} from '../../src/auth/access/roles/rights.ts';
import { ROUNDS } from '../support/rounds.ts';

const BUILT_IN = createBuiltInRoles([SHOP_GRANTS]);
const PERMISSIONS = ['a:a', 'b:b', 'c:c', 'platform:x', 'MANAGE_USERS', 'MANAGE_ROLES', 'READ_ORDERS', 'WRITE_ORDERS'];
const OWN_ROLES = ['R0', 'R1', 'R2', 'R3', 'R4'];
const TENANT_ROLES = ROLES.filter((role) => role !== 'SUPER_ADMIN');
const ACTORS = 4;

type Roles = ReadonlyMap<string, Pick<RoleDefinition, 'permissions' | 'inherits'>>;

/** The roles and accounts of a tenant. */
interface State {
  readonly roles: Roles;
  readonly accounts: readonly (readonly string[])[];
}

const tableOf = (roles: Roles) => new Map<string, RoleDefinition>([...BUILT_IN, ...roles]);

function heldBy(roles: Roles, held: readonly string[]) {
  const named = [...roles.values()].flatMap(({ permissions }) => permissions);
  const declared = [...new Set(named.filter((name) => name.includes(':')))].toSorted();
  return resolveRights({ roles: held, tenantId: 'acme' }, tableOf(roles), declared).permissions;
}

const role = fc.record({
  permissions: fc.uniqueArray(fc.constantFrom(...PERMISSIONS), { maxLength: 4 }),
  inherits: fc.uniqueArray(fc.constantFrom(...OWN_ROLES, ...TENANT_ROLES), { maxLength: 2 }),
});
const held = fc.uniqueArray(fc.constantFrom(...OWN_ROLES, ...TENANT_ROLES), { minLength: 1, maxLength: 3 });
const state: fc.Arbitrary<State> = fc.record({
  roles: fc.uniqueArray(fc.tuple(fc.constantFrom(...OWN_ROLES), role), { selector: ([name]) => name }).map(
    // Only earlier roles are inherited, so that there is no cycle.
    (entries) =>
      new Map(
        entries.map(([name, { permissions, inherits }]) => [
          name,
          { permissions, inherits: inherits.filter((one) => !OWN_ROLES.includes(one) || one < name) },
        ]),
      ),
  ),
  accounts: fc.array(held, { minLength: ACTORS, maxLength: ACTORS }),
});

const actor = fc.nat(ACTORS - 1);
const change = fc.oneof(
  fc.record({ kind: fc.constant('define' as const), actor, name: fc.constantFrom(...OWN_ROLES), role }),
  fc.record({ kind: fc.constant('delete' as const), actor, name: fc.constantFrom(...OWN_ROLES) }),
  fc.record({ kind: fc.constant('give' as const), actor, target: actor, roles: held }),
);
type Change = typeof change extends fc.Arbitrary<infer Value> ? Value : never;

/** Applies a change as the service does. Returns the same state if it refuses. */
function apply(before: State, wanted: Change): State {
  const { roles, accounts } = before;
  const acting = heldBy(roles, accounts[wanted.actor]!);
  if (wanted.kind === 'give') {
    const { target } = wanted;
    const isKnown = wanted.roles.every((name) => tableOf(roles).has(name));
    const mayChange = target === wanted.actor || canTakeOver(acting, heldBy(roles, accounts[target]!));
    if (!isKnown || !mayChange || !canGive(acting, heldBy(roles, wanted.roles))) return before;
    return { roles, accounts: accounts.with(target, wanted.roles) };
  }
  const { name } = wanted;
  if (wanted.kind === 'delete') {
    const isUsed =
      accounts.some((one) => one.includes(name)) || [...roles.values()].some(({ inherits }) => inherits.includes(name));
    if (!roles.has(name) || isUsed || !canGive(acting, heldBy(roles, [name]))) return before;
    return { accounts, roles: new Map([...roles].filter(([one]) => one !== name)) };
  }
  const after = new Map(roles).set(name, wanted.role);
  const isValid =
    wanted.role.inherits.every((one) => tableOf(after).has(one)) &&
    !flattenRoles(wanted.role.inherits, tableOf(after)).includes(name);
  if (!isValid || !canGive(acting, heldBy(after, [name]))) return before;
  if (roles.has(name) && !canGive(acting, heldBy(roles, [name]))) return before;
  return { accounts, roles: after };
}

const holds = (roles: Roles, account: readonly string[]) => {
  const permissions = heldBy(roles, account);
  return new Set([
    ...permissionNames(permissions),
    ...PERMISSIONS.filter((name) => name.includes(':') && permissions.has(name)),
  ]);
};

describe('the decisions about roles', () => {
  it('no sequence of changes by accounts gives a permission that their author did not hold', () => {
    fc.assert(
      fc.property(state, fc.array(change, { maxLength: 12 }), (first, changes) => {
        let current = first;
        for (const wanted of changes) {
          const author = holds(current.roles, current.accounts[wanted.actor]!);
          const next = apply(current, wanted);
          for (const [index, account] of next.accounts.entries()) {
            const before = holds(current.roles, current.accounts[index]!);
            const gained = [...holds(next.roles, account)].filter((name) => !before.has(name) && !author.has(name));
            expect(gained).toEqual([]);
          }
          current = next;
        }
      }),
      { numRuns: 250 * ROUNDS },
    );
  });

  it('no changes by one account give any account a permission that this account did not hold at first', () => {
    fc.assert(
      fc.property(state, actor, fc.array(change, { maxLength: 12 }), (first, by, changes) => {
        const author = holds(first.roles, first.accounts[by]!);
        const before = first.accounts.map((account) => holds(first.roles, account));
        const last = changes.reduce((current, wanted) => apply(current, { ...wanted, actor: by }), first);
        for (const [index, account] of last.accounts.entries()) {
          const gained = [...holds(last.roles, account)].filter(
            (name) => !before[index]!.has(name) && !author.has(name),
          );
          expect(gained).toEqual([]);
        }
      }),
      { numRuns: 250 * ROUNDS },
    );
  });

  it('a SUPER_ADMIN gives and takes over all, an administrator all but the permissions of the platform', () => {
    const root = resolveRights({ roles: ['SUPER_ADMIN'], tenantId: undefined }, BUILT_IN, []).permissions;
    fc.assert(
      fc.property(state, held, fc.constantFrom('TENANT_ADMIN', 'ADMIN', 'OWNER'), ({ roles }, given, administrator) => {
        const permissions = heldBy(roles, given);
        expect([canGive(root, permissions), canTakeOver(root, permissions)]).toEqual([true, true]);
        const isOfPlatform = permissions.has('platform:x');
        expect(canGive(heldBy(roles, [administrator]), permissions)).toBe(!isOfPlatform);
        expect(canTakeOver(permissions, root)).toBe(false);
      }),
    );
  });

  it('an account takes over another one exactly if it holds all that the other holds', () => {
    fc.assert(
      fc.property(state, actor, actor, ({ roles, accounts }, one, other) => {
        const [mine, theirs] = [accounts[one]!, accounts[other]!];
        const held = holds(roles, mine);
        const isAdministrator = (account: readonly string[]) => heldBy(roles, account).everyOwn !== undefined;
        const covers =
          [...holds(roles, theirs)].every((name) => held.has(name)) &&
          (isAdministrator(mine) || !isAdministrator(theirs));
        expect(canTakeOver(heldBy(roles, mine), heldBy(roles, theirs))).toBe(covers);
      }),
    );
  });
});
