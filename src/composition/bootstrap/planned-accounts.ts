// Lists the accounts of a bootstrap plan.
import { NO_FACTORS, type StoredAccount } from '../../auth/access/account.ts';
import { newId } from '../../platform/db/ids.ts';
import { canonicalUsername } from '../../auth/identity/login-name.ts';
import type { BootstrapPlan, PlannedServiceAccount, PlannedUser } from './plan.ts';

/** An account that must exist, and its password or secrets when it is created. */
export interface PlannedAccount {
  /** Its place in the plan: `/tenants/0/users/1`. */
  readonly place: string;
  readonly account: Omit<
    StoredAccount,
    'id' | 'loginFailedCount' | 'lockedUntil' | 'createdAt' | keyof typeof NO_FACTORS
  >;
  readonly password: string | undefined;
  readonly secret: string | undefined;
  /** Whether its user gets a mail with a link to choose the password. */
  readonly isInvited: boolean;
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

function superAdmin(place: string, { username, password }: { username: string; password: string }): PlannedAccount {
  const account = userAccount({ username, roles: ['SUPER_ADMIN'] }, undefined);
  return { place, account, password, secret: undefined, isInvited: false };
}

function tenantUser(place: string, user: PlannedUser, tenantId: string): PlannedAccount {
  const { password, invite = false } = user;
  return { place, account: userAccount(user, tenantId), password, secret: undefined, isInvited: invite };
}

function serviceAccount(place: string, client: PlannedServiceAccount, tenantId: string | undefined): PlannedAccount {
  const account = {
    ...userAccount({ ...client, username: client.clientId }, tenantId),
    interactive: false,
    resourceServer: client.resourceServer ?? false,
  };
  return { place, account, password: undefined, secret: client.clientSecret, isInvited: false };
}

/** Returns the account of a valid user. */
export function userAccount(
  user: Omit<PlannedUser, 'password' | 'invite' | 'roles'> & Pick<StoredAccount, 'roles'>,
  tenantId: string | undefined,
): PlannedAccount['account'] {
  const username = canonicalUsername(user.username)!;
  return {
    tenantId,
    username,
    name: user.name ?? username,
    email: user.email,
    roles: user.roles,
    interactive: true,
    disabled: user.disabled ?? false,
    resourceServer: false,
    accountExpiresAt: timeOf(user.accountExpiresAt),
    credentialsExpireAt: timeOf(user.credentialsExpireAt),
  };
}

function timeOf(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Date.parse(text);
}

/** Returns an account to insert. */
export function newAccount(account: PlannedAccount['account'], now: number): StoredAccount {
  return { ...account, id: newId(), loginFailedCount: 0, lockedUntil: undefined, ...NO_FACTORS, createdAt: now };
}
