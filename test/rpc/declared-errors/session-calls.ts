// Calls of SessionService and TenancyService that provoke their declared errors.
import { AuditExportFormat } from '../../../proto/gen/authservice/audit/v1/audit_service.ts';
import { RequestOrigin } from '../../../proto/gen/authservice/session/v1/session_service.ts';
import { SecondFactorPolicy } from '../../../proto/gen/authservice/tenancy/v1/tenancy_service.ts';
import { idToBytes } from '../../../src/platform/db/ids.ts';
import type { RpcError } from '../../../src/platform/rpc/errors/rpc-error.ts';
import type { CallOptions } from '../../../src/platform/rpc/types.ts';
import { PASSWORD, type Seed } from '../../support/accounts.ts';
import { authorizedBy, seedTokens, signIn } from '../../support/sessions.ts';
import { seedClient } from '../../rest/m2m/clients.ts';
import { seedTotp, wrongCode, type TotpOwner } from '../../support/factors.ts';
import { outcomeOf, refusal } from '../../support/rpc-outcomes.ts';
import { NO_POLICY } from '../admin/rpcs.ts';
import { BAD_TOKEN, BODY, deletedUser, LATER, OTHER_TENANT, PAST, type Calls, type Scene } from './scene.ts';

const NO_ORIGIN = RequestOrigin.REQUEST_ORIGIN_UNSPECIFIED;

export const login = ({ clients }: Scene, username: string, password = PASSWORD) =>
  clients.session.login({ username, password, rememberMe: false, refreshTokenTransport: BODY }, {});
const loginAs = async (scene: Scene, seed: Seed) => login(scene, (await scene.world.seed(seed)).username);
export const refresh = ({ clients }: Scene, ...refreshTokens: string[]) =>
  clients.session.refresh({ refreshTokens, origin: NO_ORIGIN, refreshTokenTransport: BODY }, {});
const ownerIn = ({ world }: Scene): Promise<TotpOwner> => seedTotp(world.deployment);
async function challengeOf(scene: Scene, { account }: TotpOwner): Promise<string> {
  const error: unknown = await login(scene, account.username).catch((thrown: unknown) => thrown);
  return (error as RpcError).status.challenge!.challenge;
}
const WRONG_CODE = { $case: 'recoveryCode', value: 'AAAA-AAAA-AAAA-AAAA' } as const;
export const complete = ({ clients }: Scene, challenge: string) =>
  clients.session.completeLogin({ challenge, proof: WRONG_CODE, refreshTokenTransport: BODY });
export const startEnrolment = ({ clients }: Scene) =>
  clients.session.startEnrolment({ challenge: 'garbage', method: 1, refreshTokenTransport: BODY });

/** Completes a login after a change of columns of its account. */
async function completeAfter(scene: Scene, columns: Readonly<Record<string, number>>): Promise<void> {
  const owner = await ownerIn(scene);
  const challenge = await challengeOf(scene, owner);
  const assignments = Object.keys(columns).map((column) => `${column} = ?`);
  const values = [...Object.values(columns), idToBytes(owner.account.id)];
  await scene.world.deployment.database.execute(`UPDATE accounts SET ${assignments.join(', ')} WHERE id = ?`, values);
  await complete(scene, challenge);
}

async function loginToEnrol(scene: Scene): Promise<void> {
  const { username } = await scene.world.seed({ tenantId: 'strict' });
  await requireFactors(scene);
  await login(scene, username);
}

async function requireFactors(scene: Scene): Promise<void> {
  const policy = { ...NO_POLICY, secondFactor: SecondFactorPolicy.SECOND_FACTOR_POLICY_REQUIRED };
  const request = { tenantId: 'strict', policy, updateMask: ['second_factor'] };
  await scene.clients.tenancy.updateTenantPolicy(request, scene.world.root.as);
}

const makeTemporary = ({ world }: Scene, { id }: { readonly id: string }, change = '') =>
  world.deployment.database.execute(
    `UPDATE accounts SET password_temporary_until = 9007199254740991 ${change} WHERE id = ?`,
    [idToBytes(id)],
  );

async function temporaryUser(scene: Scene) {
  const account = await scene.world.seed();
  await makeTemporary(scene, account);
  return account;
}

/** Logs in with a temporary password. Returns the challenge. */
async function challengeToReplace(scene: Scene, { username }: { readonly username: string }): Promise<string> {
  return (await refusal(login(scene, username))).challenge!.challenge;
}

