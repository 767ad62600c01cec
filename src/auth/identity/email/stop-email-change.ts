import type {
  StopEmailChangeRequest,
  StopEmailChangeResponse,
} from '../../../../proto/gen/authservice/identity/v1/email_service.ts';
import { ServiceError } from '../../../platform/errors.ts';
import type { AuditLog } from '../../audit/trail/audit-log.ts';
import type { MailTokens } from '../../mail/mail-tokens.ts';
import type { Call } from '../../access/principal.ts';
import type { AccountAdministration } from '../users/account-administration.ts';

export interface StopEmailChangeDependencies {
  readonly administration: Pick<AccountAdministration, 'changeByToken'>;
  readonly mailTokens: MailTokens;
  readonly audit: AuditLog;
}

/** EmailService.StopEmailChange. */
export function createStopEmailChange({ administration, mailTokens, audit }: StopEmailChangeDependencies) {
  return async ({ token }: StopEmailChangeRequest, call: Call): Promise<StopEmailChangeResponse> => {
    const owner = await mailTokens.find('email-stop', token);
    if (!owner) throw new ServiceError('MAIL_TOKEN_INVALID');
    await audit.commit(call, (tx, record) =>
      administration.changeByToken(tx, record, call, owner, async ({ account, ...locked }) => {
        if (!(await mailTokens.take(tx, account, 'email-stop', token, call.deadline)))
          throw new ServiceError('MAIL_TOKEN_INVALID');
        await mailTokens.end(tx, account, 'email');
        locked.record('account.email-change-stopped');
      }),
    );
    return {};
  };
}
