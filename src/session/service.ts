import { SessionServiceService } from '../../proto/gen/session/v1/session_service.ts';
import { implement, type Service } from '../rpc/service.ts';
import type { SigningKeys } from '../token/signing-keys.ts';
import { createLogin, type LoginDependencies } from './login.ts';
import { createLogout, type LogoutDependencies } from './logout.ts';
import { createRefresh, type RefreshDependencies } from './refresh-session.ts';

export type SessionDependencies = LoginDependencies &
  RefreshDependencies &
  LogoutDependencies & { readonly keys: SigningKeys };

export function sessionService(dependencies: SessionDependencies): Service {
  return implement(
    SessionServiceService,
    {
      login: createLogin(dependencies),
      refresh: createRefresh(dependencies),
      logout: createLogout(dependencies),
      getJsonWebKeySet: async () => ({ json: JSON.stringify(dependencies.keys.jsonWebKeySet()) }),
    },
    { unavailable: 'AUTHENTICATION_SERVICE_UNAVAILABLE' },
  );
}
