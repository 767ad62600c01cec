// Lists the accounts of a bootstrap plan.
import type { Account } from '../../auth/principal/account.ts';
import { canonicalUsername } from '../../auth/identity/login-name.ts';
import type { BootstrapPlan, PlannedServiceAccount, PlannedUser } from './plan.ts';

/** An account that must exist, and its password or secrets when it is created. */
export interface PlannedAccount {
  /** Its place in the plan: `/tenants/0/users/1`. */
  readonly place: string;
  readonly account: Pick<Account, 'tenantId' | 'username' | 'name' | 'roles' | 'interactive'> & Partial<Account>;
  readonly password: string | undefined;
  readonly secret: string | undefined;
}

/** Returns all accounts of a plan, in the order of the plan. */
export function plannedAccounts({
  superAdmins = [],
  serviceAccounts = [],
  tenants = [],
}: BootstrapPlan): PlannedAccount[] {
  return [
    ...superAdmins.map((user, index) => superAdmin(`/superAdmins/${index}`, user)),
    ...serviceAccounts.map((client, index) => serviceAccount(`/serviceAccounts/${index}`, client, undefined)),
    ...tenants.flatMap(({ id, users = [], serviceAccounts: clients = [] }, tenant) => [
      ...users.map((user, index) => tenantUser(`/tenants/${tenant}/users/${index}`, user, id)),
      ...clients.map((client, index) => serviceAccount(`/tenants/${tenant}/serviceAccounts/${index}`, client, id)),
    ]),
  ];
}

function superAdmin(place: string, user: { username: string; password: string }): PlannedAccount {
  const username = canonicalUsername(user.username)!;
  return {
    place,
    account: { tenantId: undefined, username, name: username, roles: ['SUPER_ADMIN'], interactive: true },
    password: user.password,
    secret: undefined,
  };
}

function tenantUser(place: string, user: PlannedUser, tenantId: string): PlannedAccount {
  const username = canonicalUsername(user.username)!;
  return {
    place,
    account: {
      tenantId,
      username,
      name: user.name ?? username,
      email: user.email,
      roles: user.roles,
      interactive: true,
      disabled: user.disabled ?? false,
      accountExpiresAt: timeOf(user.accountExpiresAt),
      credentialsExpireAt: timeOf(user.credentialsExpireAt),
    },
    password: user.password,
    secret: undefined,
  };
}

function serviceAccount(place: string, client: PlannedServiceAccount, tenantId: string | undefined): PlannedAccount {
  const username = canonicalUsername(client.clientId)!;
  return {
    place,
    account: {
      tenantId,
      username,
      name: client.name ?? username,
      roles: client.roles,
      interactive: false,
      disabled: client.disabled ?? false,
    },
    password: undefined,
    secret: client.clientSecret,
  };
}

function timeOf(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Date.parse(text);
}
