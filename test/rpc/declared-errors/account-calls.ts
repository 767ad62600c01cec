// Calls of the services of users, machine clients and API keys that provoke their declared errors.
import { PASSWORD } from '../../support/accounts.ts';
import { signIn } from '../../support/sessions.ts';
import type { Actor } from '../../support/world.ts';
import type { CallOptions } from '../../../src/platform/rpc/types.ts';
import { newRoleName } from '../admin/rpcs.ts';
import {
  BAD_TOKEN,
  deletedUser,
  LATER,
  OTHER_TENANT,
  PAST,
  UNKNOWN,
  type Calls,
  type Message,
  type Scene,
} from './scene.ts';

const CLIENT = { clientId: 'other', name: 'Other', roles: ['SALES'] };
const NEW_USER = { username: 'new@acme.test', name: 'New', roles: ['SALES'], password: 'Correct horse 43' };

const changePassword = ({ call }: Scene, currentPassword: string, newPassword: string, { as }: Actor) =>
  call('IdentityService/ChangeOwnPassword', { currentPassword, newPassword }, as);

export const ANY_CLIENT = { clientId: 'a', clientSecret: 'b' };
export const issueToken = ({ call }: Scene) =>
  call('ClientCredentialsService/IssueToken', { grantType: 'client_credentials', ...ANY_CLIENT }, {});
export const introspect = ({ call }: Scene) =>
  call('ClientCredentialsService/IntrospectToken', { token: 'x', ...ANY_CLIENT }, {});
export const revoke = ({ call }: Scene) =>
  call('ClientCredentialsService/RevokeToken', { token: 'x', ...ANY_CLIENT }, {});

const ROLE = { permissions: [], inherits: [] };
/** Creates a role of the administrator's tenant, or of every tenant, and returns its name. */
async function newRole({ call }: Scene, as?: CallOptions): Promise<string> {
  const name = newRoleName();
  await call('RoleService/CreateRole', { ...ROLE, name, permissions: ['a:b'] }, as);
  return name;
}
/** Calls an RPC on a new role. */
const onRole =
  (rpc: string, fields: Message = {}) =>
  async (scene: Scene) =>
    scene.call(`RoleService/${rpc}`, { name: await newRole(scene), ...fields });
const UPDATE = { role: { ...ROLE, description: 'x' }, updateMask: ['description'] };
/** An account that manages roles and has no other permission. */
async function roleManager(scene: Scene): Promise<CallOptions> {
  const name = newRoleName();
  await scene.call('RoleService/CreateRole', { ...ROLE, name, permissions: ['MANAGE_ROLES'] });
  return (await scene.world.actor({ tenantId: 'acme', roles: [name] })).as;
}