export const replace = ({ call }: Scene, challenge: string, newPassword = 'another long password') =>
  call('SessionService/ChangeTemporaryPassword', { challenge, newPassword, refreshTokenTransport: BODY });

/** Replaces a temporary password after a change of the account's columns. */
async function replaceAfter(scene: Scene, change: string): Promise<void> {
  const account = await temporaryUser(scene);
  const challenge = await challengeToReplace(scene, account);
  await makeTemporary(scene, account, `, ${change}`);
  await replace(scene, challenge);
}

const logout = ({ clients }: Scene, as: CallOptions, refreshTokens: string[] = [], browserOrigin?: string) =>
  clients.session.logout({ refreshTokens, refreshTokenTransport: BODY, browserOrigin }, as);
export const confirm = ({ call }: Scene, { as }: { readonly as: CallOptions }, value = PASSWORD, $case = 'password') =>
  call('SessionService/ConfirmSession', { proof: { $case, value } }, as);
/** A session of an account with a TOTP, and a change of its columns. */
async function sessionWithTotp(scene: Scene, change = 'name = name') {
  const owner = await ownerIn(scene);
  const { database } = scene.world.deployment;
  await database.execute(`UPDATE accounts SET ${change} WHERE id = ?`, [idToBytes(owner.account.id)]);
  return { ...owner, as: await signIn(scene.world.deployment, owner.account) };
}
export async function machineIn({ clients, world }: Scene): Promise<CallOptions> {
  const client = await seedClient(world.deployment.database);
  const grant = { grantType: 'client_credentials', clientId: client.id, clientSecret: client.secret };
  return authorizedBy(await clients.clientCredentials.issueToken(grant));
}

