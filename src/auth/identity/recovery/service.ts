// Recovery of a forgotten password by mail.
// Decides: whether a recovery is sent, which its caller cannot tell, and whether a link still changes the password.
// States: a link is open until it is used, expires, or the password or the address of its account changes.
// Tables: none (the links are those of `mail`).
// Routes: /auth/recovery, /auth/recovery/confirm, /users/:userId/recovery.
import { RecoveryServiceService } from '../../../../proto/gen/authservice/identity/v1/recovery_service.ts';
import { implement, type Service } from '../../../platform/rpc/service.ts';
import type { Principal } from '../../access/principal.ts';
import { createConfirmRecovery, type ConfirmRecoveryDependencies } from './confirm-recovery.ts';
import { createRequestRecovery, type RequestRecoveryDependencies } from './request-recovery.ts';
import { createSendRecovery, type SendRecoveryDependencies } from './send-recovery.ts';

export function recoveryService(
  dependencies: RequestRecoveryDependencies & ConfirmRecoveryDependencies & SendRecoveryDependencies,
): Service<Principal> {
  return implement(
    RecoveryServiceService,
    {
      requestRecovery: createRequestRecovery(dependencies),
      sendRecovery: createSendRecovery(dependencies),
      confirmRecovery: createConfirmRecovery(dependencies),
    },
    { unavailable: 'AUTHENTICATION_SERVICE_UNAVAILABLE' },
  );
}
