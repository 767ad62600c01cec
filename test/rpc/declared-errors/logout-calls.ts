// Calls of logouts by applications that provoke their declared errors.
import { RefreshTokenTransport } from '../../../proto/gen/authservice/session/v1/session_service.ts';
import { insertDeliveries } from '../../../src/auth/delivery/outbox.ts';
import { LOGOUT_EVENT } from '../../../src/auth/oauth/logout/logout-receiver.ts';
import { newId } from '../../../src/platform/db/ids.ts';
import type { CallOptions } from '../../../src/platform/rpc/types.ts';
import { BAD_TOKEN, deletedUser, UNKNOWN, type Calls, type Message, type Scene } from './scene.ts';

const COOKIE = RefreshTokenTransport.REFRESH_TOKEN_TRANSPORT_COOKIE;

const endSession = ({ call }: Scene) => call('AuthorizationService/EndSession', {}, {});
const confirm = ({ call }: Scene, as: CallOptions, fields: Message = { requestId: UNKNOWN }) =>
  call('AuthorizationService/ConfirmLogout', fields, as);

/** As the calls of all RPCs, in a deployment with one place for open requests. */
export const LIMITED_LOGOUT_CALLS: Calls = {
  'AuthorizationService/EndSession TOO_MANY_REQUESTS': async (scene) => {
    await endSession(scene);
    await endSession(scene);
  },
  'AuthorizationService/StoreLogoutRequest TOO_MANY_REQUESTS': async (scene) => {
    await endSession(scene).catch(() => undefined);
    await scene.call('AuthorizationService/StoreLogoutRequest', { parameters: 'state=x' }, {});
  },
};

export const LOGOUT_CALLS: Calls = {
  'ApplicationService/RetryApplicationDelivery CONFLICT': async ({ call, world, records }) => {
    const receiver = { tenantId: 'acme', id: records['application_id']! };
    const deliveryId = newId();
    const delivery = { receiver, id: deliveryId, sequence: 0, event: LOGOUT_EVENT, content: { payload: '{}' } };
    await insertDeliveries(world.deployment.database, [{ ...delivery, createdAt: world.deployment.clock.now() }]);
    return call('ApplicationService/RetryApplicationDelivery', { applicationId: receiver.id, deliveryId });
  },
  'AuthorizationService/ConfirmLogout TOKEN_MISSING': (scene) => confirm(scene, {}),
  'AuthorizationService/ConfirmLogout TOKEN_INVALID': (scene) => confirm(scene, BAD_TOKEN),
  'AuthorizationService/ConfirmLogout SUBJECT_UNKNOWN': async (scene) => confirm(scene, await deletedUser(scene)),
  'AuthorizationService/ConfirmLogout PERMISSION_DENIED': async (scene) => {
    const { logoutRequest: requestId } = (await endSession(scene)) as { logoutRequest: string };
    return confirm(scene, {}, { requestId, refreshTokenTransport: COOKIE });
  },
};
