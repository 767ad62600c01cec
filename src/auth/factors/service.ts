// The second factors of accounts.
import { FactorServiceService } from '../../../proto/gen/authservice/factor/v1/factor_service.ts';
import { implement, type Service } from '../../platform/rpc/service.ts';
import type { Principal } from '../access/principal.ts';
import { userFactorHandlers, type UserFactorsDependencies } from './administration/user-factors.ts';
import { ownFactorHandlers, type OwnFactorsDependencies } from './own/own-factors.ts';
import { ownPasskeyHandlers, type OwnPasskeysDependencies } from './own/own-passkeys.ts';
import { ownTotpHandlers, type OwnTotpDependencies } from './own/own-totp.ts';

type FactorDependencies = OwnFactorsDependencies &
  OwnPasskeysDependencies &
  OwnTotpDependencies &
  UserFactorsDependencies;

export function factorService(dependencies: FactorDependencies): Service<Principal> {
  return implement(
    FactorServiceService,
    {
      ...ownFactorHandlers(dependencies),
      ...ownTotpHandlers(dependencies),
      ...ownPasskeyHandlers(dependencies),
      ...userFactorHandlers(dependencies),
    },
    { unavailable: 'AUTHENTICATION_SERVICE_UNAVAILABLE' },
  );
}