export const ACCOUNT_CALLS: Calls = {
  'RoleService/ListRoles TENANT_MISMATCH': ({ call }) => call('RoleService/ListRoles', OTHER_TENANT),
  'RoleService/CreateRole TENANT_MISMATCH': ({ call }) =>
    call('RoleService/CreateRole', { ...ROLE, name: 'NEW', ...OTHER_TENANT }),
  'RoleService/CreateRole PERMISSION_DENIED': async (scene) =>
    scene.call('RoleService/CreateRole', { ...ROLE, name: 'NEW', permissions: ['a:b'] }, await roleManager(scene)),
  'RoleService/CreateRole CONFLICT': onRole('CreateRole', ROLE),
  'RoleService/GetRole VALIDATION_ERROR': onRole('GetRole', { tenantId: 'No slug' }),
  'RoleService/GetRole TENANT_MISMATCH': onRole('GetRole', OTHER_TENANT),
  'RoleService/UpdateRole VALIDATION_ERROR': onRole('UpdateRole', { ...UPDATE, tenantId: 'No slug' }),
  'RoleService/UpdateRole TENANT_MISMATCH': onRole('UpdateRole', { ...UPDATE, ...OTHER_TENANT }),
  'RoleService/UpdateRole PERMISSION_DENIED': async (scene) =>
    scene.call('RoleService/UpdateRole', { ...UPDATE, name: await newRole(scene) }, await roleManager(scene)),
  'RoleService/UpdateRole CONFLICT': ({ call }) => call('RoleService/UpdateRole', { ...UPDATE, name: 'SALES' }),
  'RoleService/UpdateRole PRECONDITION_FAILED': onRole('UpdateRole', { ...UPDATE, precondition: { versions: [9] } }),
  'RoleService/DeleteRole VALIDATION_ERROR': onRole('DeleteRole', { tenantId: 'No slug' }),
  'RoleService/DeleteRole TENANT_MISMATCH': onRole('DeleteRole', OTHER_TENANT),
  'RoleService/DeleteRole PERMISSION_DENIED': async (scene) =>
    scene.call('RoleService/DeleteRole', { name: await newRole(scene, scene.world.root.as) }),
  'RoleService/DeleteRole CONFLICT': ({ call }) => call('RoleService/DeleteRole', { name: 'SALES' }),
  'RoleService/DeleteRole PRECONDITION_FAILED': onRole('DeleteRole', { precondition: { versions: [9] } }),

  'ApiKeyService/IssueApiKey PRINCIPAL_NOT_ELIGIBLE': ({ call, records }) =>
    call('ApiKeyService/IssueApiKey', { serviceAccountId: records['user_id'], label: 'x' }),
  'ApiKeyService/IssueApiKey CONFLICT': async ({ call, world }) => {
    const { id } = await world.seed({ interactive: false, tenantId: undefined, roles: ['SALES'] });
    await call('ApiKeyService/IssueApiKey', { serviceAccountId: id, label: 'x' }, world.root.as);
  },
  'ApiKeyService/ListApiKeys PRINCIPAL_NOT_ELIGIBLE': ({ call, records }) =>
    call('ApiKeyService/ListApiKeys', { serviceAccountId: records['user_id'] }),
  'ApiKeyService/RevokeApiKey VALIDATION_ERROR': async ({ clients, records, world }) => {
    const serviceAccountId = records['service_account_id']!;
    const { key } = await clients.apiKey.issueApiKey({ serviceAccountId, label: 'x' }, world.admin.as);
    const request = { serviceAccountId, keyId: key!.keyId, reason: 'x'.repeat(501) };
    await clients.apiKey.revokeApiKey(request, world.admin.as);
  },
  'ApiKeyService/RevokeApiKey PRINCIPAL_NOT_ELIGIBLE': ({ call, records }) =>
    call('ApiKeyService/RevokeApiKey', { serviceAccountId: records['user_id'], keyId: UNKNOWN }),

  'ClientCredentialsService/IssueToken INVALID_REQUEST': ({ call }) =>
    call('ClientCredentialsService/IssueToken', { grantType: 'client_credentials' }, {}),
  'ClientCredentialsService/IssueToken UNSUPPORTED_GRANT_TYPE': ({ call }) =>
    call('ClientCredentialsService/IssueToken', { grantType: 'password', clientId: 'a', clientSecret: 'b' }, {}),
  'ClientCredentialsService/IssueToken INVALID_SCOPE': ({ call }) =>
    call(
      'ClientCredentialsService/IssueToken',
      {
        grantType: 'client_credentials',
        clientId: 'a',
        clientSecret: 'b',
        scope: 'x',
      },
      {},
    ),
  'ClientCredentialsService/IssueToken INVALID_CLIENT': (scene) => issueToken(scene),
  'ClientCredentialsService/IntrospectToken INVALID_REQUEST': ({ call }) =>
    call('ClientCredentialsService/IntrospectToken', {}, {}),
  'ClientCredentialsService/IntrospectToken INVALID_CLIENT': (scene) => introspect(scene),
  'ClientCredentialsService/RevokeToken INVALID_REQUEST': ({ call }) =>
    call('ClientCredentialsService/RevokeToken', {}, {}),
  'ClientCredentialsService/RevokeToken UNSUPPORTED_TOKEN_TYPE': async ({ call, records }) => {
    const serviceAccountId = records['service_account_id'];
    const issued = await call('ApiKeyService/IssueApiKey', { serviceAccountId, label: 'x' });
    const { apiKey: token } = issued as { readonly apiKey: string };
    await call('ClientCredentialsService/RevokeToken', { token }, {});
  },
  'ClientCredentialsService/RevokeToken INVALID_CLIENT': (scene) => revoke(scene),
  'ClientCredentialsService/ListServiceAccounts TENANT_MISMATCH': ({ call }) =>
    call('ClientCredentialsService/ListServiceAccounts', OTHER_TENANT),
  'ClientCredentialsService/CreateServiceAccount TENANT_MISMATCH': ({ call }) =>
    call('ClientCredentialsService/CreateServiceAccount', { ...CLIENT, ...OTHER_TENANT }),
  'ClientCredentialsService/CreateServiceAccount CONFLICT': ({ call }) =>
    call('ClientCredentialsService/CreateServiceAccount', { ...CLIENT, clientId: 'sync' }),
  'ClientCredentialsService/CreateServiceAccount PERMISSION_DENIED': ({ call }) =>
    call('ClientCredentialsService/CreateServiceAccount', { ...CLIENT, roles: ['SUPER_ADMIN'] }),
  'ClientCredentialsService/DisableServiceAccount CONFLICT': async ({ call, world }) => {
    const { account, as } = await world.actor({ tenantId: 'acme', roles: ['ADMIN'], interactive: false });
    await call('ClientCredentialsService/DisableServiceAccount', { serviceAccountId: account.id }, as);
  },
  'ClientCredentialsService/UpdateServiceAccount PERMISSION_DENIED': ({ call, records }) =>
    call('ClientCredentialsService/UpdateServiceAccount', {
      serviceAccountId: records['service_account_id'],
      serviceAccount: { roles: ['SUPER_ADMIN'] },
      updateMask: ['roles'],
    }),
  'ClientCredentialsService/UpdateServiceAccount FRESH_SESSION_REQUIRED': async ({ call, records, world }) => {
    const as = await signIn(world.deployment, world.admin.account, 3_600_000);
    const update = { serviceAccount: { roles: ['SALES'] }, updateMask: ['roles'] };
    await call(
      'ClientCredentialsService/UpdateServiceAccount',
      { serviceAccountId: records['service_account_id'], ...update },
      as,
    );
  },
  'ClientCredentialsService/UpdateServiceAccount CONFLICT': async ({ call, world }) => {
    const { account, as } = await world.actor({ tenantId: 'acme', roles: ['ADMIN'], interactive: false });
    const update = { serviceAccount: { roles: ['SALES'] }, updateMask: ['roles'] };
    await call('ClientCredentialsService/UpdateServiceAccount', { serviceAccountId: account.id, ...update }, as);
  },
  'ClientCredentialsService/DeleteServiceAccount CONFLICT': async ({ call, world }) => {
    const { account, as } = await world.actor({ tenantId: 'acme', roles: ['ADMIN'], interactive: false });
    await call('ClientCredentialsService/DeleteServiceAccount', { serviceAccountId: account.id }, as);
  },
  'ClientCredentialsService/CreateClientSecret VALIDATION_ERROR': ({ call, records }) =>
    call('ClientCredentialsService/CreateClientSecret', {
      serviceAccountId: records['service_account_id'],
      expiresAt: PAST,
    }),
  'ClientCredentialsService/ExpireClientSecret VALIDATION_ERROR': ({ call, records }) =>
    call('ClientCredentialsService/ExpireClientSecret', {
      serviceAccountId: records['service_account_id'],
      secretId: records['secret_id'],
      expiresAt: new Date(-1),
    }),
  'ClientCredentialsService/CreateClientSecret CONFLICT': async ({ call, records }) => {
    const serviceAccountId = records['service_account_id'];
    for (let count = 0; count < 3; count += 1)
      await call('ClientCredentialsService/CreateClientSecret', { serviceAccountId });
  },

  'IdentityService/GetMe TOKEN_MISSING': ({ call }) => call('IdentityService/GetMe', {}, {}),
  'IdentityService/GetMe TOKEN_INVALID': ({ call }) => call('IdentityService/GetMe', {}, BAD_TOKEN),
  'IdentityService/GetMe SUBJECT_UNKNOWN': async (scene) =>
    scene.call('IdentityService/GetMe', {}, await deletedUser(scene)),
  'IdentityService/VerifyAccess PERMISSION_DENIED': async ({ call, world }) => {
    const { as } = await world.actor({ tenantId: 'acme', roles: ['DELIVERY'] });
    await call('IdentityService/VerifyAccess', { permission: ['MANAGE_USERS'] }, as);
  },
  'IdentityService/VerifyAccess VALIDATION_ERROR': ({ call }) =>
    call('IdentityService/VerifyAccess', { permission: ['UNKNOWN'] }),
  'IdentityService/VerifyAccess FRESH_SESSION_REQUIRED': ({ call }) =>
    call('IdentityService/VerifyAccess', { amr: 'mfa' }),
  'IdentityService/UpdateUser FRESH_SESSION_REQUIRED': async ({ call, records, world }) => {
    const as = await signIn(world.deployment, world.admin.account, 3_600_000);
    await call('IdentityService/UpdateUser', { userId: records['user_id'], updateMask: ['email'] }, as);
  },
  'IdentityService/ChangeOwnPassword VALIDATION_ERROR': async (scene) =>
    changePassword(scene, PASSWORD, 'short', await scene.world.actor()),
  'IdentityService/ChangeOwnPassword BAD_CREDENTIALS': async (scene) =>
    changePassword(scene, 'wrong', 'Correct horse 43', await scene.world.actor()),
  'IdentityService/ChangeOwnPassword ACCOUNT_LOCKED': async (scene) =>
    changePassword(scene, PASSWORD, 'Correct horse 43', await scene.world.actor({ lockedUntil: LATER.getTime() })),
  'IdentityService/ChangeOwnPassword PRINCIPAL_NOT_ELIGIBLE': async (scene) =>
    changePassword(scene, PASSWORD, 'Correct horse 43', await scene.world.actor({ interactive: false })),
  'IdentityService/ListUsers TENANT_MISMATCH': ({ call }) => call('IdentityService/ListUsers', OTHER_TENANT),
  'IdentityService/CreateUser TENANT_MISMATCH': ({ call }) =>
    call('IdentityService/CreateUser', { ...NEW_USER, ...OTHER_TENANT }),
  'IdentityService/CreateUser CONFLICT': ({ call, world }) =>
    call('IdentityService/CreateUser', { ...NEW_USER, username: world.admin.account.username }),
  'IdentityService/CreateUser PERMISSION_DENIED': ({ call }) =>
    call('IdentityService/CreateUser', { ...NEW_USER, roles: ['SUPER_ADMIN'] }),
  'IdentityService/DeleteUser CONFLICT': ({ call, world }) =>
    call('IdentityService/DeleteUser', { userId: world.admin.account.id }),
  'IdentityService/DisableUser CONFLICT': ({ call, world }) =>
    call('IdentityService/DisableUser', { userId: world.admin.account.id }),
  'IdentityService/UpdateUser PRECONDITION_FAILED': ({ call, records }) =>
    call('IdentityService/UpdateUser', {
      userId: records['user_id'],
      user: { name: 'Changed' },
      updateMask: ['name'],
      precondition: { versions: [99] },
    }),
  'IdentityService/SetUserRoles PRECONDITION_FAILED': ({ call, records }) =>
    call('IdentityService/SetUserRoles', {
      userId: records['user_id'],
      roles: ['SALES'],
      precondition: { versions: [99] },
    }),
  'IdentityService/SecureUser CONFLICT': ({ call, world }) =>
    call('IdentityService/SecureUser', { userId: world.admin.account.id }),
  'SessionService/RevokeTenantSessions PERMISSION_DENIED': async ({ call, world }) =>
    call('SessionService/RevokeTenantSessions', { tenantId: 'acme' }, (await world.actor({ roles: ['HELP_DESK'] })).as),
  'IdentityService/SetUserPassword CONFLICT': ({ call, world }) =>
    call('IdentityService/SetUserPassword', { userId: world.admin.account.id, password: 'Correct horse 43' }),
  'IdentityService/SetUserRoles PERMISSION_DENIED': ({ call, records }) =>
    call('IdentityService/SetUserRoles', { userId: records['user_id'], roles: ['SUPER_ADMIN'] }),
  'IdentityService/SetUserRoles CONFLICT': ({ call, world }) =>
    call('IdentityService/SetUserRoles', { userId: world.admin.account.id, roles: ['SALES'] }),
  'IdentityService/UpdateUser CONFLICT': ({ call, world }) =>
    call('IdentityService/UpdateUser', {
      userId: world.admin.account.id,
      user: { accountExpiresAt: PAST },
      updateMask: ['account_expires_at'],
    }),
};
