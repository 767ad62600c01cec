// Calls of FactorService that provoke its declared errors.
import { SecondFactorPolicy } from '../../../proto/gen/authservice/tenancy/v1/tenancy_service.ts';
import { createAuthenticator, type Authenticator } from '../../support/authenticator.ts';
import { addPasskey, ORIGIN, seedPasskey } from '../../support/passkeys.ts';
import { codeAt, wrongCode } from '../../support/totp.ts';
import { clientsOf, type Actor } from '../../support/world.ts';
import type { Calls, Scene } from './scene.ts';

const clients = ({ world }: Scene) => clientsOf(world.deployment);
const asServiceAccount = async (rpc: string, { call, world }: Scene) =>
  call(rpc, {}, (await world.actor({ interactive: false })).as);

/** Creates a passkey of an authenticator, with options for another caller. */
async function createWith(
  scene: Scene,
  by: Actor,
  options: Actor,
  ceremony: Parameters<Authenticator['create']>[1] = {},
) {
  const { factor } = clients(scene);
  const created = JSON.parse((await factor.createMyPasskeyOptions({}, options.as)).options) as unknown;
  const passkey = JSON.stringify(createAuthenticator({ origin: ORIGIN }).create(created, ceremony));
  return factor.createMyPasskey({ label: 'Phone', passkey }, by.as);
}

async function withManyPasskeys({ world }: Scene): Promise<Actor> {
  const actor = await world.actor();
  for (let count = 0; count < 20; count += 1) await seedPasskey(world.deployment.database, actor.account);
  return actor;
}

/** A user of a tenant that requires a second factor. */
async function strictUser({ call, world }: Scene): Promise<Actor> {
  const user = await world.actor({ tenantId: 'strict' });
  const policy = { allowedOrigins: [], secondFactor: SecondFactorPolicy.SECOND_FACTOR_POLICY_REQUIRED };
  const change = { tenantId: 'strict', policy, updateMask: ['second_factor'] };
  await call('TenancyService/UpdateTenantPolicy', change, world.root.as);
  return user;
}

const ofServiceAccounts = (...names: readonly string[]): Calls =>
  Object.fromEntries(
    names.map((name) => [
      `FactorService/${name} PERMISSION_DENIED`,
      (scene: Scene) => asServiceAccount(`FactorService/${name}`, scene),
    ]),
  );

export const FACTOR_CALLS: Calls = {
  'FactorService/ConfirmMyTotp SECOND_FACTOR_INVALID': async ({ call, world }) => {
    const { as } = await world.actor();
    const { secret } = (await call('FactorService/CreateMyTotp', {}, as)) as { readonly secret: string };
    await call('FactorService/ConfirmMyTotp', { totp: wrongCode(secret, world.deployment.clock.now()) }, as);
  },
  'FactorService/ConfirmMyTotp CONFLICT': ({ call }) => call('FactorService/ConfirmMyTotp', { totp: '123456' }),
  'FactorService/CreateAccessCode CONFLICT': async ({ call, world }) =>
    call('FactorService/CreateAccessCode', { userId: (await world.seed()).id, minutes: 15 }),
  'FactorService/DeleteUserFactor CONFLICT': ({ call, world }) =>
    call('FactorService/DeleteUserFactor', { userId: world.admin.account.id, factorId: 'totp' }),
  'FactorService/CreateMyRecoveryCodes CONFLICT': ({ call }) => call('FactorService/CreateMyRecoveryCodes'),
  'FactorService/DeleteMyTotp CONFLICT': async (scene) => {
    const { call, world } = scene;
    const { as } = await strictUser(scene);
    const { secret } = (await call('FactorService/CreateMyTotp', {}, as)) as { readonly secret: string };
    await call('FactorService/ConfirmMyTotp', { totp: codeAt(secret, world.deployment.clock.now()) }, as);
    await call('FactorService/DeleteMyTotp', {}, as);
  },
  'FactorService/DeleteUserFactors CONFLICT': ({ call, world }) =>
    call('FactorService/DeleteUserFactors', { userId: world.admin.account.id }),
  ...ofServiceAccounts('GetMyFactors', 'CreateMyTotp', 'ConfirmMyTotp', 'DeleteMyTotp', 'CreateMyRecoveryCodes'),
};

/** In a service with passkeys. */
export const PASSKEY_CALLS: Calls = {
  'FactorService/CreateMyPasskeyOptions CONFLICT': async (scene) =>
    clients(scene).factor.createMyPasskeyOptions({}, (await withManyPasskeys(scene)).as),
  'FactorService/CreateMyPasskey VALIDATION_ERROR': async ({ call, world }) =>
    call('FactorService/CreateMyPasskey', {}, world.admin.as),
  'FactorService/CreateMyPasskey CHALLENGE_INVALID': async (scene) =>
    createWith(scene, await scene.world.actor(), await scene.world.actor()),
  'FactorService/CreateMyPasskey SECOND_FACTOR_INVALID': async (scene) => {
    const actor = await scene.world.actor();
    await createWith(scene, actor, actor, { origin: 'https://evil.test' });
  },
  'FactorService/CreateMyPasskey CONFLICT': async (scene) => {
    const { authenticator } = await addPasskey(clients(scene), (await scene.world.actor()).as);
    await addPasskey(clients(scene), (await scene.world.actor()).as, authenticator);
  },
  'FactorService/DeleteMyPasskey CONFLICT': async (scene) => {
    const { account, as } = await strictUser(scene);
    const { id: passkeyId } = await seedPasskey(scene.world.deployment.database, account);
    await scene.call('FactorService/DeleteMyPasskey', { passkeyId }, as);
  },
  'FactorService/UpdateMyPasskey VALIDATION_ERROR': async ({ call, world }) => {
    const { account, as } = await world.actor();
    const { id: passkeyId } = await seedPasskey(world.deployment.database, account);
    await call('FactorService/UpdateMyPasskey', { passkeyId, label: '' }, as);
  },
  ...ofServiceAccounts('CreateMyPasskeyOptions', 'CreateMyPasskey', 'UpdateMyPasskey', 'DeleteMyPasskey'),
};
