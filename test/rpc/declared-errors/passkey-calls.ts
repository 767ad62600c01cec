// Calls of SessionService that provoke the declared errors of logins with passkeys.
import { RefreshTokenTransport } from '../../../proto/gen/authservice/session/v1/session_service.ts';
import { idToBytes } from '../../../src/platform/db/ids.ts';
import type { RpcError } from '../../../src/platform/rpc/errors/rpc-error.ts';
import { createAuthenticator, type Ceremony } from '../../support/authenticator.ts';
import { addPasskey, ORIGIN } from '../../support/passkeys.ts';
import { clientsOf } from '../../support/world.ts';
import { login } from './session-calls.ts';
import type { Calls, Scene } from './scene.ts';

const refreshTokenTransport = RefreshTokenTransport.REFRESH_TOKEN_TRANSPORT_BODY;
const UNKNOWN = { challenge: 'garbage', passkey: '{}', rememberMe: false, refreshTokenTransport };

export const createSecondFactorOptions = ({ clients }: Scene) =>
  clients.session.createSecondFactorPasskeyOptions({ challenge: 'garbage', refreshTokenTransport });
export const loginWithUnknownPasskey = ({ clients }: Scene) => clients.session.loginWithPasskey(UNKNOWN);

/** An account with a passkey, and a change of its columns. */
async function ownerIn({ world }: Scene, change = '') {
  const { account, as } = await world.actor();
  const { authenticator } = await addPasskey(clientsOf(world.deployment), as);
  const sql = `UPDATE accounts SET ${change} WHERE id = ?`;
  if (change !== '') await world.deployment.database.execute(sql, [idToBytes(account.id)]);
  return { account, authenticator };
}

async function logIn(
  { clients }: Scene,
  authenticator = createAuthenticator({ origin: ORIGIN }),
  ceremony: Ceremony = {},
) {
  const { challenge, options } = await clients.session.createPasskeyLoginOptions({});
  const passkey = JSON.stringify(authenticator.get(JSON.parse(options), ceremony));
  return clients.session.loginWithPasskey({ ...UNKNOWN, challenge, passkey });
}
const logInAfter = async (scene: Scene, change: string) => logIn(scene, (await ownerIn(scene, change)).authenticator);

/** In a service without passkeys. */
export const WITHOUT_PASSKEYS_CALLS: Calls = {
  'SessionService/CreateSecondFactorPasskeyOptions NOT_FOUND': createSecondFactorOptions,
  'SessionService/LoginWithPasskey NOT_FOUND': loginWithUnknownPasskey,
};

/** In a service with passkeys. */
export const PASSKEY_LOGIN_CALLS: Calls = {
  'SessionService/CreatePasskeyLoginOptions VALIDATION_ERROR': ({ clients }) =>
    clients.session.createPasskeyLoginOptions({ browserOrigin: 'x'.repeat(301) }),
  'SessionService/CreateSecondFactorPasskeyOptions CHALLENGE_INVALID': createSecondFactorOptions,
  'SessionService/CreateSecondFactorPasskeyOptions SECOND_FACTOR_INVALID': async (scene) => {
    const { account } = await ownerIn(scene);
    const error: unknown = await login(scene, account.username).catch((thrown: unknown) => thrown);
    const { challenge } = (error as RpcError).status.challenge!;
    const { database } = scene.world.deployment;
    await database.execute('DELETE FROM passkeys WHERE account_id = ?', [idToBytes(account.id)]);
    await scene.clients.session.createSecondFactorPasskeyOptions({ challenge, refreshTokenTransport });
  },
  'SessionService/LoginWithPasskey CHALLENGE_INVALID': loginWithUnknownPasskey,
  'SessionService/LoginWithPasskey SECOND_FACTOR_INVALID': (scene) => logIn(scene, undefined, { userHandle: 'AAAA' }),
  'SessionService/LoginWithPasskey LOGIN_POLICY_REJECTED': (scene) => logInAfter(scene, 'interactive = 0'),
  'SessionService/LoginWithPasskey ACCOUNT_DISABLED': (scene) => logInAfter(scene, 'disabled = 1'),
  'SessionService/LoginWithPasskey ACCOUNT_EXPIRED': (scene) => logInAfter(scene, 'account_expires_at = 1'),
};
