// The second factors of accounts.
import { FactorServiceService } from '../../../proto/gen/authservice/factor/v1/factor_service.ts';
import { implement, type Service } from '../../platform/rpc/service.ts';
import type { Principal } from '../principal/principal.ts';
import { ownPasskeyHandlers, type OwnPasskeysDependencies } from './own/own-passkeys.ts';

export function factorService(dependencies: OwnPasskeysDependencies): Service<Principal> {
  return implement(
    FactorServiceService,
    { ...ownPasskeyHandlers(dependencies) },
    { unavailable: 'AUTHENTICATION_SERVICE_UNAVAILABLE' },
  );
}
