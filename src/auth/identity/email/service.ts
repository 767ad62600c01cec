// The e-mail addresses of accounts, proven by mail.
// Decides: whether a change may begin, whether its link still confirms it, and whether the old address may stop it.
// States: a change is open until it is confirmed or stopped, expires, or the session that asked for it ends.
// Tables: none (the links are those of `mail`).
// Routes: /account/email, /auth/email/{confirm, stop}.
import { EmailServiceService } from '../../../../proto/gen/authservice/identity/v1/email_service.ts';
import { implement, type Service } from '../../../platform/rpc/service.ts';
import type { Principal } from '../../access/principal.ts';
import { createConfirmEmail, type ConfirmEmailDependencies } from './confirm-email.ts';
import { createRequestEmailChange, type RequestEmailChangeDependencies } from './request-email-change.ts';
import { createStopEmailChange, type StopEmailChangeDependencies } from './stop-email-change.ts';

export function emailService(
  dependencies: RequestEmailChangeDependencies & ConfirmEmailDependencies & StopEmailChangeDependencies,
): Service<Principal> {
  return implement(
    EmailServiceService,
    {
      requestEmailChange: createRequestEmailChange(dependencies),
      confirmEmail: createConfirmEmail(dependencies),
      stopEmailChange: createStopEmailChange(dependencies),
    },
    { unavailable: 'AUTHENTICATION_SERVICE_UNAVAILABLE' },
  );
}
