// Every RPC that asks for a credential, with what it takes to call it on somebody's records.
import { newId } from '../../../src/platform/db/ids.ts';
import type { UserFields } from '../../../proto/gen/authservice/identity/v1/identity_service.ts';
import type { CallOptions } from '../../../src/platform/rpc/types.ts';
import { seedPasskey } from '../../support/passkeys.ts';
import type { Clients, World } from '../../support/world.ts';

/** Ids of records that may or may not exist. */
export interface Records {
  readonly tenantId: string;
  readonly userId: string;
  /** A user without a password. */
  readonly invitedId: string;
  readonly serviceAccountId: string;
  readonly secretId: string;
  readonly keyId: string;
  readonly sessionId: string;
  readonly roleName: string;
  readonly passkeyId: string;
  readonly webhookId: string;
  readonly deliveryId: string;
}

/** Calls an RPC on these records. */
type Administer = (clients: Clients, records: Records, as: CallOptions) => Promise<unknown>;

export const ADMINISTRATION: Readonly<Record<string, Administer>> = {
  'identity.getMe': ({ identity }, _, as) => identity.getMe({}, as),
  'identity.getMyAccount': ({ identity }, _, as) => identity.getMyAccount({}, as),
  'identity.verifyAccess': ({ identity }, _, as) => identity.verifyAccess({ permission: [] }, as),
  'identity.explainCredential': ({ identity }, _, as) =>
    identity.explainCredential({ credential: { $case: 'username', value: 'nobody' } }, as),
  'identity.changeOwnPassword': ({ identity }, _, as) =>
    identity.changeOwnPassword({ currentPassword: '', newPassword: '' }, as),
  'identity.createUser': ({ identity }, { tenantId }, as) => identity.createUser({ ...NEW_USER(), tenantId }, as),
  'identity.getUser': ({ identity }, { userId }, as) => identity.getUser({ userId }, as),
  'identity.listUsers': ({ identity }, { tenantId }, as) => identity.listUsers({ tenantId }, as),
  'identity.updateUser': ({ identity }, { userId }, as) =>
    identity.updateUser(userUpdate(userId, { name: 'Changed' }), as),
  'identity.setUserRoles': ({ identity }, { userId }, as) => identity.setUserRoles({ userId, roles: ['SALES'] }, as),
  'identity.disableUser': ({ identity }, { userId }, as) => identity.disableUser({ userId }, as),
  'identity.enableUser': ({ identity }, { userId }, as) => identity.enableUser({ userId }, as),
  'identity.deleteUser': ({ identity }, { userId }, as) => identity.deleteUser({ userId }, as),
  'identity.unlockUser': ({ identity }, { userId }, as) => identity.unlockUser({ userId }, as),
  'identity.setUserPassword': ({ identity }, { userId }, as) =>
    identity.setUserPassword({ userId, password: 'short' }, as),
  'email.requestEmailChange': ({ email }, _, as) => email.requestEmailChange({ email: 'new@mail.test' }, as),
  'invitation.inviteUser': ({ invitation }, { invitedId: userId }, as) => invitation.inviteUser({ userId }, as),
  'invitation.cancelInvitation': ({ invitation }, { invitedId: userId }, as) =>
    invitation.cancelInvitation({ userId }, as),
  'session.streamRevocations': async ({ session }, _, as) => {
    for await (const first of session.streamRevocations({}, as)) return first;
    return undefined;
  },
  'session.confirmSession': ({ session }, _, as) => session.confirmSession({}, as),
  'session.createConfirmationPasskeyOptions': ({ session }, _, as) => session.createConfirmationPasskeyOptions({}, as),
  'session.listMySessions': ({ session }, _, as) => session.listMySessions({}, as),
  'session.listSessions': ({ session }, _, as) => session.listSessions({}, as),
  'session.listUserSessions': ({ session }, { userId }, as) => session.listUserSessions({ userId }, as),
  'session.revokeMySession': ({ session }, { sessionId }, as) => session.revokeMySession({ sessionId }, as),
  'session.revokeMyOtherSessions': ({ session }, _, as) => session.revokeMyOtherSessions({}, as),
  'session.revokeSession': ({ session }, { sessionId }, as) => session.revokeSession({ sessionId }, as),
  'session.revokeUserSessions': ({ session }, { userId }, as) => session.revokeUserSessions({ userId }, as),
  'factor.getMyFactors': ({ factor }, _, as) => factor.getMyFactors({}, as),
  'factor.createMyTotp': ({ factor }, _, as) => factor.createMyTotp({}, as),
  'factor.confirmMyTotp': ({ factor }, _, as) => factor.confirmMyTotp({ totp: '000000' }, as),
  'factor.deleteMyTotp': ({ factor }, _, as) => factor.deleteMyTotp({}, as),
  'factor.createMyRecoveryCodes': ({ factor }, _, as) => factor.createMyRecoveryCodes({}, as),
  'factor.getUserFactors': ({ factor }, { userId }, as) => factor.getUserFactors({ userId }, as),
  'factor.deleteUserFactors': ({ factor }, { userId }, as) => factor.deleteUserFactors({ userId }, as),
  'factor.createMyPasskeyOptions': ({ factor }, _, as) => factor.createMyPasskeyOptions({}, as),
  'factor.createMyPasskey': ({ factor }, _, as) => factor.createMyPasskey({ label: 'Phone', passkey: '{}' }, as),
  'factor.updateMyPasskey': ({ factor }, { passkeyId }, as) =>
    factor.updateMyPasskey({ passkeyId, label: 'Phone' }, as),
  'factor.deleteMyPasskey': ({ factor }, { passkeyId }, as) => factor.deleteMyPasskey({ passkeyId }, as),
  'session.listSigningKeys': ({ session }, _, as) => session.listSigningKeys({}, as),
  'session.rotateSigningKey': ({ session }, _, as) => session.rotateSigningKey({}, as),
  'tenancy.createTenant': ({ tenancy }, { tenantId }, as) => tenancy.createTenant({ tenantId, name: 'Tenant' }, as),
  'tenancy.getTenant': ({ tenancy }, { tenantId }, as) => tenancy.getTenant({ tenantId }, as),
  'tenancy.listTenants': ({ tenancy }, _, as) => tenancy.listTenants({ status: 0 }, as),
  'tenancy.suspendTenant': ({ tenancy }, { tenantId }, as) => tenancy.suspendTenant({ tenantId }, as),
  'tenancy.activateTenant': ({ tenancy }, { tenantId }, as) => tenancy.activateTenant({ tenantId }, as),
  'tenancy.setLoginDomains': ({ tenancy }, { tenantId }, as) =>
    tenancy.setLoginDomains({ tenantId, loginDomains: [] }, as),
  'tenancy.getTenantPolicy': ({ tenancy }, { tenantId }, as) => tenancy.getTenantPolicy({ tenantId }, as),
  'tenancy.updateTenantPolicy': ({ tenancy }, { tenantId }, as) =>
    tenancy.updateTenantPolicy({ tenantId, policy: NO_POLICY, updateMask: ['lock_max_failures'] }, as),
  'tenancy.streamAuditRecords': async ({ tenancy }, { tenantId }, as) => {
    for await (const first of tenancy.streamAuditRecords({ tenantId, events: [] }, as)) return first;
    return undefined;
  },
  'tenancy.getAuditHead': ({ tenancy }, { tenantId }, as) => tenancy.getAuditHead({ tenantId }, as),
  'tenancy.getStatistics': ({ tenancy }, { tenantId }, as) => tenancy.getStatistics({ tenantId }, as),
  'tenancy.listMyAuditRecords': ({ tenancy }, _, as) => tenancy.listMyAuditRecords({}, as),
  'tenancy.listAuditRecords': ({ tenancy }, { tenantId }, as) => tenancy.listAuditRecords({ tenantId, events: [] }, as),
  'role.listRoles': ({ role }, { tenantId }, as) => role.listRoles({ tenantId }, as),
  'role.createRole': ({ role }, { tenantId }, as) =>
    role.createRole({ tenantId, name: newRoleName(), permissions: [], inherits: [] }, as),
  'role.getRole': ({ role }, { roleName: name }, as) => role.getRole({ name }, as),
  'role.updateRole': ({ role }, { roleName: name }, as) =>
    role.updateRole(
      { name, role: { description: 'x', permissions: [], inherits: [] }, updateMask: ['description'] },
      as,
    ),
  'role.deleteRole': ({ role }, { roleName: name }, as) => role.deleteRole({ name }, as),
  'webhook.listWebhooks': ({ webhook }, { tenantId }, as) => webhook.listWebhooks({ tenantId }, as),
  'webhook.createWebhook': ({ webhook }, { tenantId }, as) => webhook.createWebhook({ tenantId, ...NEW_WEBHOOK }, as),
  'webhook.getWebhook': ({ webhook }, { webhookId }, as) => webhook.getWebhook({ webhookId }, as),
  'webhook.updateWebhook': ({ webhook }, { webhookId }, as) =>
    webhook.updateWebhook({ webhookId, webhook: { events: [], disabled: false }, updateMask: ['disabled'] }, as),
  'webhook.deleteWebhook': ({ webhook }, { webhookId }, as) => webhook.deleteWebhook({ webhookId }, as),
  'webhook.rotateWebhookSecret': ({ webhook }, { webhookId }, as) => webhook.rotateWebhookSecret({ webhookId }, as),
  'webhook.testWebhook': ({ webhook }, { webhookId }, as) => webhook.testWebhook({ webhookId }, as),
  'webhook.listWebhookDeliveries': ({ webhook }, { webhookId }, as) =>
    webhook.listWebhookDeliveries({ webhookId, status: 0 }, as),
  'webhook.retryWebhookDelivery': ({ webhook }, { webhookId, deliveryId }, as) =>
    webhook.retryWebhookDelivery({ webhookId, deliveryId }, as),
  'clientCredentials.createServiceAccount': ({ clientCredentials }, { tenantId }, as) =>
    clientCredentials.createServiceAccount(
      { tenantId, clientId: `client-${newId()}`, name: 'Client', roles: ['SALES'] },
      as,
    ),
  'clientCredentials.getServiceAccount': ({ clientCredentials }, { serviceAccountId }, as) =>
    clientCredentials.getServiceAccount({ serviceAccountId }, as),
  'clientCredentials.listServiceAccounts': ({ clientCredentials }, { tenantId }, as) =>
    clientCredentials.listServiceAccounts({ tenantId }, as),
  'clientCredentials.updateServiceAccount': ({ clientCredentials }, { serviceAccountId }, as) =>
    clientCredentials.updateServiceAccount(
      { serviceAccountId, serviceAccount: { name: 'Changed' }, updateMask: ['name'] },
      as,
    ),
  'clientCredentials.disableServiceAccount': ({ clientCredentials }, { serviceAccountId }, as) =>
    clientCredentials.disableServiceAccount({ serviceAccountId }, as),
  'clientCredentials.enableServiceAccount': ({ clientCredentials }, { serviceAccountId }, as) =>
    clientCredentials.enableServiceAccount({ serviceAccountId }, as),
  'clientCredentials.listClientSecrets': ({ clientCredentials }, { serviceAccountId }, as) =>
    clientCredentials.listClientSecrets({ serviceAccountId }, as),
  'clientCredentials.createClientSecret': ({ clientCredentials }, { serviceAccountId }, as) =>
    clientCredentials.createClientSecret({ serviceAccountId }, as),
  'clientCredentials.expireClientSecret': ({ clientCredentials }, { serviceAccountId, secretId }, as) =>
    clientCredentials.expireClientSecret({ serviceAccountId, secretId }, as),
  'apiKey.issueApiKey': ({ apiKey }, { serviceAccountId }, as) =>
    apiKey.issueApiKey({ serviceAccountId, label: 'Key' }, as),
  'apiKey.listApiKeys': ({ apiKey }, { serviceAccountId }, as) => apiKey.listApiKeys({ serviceAccountId }, as),
  'apiKey.revokeApiKey': ({ apiKey }, { serviceAccountId, keyId }, as) =>
    apiKey.revokeApiKey({ serviceAccountId, keyId }, as),
};