export const SESSION_CALLS: Calls = {
  'SessionService/Login VALIDATION_ERROR': (scene) => login(scene, ''),
  'SessionService/Login BAD_CREDENTIALS': async (scene) => login(scene, (await scene.world.seed()).username, 'wrong'),
  'SessionService/Login ACCOUNT_NOT_FOUND': (scene) => login(scene, 'nobody'),
  'SessionService/Login LOGIN_POLICY_REJECTED': (scene) => loginAs(scene, { interactive: false }),
  'SessionService/Login ACCOUNT_LOCKED': (scene) => loginAs(scene, { lockedUntil: LATER.getTime() }),
  'SessionService/Login ACCOUNT_DISABLED': (scene) => loginAs(scene, { disabled: true }),
  'SessionService/Login ACCOUNT_EXPIRED': (scene) => loginAs(scene, { accountExpiresAt: PAST.getTime() }),
  'SessionService/Login CREDENTIALS_EXPIRED': (scene) => loginAs(scene, { credentialsExpireAt: PAST.getTime() }),
  'SessionService/Login SECOND_FACTOR_REQUIRED': async (scene) => login(scene, (await ownerIn(scene)).account.username),
  'SessionService/Login SECOND_FACTOR_ENROLMENT_REQUIRED': (scene) => loginToEnrol(scene),
  'SessionService/Login PASSWORD_CHANGE_REQUIRED': async (scene) => login(scene, (await temporaryUser(scene)).username),
  'SessionService/ChangeTemporaryPassword CHALLENGE_INVALID': (scene) => replace(scene, 'garbage'),
  'SessionService/ChangeTemporaryPassword VALIDATION_ERROR': async (scene) =>
    replace(scene, await challengeToReplace(scene, await temporaryUser(scene)), PASSWORD),
  'SessionService/ChangeTemporaryPassword LOGIN_POLICY_REJECTED': (scene) => replaceAfter(scene, 'interactive = 0'),
  'SessionService/ChangeTemporaryPassword ACCOUNT_DISABLED': (scene) => replaceAfter(scene, 'disabled = 1'),
  'SessionService/ChangeTemporaryPassword ACCOUNT_EXPIRED': (scene) => replaceAfter(scene, 'account_expires_at = 1'),
  'SessionService/ChangeTemporaryPassword CREDENTIALS_EXPIRED': (scene) =>
    replaceAfter(scene, 'credentials_expire_at = 1'),
  'SessionService/ChangeTemporaryPassword SECOND_FACTOR_REQUIRED': async (scene) => {
    const { account } = await ownerIn(scene);
    await makeTemporary(scene, account);
    await replace(scene, await challengeToReplace(scene, account));
  },
  'SessionService/ChangeTemporaryPassword SECOND_FACTOR_ENROLMENT_REQUIRED': async (scene) => {
    await requireFactors(scene);
    const account = await scene.world.seed({ tenantId: 'strict' });
    await makeTemporary(scene, account);
    await replace(scene, await challengeToReplace(scene, account));
  },
  'SessionService/CompleteLogin CHALLENGE_INVALID': (scene) => complete(scene, 'garbage'),
  'SessionService/CompleteLogin LOGIN_POLICY_REJECTED': (scene) => completeAfter(scene, { interactive: 0 }),
  'SessionService/CompleteLogin ACCOUNT_DISABLED': (scene) => completeAfter(scene, { disabled: 1 }),
  'SessionService/CompleteLogin ACCOUNT_EXPIRED': (scene) => completeAfter(scene, { account_expires_at: 1 }),
  'SessionService/CompleteLogin CREDENTIALS_EXPIRED': (scene) => completeAfter(scene, { credentials_expire_at: 1 }),
  'SessionService/CompleteLogin SECOND_FACTOR_INVALID': async (scene) =>
    complete(scene, await challengeOf(scene, await ownerIn(scene))),
  'SessionService/CompleteLogin SECOND_FACTOR_LOCKED': async (scene) => {
    const owner = await ownerIn(scene);
    const challenge = await challengeOf(scene, owner);
    for (let count = 0; count < 5; count += 1) await outcomeOf(complete(scene, challenge));
    await complete(scene, await challengeOf(scene, owner));
  },
  'SessionService/StartEnrolment CHALLENGE_INVALID': (scene) => startEnrolment(scene),
  'SessionService/Refresh REFRESH_SESSION_INVALID': (scene) => refresh(scene, 'garbage'),
  'SessionService/Logout TOKEN_MISSING': (scene) => logout(scene, {}),
  'SessionService/Logout TOKEN_INVALID': (scene) => logout(scene, BAD_TOKEN),
  'SessionService/Logout SUBJECT_UNKNOWN': async (scene) => logout(scene, await deletedUser(scene)),
  'SessionService/Logout REFRESH_SESSION_INVALID': async (scene) => {
    const { account, as } = await scene.world.actor();
    const { refreshToken } = await seedTokens(scene.world.deployment, account);
    const browserOrigin = 'https://shop.example';
    const refreshed = await scene.clients.session.refresh(
      { refreshTokens: [refreshToken], origin: NO_ORIGIN, refreshTokenTransport: BODY, browserOrigin },
      {},
    );
    await logout(scene, as, [refreshed.refreshToken!], 'https://other.example');
  },
  'SessionService/Logout VALIDATION_ERROR': ({ clients, world }) =>
    clients.session.logout({ refreshTokens: ['x'.repeat(65_537)], refreshTokenTransport: BODY }, world.admin.as),
  'SessionService/ConfirmSession VALIDATION_ERROR': ({ call }) => call('SessionService/ConfirmSession'),
  'SessionService/ConfirmSession BAD_CREDENTIALS': async (scene) => confirm(scene, await scene.world.actor(), 'wrong'),
  'SessionService/ConfirmSession ACCOUNT_LOCKED': async (scene) =>
    confirm(scene, await scene.world.actor({ lockedUntil: LATER.getTime() })),
  'SessionService/ConfirmSession CREDENTIALS_EXPIRED': async (scene) =>
    confirm(scene, await scene.world.actor({ credentialsExpireAt: PAST.getTime() })),
  'SessionService/ConfirmSession PERMISSION_DENIED': async (scene) => confirm(scene, { as: await machineIn(scene) }),
  'SessionService/ConfirmSession SECOND_FACTOR_REQUIRED': async (scene) => confirm(scene, await sessionWithTotp(scene)),
  'SessionService/ConfirmSession LOGIN_POLICY_REJECTED': async (scene) =>
    confirm(scene, await sessionWithTotp(scene, "factors = 'recovery-code'")),
  'SessionService/ConfirmSession SECOND_FACTOR_INVALID': async (scene) =>
    confirm(scene, await scene.world.actor(), '123456', 'totp'),
  'SessionService/ConfirmSession SECOND_FACTOR_LOCKED': async (scene) => {
    const owner = await sessionWithTotp(scene);
    const guess = () => confirm(scene, owner, wrongCode(owner), 'totp');
    for (let count = 0; count < 5; count += 1) await outcomeOf(guess());
    await guess();
  },
  'SessionService/CreateConfirmationPasskeyOptions NOT_FOUND': async ({ call, world }) =>
    call('SessionService/CreateConfirmationPasskeyOptions', {}, (await world.actor()).as),
  'SessionService/CreateConfirmationPasskeyOptions PERMISSION_DENIED': async (scene) =>
    scene.call('SessionService/CreateConfirmationPasskeyOptions', {}, await machineIn(scene)),
  'KeyService/RotateSigningKey CONFLICT': async ({ call, world }) => {
    await call('KeyService/RotateSigningKey', {}, world.root.as);
    await call('KeyService/RotateSigningKey', {}, world.root.as);
  },
  'KeyService/RevokeSigningKey NOT_FOUND': ({ call, world }) =>
    call('KeyService/RevokeSigningKey', { kid: 'unknown' }, world.root.as),
  'KeyService/RevokeSigningKey VALIDATION_ERROR': async ({ call, clients, world }) => {
    const { keys } = await clients.key.listSigningKeys({}, world.root.as);
    await call('KeyService/RevokeSigningKey', { kid: keys[0]!.kid, reason: TOO_LONG }, world.root.as);
  },

  'TenancyService/CreateTenant CONFLICT': ({ call, world }) =>
    call('TenancyService/CreateTenant', { tenantId: 'acme', name: 'Acme' }, world.root.as),
  'TenancyService/SetLoginDomains VALIDATION_ERROR': ({ call, world }) =>
    call('TenancyService/SetLoginDomains', { tenantId: 'acme', loginDomains: ['no domain'] }, world.root.as),
  'TenancyService/SetLoginDomains CONFLICT': async ({ call, world }) => {
    for (const tenantId of ['acme', 'globex'])
      await call('TenancyService/SetLoginDomains', { tenantId, loginDomains: ['acme.example'] }, world.root.as);
  },
  'TenancyService/UpdateTenantPolicy PRECONDITION_FAILED': ({ call, world }) =>
    call(
      'TenancyService/UpdateTenantPolicy',
      { tenantId: 'acme', updateMask: ['lock_max_failures'], precondition: { versions: [99] } },
      world.root.as,
    ),
  'SessionService/RevokeSession VALIDATION_ERROR': async ({ call, world }) => {
    const { session } = await world.actor();
    await call('SessionService/RevokeSession', { sessionId: session.id, reason: TOO_LONG });
  },
  'SessionService/RevokeUserSessions VALIDATION_ERROR': async ({ call, world }) =>
    call('SessionService/RevokeUserSessions', { userId: (await world.seed()).id, reason: TOO_LONG }),
  'AuditService/ListAuditRecords TENANT_MISMATCH': ({ call }) => call('AuditService/ListAuditRecords', OTHER_TENANT),
  'AuditService/StreamAuditRecords TENANT_MISMATCH': ({ clients, world }) =>
    firstOf(clients.audit.streamAuditRecords({ events: [], tenantId: OTHER_TENANT.tenantId }, world.admin.as)),
  'AuditService/StreamAuditRecords VALIDATION_ERROR': ({ clients, world }) =>
    firstOf(clients.audit.streamAuditRecords({ events: [], after: 'no cursor' }, world.root.as)),
  'AuditService/ExportAuditRecords TENANT_MISMATCH': ({ clients, world }) =>
    firstOf(clients.audit.exportAuditRecords({ ...TO_EXPORT, tenantId: OTHER_TENANT.tenantId }, world.admin.as)),
  'AuditService/ExportAuditRecords VALIDATION_ERROR': ({ clients, world }) =>
    firstOf(clients.audit.exportAuditRecords({ ...TO_EXPORT, address: 'no address' }, world.root.as)),
  'AuditService/GetAuditHead TENANT_MISMATCH': ({ call }) => call('AuditService/GetAuditHead', OTHER_TENANT),
  'AuditService/GetAuditHead VALIDATION_ERROR': ({ call, world }) =>
    call('AuditService/GetAuditHead', { tenantId: 'no slug' }, world.root.as),
  'AuditService/GetStatistics TENANT_MISMATCH': ({ call }) => call('AuditService/GetStatistics', OTHER_TENANT),
  'AuditService/GetStatistics VALIDATION_ERROR': ({ call, world }) =>
    call('AuditService/GetStatistics', { tenantId: 'no slug' }, world.root.as),
  'SessionService/ListSessions TENANT_MISMATCH': ({ call }) => call('SessionService/ListSessions', OTHER_TENANT),
};

const TOO_LONG = 'x'.repeat(501);
const TO_EXPORT = { events: [], format: AuditExportFormat.AUDIT_EXPORT_FORMAT_CSV };

/** Returns the first message of a stream, and ends it. */
async function firstOf<Message>(messages: AsyncIterable<Message>): Promise<Message | undefined> {
  for await (const message of messages) return message;
  return undefined;
}
