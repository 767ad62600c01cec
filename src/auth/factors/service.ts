// Second factors of accounts: passwords of the hour (TOTP), passkeys, recovery codes.
// Decides: which factors a login needs (`decide-factors.ts`), whether a response proves one, and whether the last one may go.
// States: TOTP is waiting to be confirmed, then confirmed. A challenge of a login is open until it is answered, spent or expires. A
// recovery code is unused or used.
// Tables: account_factors, accounts, login_challenges, passkeys, recovery_codes, used_challenges.
// Routes: /account/factors, /account/factors/{totp, totp/confirm, passkeys, passkeys/options, passkeys/:passkeyId, recovery-codes},
// /users/:userId/factors, /users/:userId/factors/:factorId, /users/:userId/access-code.
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