/** A webhook whose address is not connected to (RFC 5737). */
export const NEW_WEBHOOK = { url: 'http://192.0.2.1/', events: ['login.succeeded'] };

/** A policy without values of its own. */
export const NO_POLICY = { allowedOrigins: [] };

/** A request that updates these fields of a user. A field that is undefined is removed. */
export const userUpdate = (userId: string, user: UserFields) => ({
  userId,
  user,
  updateMask: Object.keys(user).map((name) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)),
});

/** A name that no role has. */
export const newRoleName = () => `R${newId().replaceAll('-', '').toUpperCase()}`;

/** A request that creates a user of a name of its own. */
export const NEW_USER = () => ({
  username: `new-${newId()}@acme.test`,
  password: 'A long enough password',
  name: 'New User',
  roles: ['SALES'],
});

/** Ids under which there is nothing. */
export function missingRecords(): Records {
  return {
    tenantId: `missing-${newId().slice(0, 8)}`,
    userId: newId(),
    invitedId: newId(),
    serviceAccountId: newId(),
    secretId: newId(),
    keyId: newId(),
    sessionId: newId(),
    roleName: newRoleName(),
    passkeyId: newId(),
    webhookId: newId(),
    deliveryId: newId(),
  };
}

/** One record of each kind in a tenant. */
export async function existingRecords(world: World, tenantId: string): Promise<Records> {
  const { clients, root } = world;
  const user = await world.actor({ tenantId });
  const invited = await world.seed({ tenantId, email: 'invited@mail.test', hasPassword: false });
  const { serviceAccount } = await clients.clientCredentials.createServiceAccount(
    { tenantId, clientId: `client-${newId()}`, name: 'Client', roles: ['SALES'] },
    root.as,
  );
  const serviceAccountId = serviceAccount!.id;
  const roleName = newRoleName();
  await clients.role.createRole({ tenantId, name: roleName, permissions: [], inherits: [] }, root.as);
  const { webhook } = await clients.webhook.createWebhook({ tenantId, ...NEW_WEBHOOK }, root.as);
  const webhookId = webhook!.id;
  const { delivery } = await clients.webhook.testWebhook({ webhookId }, root.as);
  const { key } = await clients.apiKey.issueApiKey({ serviceAccountId, label: 'Key' }, root.as);
  return {
    tenantId,
    userId: user.account.id,
    invitedId: invited.id,
    serviceAccountId,
    secretId: serviceAccount!.secrets[0]!.id,
    keyId: key!.keyId,
    sessionId: user.session.id,
    roleName,
    webhookId,
    deliveryId: delivery!.id,
    passkeyId: (await seedPasskey(world.deployment.database, user.account)).id,
  };
}

/** The RPCs that ask for a credential only: every account may call them. */
export const EVERYBODY = new Set([
  'identity.getMe',
  'identity.getMyAccount',
  'identity.verifyAccess',
  'identity.changeOwnPassword',
  'email.requestEmailChange',
  'session.confirmSession',
  'session.createConfirmationPasskeyOptions',
  'session.listMySessions',
  'tenancy.listMyAuditRecords',
  'session.revokeSession',
  'session.revokeMySession',
  'session.revokeMyOtherSessions',
  'factor.getMyFactors',
  'factor.createMyTotp',
  'factor.confirmMyTotp',
  'factor.deleteMyTotp',
  'factor.createMyRecoveryCodes',
  'factor.createMyPasskeyOptions',
  'factor.createMyPasskey',
  'factor.updateMyPasskey',
  'factor.deleteMyPasskey',
]);
