// The e-mail addresses of accounts, proven by mail.
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
