import type {
  ConfirmEmailRequest,
  ConfirmEmailResponse,
} from '../../../../proto/gen/authservice/identity/v1/email_service.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Statements } from '../../../platform/db/types.ts';
import { ServiceError } from '../../../platform/errors.ts';
import type { AuditLog } from '../../audit/trail/audit-log.ts';
import type { MailTokens } from '../../mail/mail-tokens.ts';
import type { Notify } from '../../mail/notices.ts';
import type { Account } from '../../access/account.ts';
import type { Call } from '../../access/principal.ts';
import type { AccountStore } from '../account-store.ts';
import { findIneligibility } from '../authentication/eligibility.ts';
import type { AccountAdministration } from '../users/account-administration.ts';

/** Returns whether a session that has begun something may complete it without its credentials. Locks the session like findOpenSession. */
export type IsSessionOpen = (
  tx: Statements,
  account: Account,
  sessionId: string | undefined,
  now: number,
) => Promise<boolean>;

export interface ConfirmEmailDependencies {
  readonly administration: Pick<AccountAdministration, 'changeByToken'>;
  readonly accounts: Pick<AccountStore, 'find'>;
  readonly mailTokens: MailTokens;
  readonly audit: AuditLog;
  readonly notify: Notify;
  readonly isSessionOpen: IsSessionOpen;
  readonly clock: Clock;
}

/** EmailService.ConfirmEmail. The change belongs to the session that has requested it, and ends with it. */
export function createConfirmEmail(options: ConfirmEmailDependencies) {
  const { administration, accounts, mailTokens, audit, notify, isSessionOpen, clock } = options;

  return async ({ token }: ConfirmEmailRequest, call: Call): Promise<ConfirmEmailResponse> => {
    const found = await mailTokens.find('email', token);
    const owner = found && (await accounts.find(found));
    if (!owner || findIneligibility('refresh-token', owner, clock())) throw new ServiceError('MAIL_TOKEN_INVALID');
    await audit.commit(call, (tx, record) =>
      administration.changeByToken(tx, record, call, owner.account, async (locked) => {
        if (!(await mailTokens.take(tx, locked.account, 'email', token, call.deadline)))
          throw new ServiceError('MAIL_TOKEN_INVALID');
        const { email, sessionId } = found;
        if (!(await isSessionOpen(tx, locked.account, sessionId, locked.now)))
          throw new ServiceError('MAIL_TOKEN_INVALID');
        const isNew = email !== locked.account.email;
        await locked.update({ email, emailVerifiedAt: locked.now });
        locked.record('account.email-verified', { changed: String(isNew) });
        if (isNew) await notify(tx, 'email-changed', locked.account, locked.now);
      }),
    );
    return {};
  };
}
