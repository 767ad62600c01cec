// Creates the tenants and accounts of a plan that are missing. What is there stays as it is: no password, lock or disabled
// flag is ever reset.
import { UNLIMITED, type Clock } from '../clock.ts';
import { insertClientSecret } from '../client-credentials/client-secret-store.ts';
import { DatabaseError } from '../db/errors.ts';
import { newId } from '../db/ids.ts';
import type { Database } from '../db/types.ts';
import type { Account } from '../identity/account.ts';
import { insertAccount, type AccountStore } from '../identity/account-store.ts';
import type { PasswordHasher } from '../identity/password-hasher.ts';
import { canonicalUsername } from '../identity/username.ts';
import { insertTenant, tenantExists } from '../tenancy/tenant-store.ts';
import type { BootstrapPlan, PlannedServiceAccount, PlannedTenant, PlannedUser } from './plan.ts';

export interface BootstrapDependencies {
  readonly database: Database;
  readonly accounts: AccountStore;
  readonly hasher: PasswordHasher;
  readonly clock: Clock;
}

/** What was created. */
export interface BootstrapResult {
  /** Their ids. */
  readonly tenants: readonly string[];
  /** How many. */
  readonly accounts: number;
}

type NewAccount = Pick<Account, 'username' | 'name' | 'roles' | 'interactive'> & Partial<Account>;

// Fewer than the passwords that may wait to be hashed.
const ACCOUNTS_AT_ONCE = 16;

/** Applies a plan. Throws when a username belongs to another tenant. */
export async function applyBootstrap(
  plan: BootstrapPlan,
  dependencies: BootstrapDependencies,
): Promise<BootstrapResult> {
  const { database, accounts, hasher, clock } = dependencies;
  const tenants: string[] = [];
  for (const tenant of plan.tenants ?? []) if (await createTenant(tenant)) tenants.push(tenant.id);
  const planned = [
    ...(plan.superAdmins ?? []).map((user) => ({ user: superAdmin(user), secret: undefined, password: user.password })),
    ...(plan.tenants ?? []).flatMap((tenant) => [
      ...(tenant.users ?? []).map((user) => ({
        user: tenantUser(tenant, user),
        secret: undefined,
        password: user.password,
      })),
      ...(tenant.serviceAccounts ?? []).map((client) => ({
        user: serviceAccount(tenant, client),
        secret: client.clientSecret,
        password: undefined,
      })),
    ]),
  ];
  const created: boolean[] = [];
  for (let start = 0; start < planned.length; start += ACCOUNTS_AT_ONCE) {
    const group = planned.slice(start, start + ACCOUNTS_AT_ONCE);
    created.push(
      ...(await Promise.all(group.map(({ user, password, secret }) => createAccount(user, password, secret)))),
    );
  }
  return { tenants, accounts: created.filter(Boolean).length };

  async function createTenant({ id, name }: PlannedTenant): Promise<boolean> {
    if (await tenantExists(database, id)) return false;
    return unlessTaken(insertTenant(database, { id, name: name ?? id, status: 'ACTIVE', createdAt: clock() }));
  }

  async function createAccount(
    planned: NewAccount,
    password: string | undefined,
    secret: string | undefined,
  ): Promise<boolean> {
    const existing = await accounts.findByUsername(planned.username);
    if (existing) {
      if (existing.account.tenantId === planned.tenantId) return false;
      throw new Error(`the bootstrap account ${planned.username} exists already, in another tenant`);
    }
    const account: Account = {
      id: newId(),
      tenantId: undefined,
      email: undefined,
      disabled: false,
      accountExpiresAt: undefined,
      credentialsExpireAt: undefined,
      loginFailedCount: 0,
      lockedUntil: undefined,
      createdAt: clock(),
      ...planned,
    };
    const passwordHash = password === undefined ? undefined : await hasher.hash(password, UNLIMITED);
    return unlessTaken(
      database.transaction(UNLIMITED, async (tx) => {
        await insertAccount(tx, account, passwordHash);
        if (secret === undefined) return;
        await insertClientSecret(tx, {
          tenantId: account.tenantId!,
          accountId: account.id,
          secret,
          createdAt: account.createdAt,
        });
      }),
    );
  }
}

function superAdmin({ username }: { username: string }): NewAccount {
  const canonical = canonicalUsername(username)!;
  return { username: canonical, name: canonical, roles: ['SUPER_ADMIN'], interactive: true };
}

function tenantUser(tenant: PlannedTenant, user: PlannedUser): NewAccount {
  const username = canonicalUsername(user.username)!;
  return {
    tenantId: tenant.id,
    username,
    name: user.name ?? username,
    email: user.email,
    roles: user.roles,
    interactive: true,
    disabled: user.disabled ?? false,
    accountExpiresAt: timeOf(user.accountExpiresAt),
    credentialsExpireAt: timeOf(user.credentialsExpireAt),
  };
}

function serviceAccount(tenant: PlannedTenant, client: PlannedServiceAccount): NewAccount {
  const username = canonicalUsername(client.clientId)!;
  return {
    tenantId: tenant.id,
    username,
    name: client.name ?? username,
    roles: client.roles,
    interactive: false,
    disabled: client.disabled ?? false,
  };
}

function timeOf(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Date.parse(text);
}

// Another process that starts at the same moment may be faster; then there is nothing left to create.
async function unlessTaken(insertion: Promise<void>): Promise<boolean> {
  try {
    await insertion;
    return true;
  } catch (error) {
    if (error instanceof DatabaseError && error.kind === 'duplicate') return false;
    throw error;
  }
}
