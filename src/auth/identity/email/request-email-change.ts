import type {
  RequestEmailChangeRequest,
  RequestEmailChangeResponse,
} from '../../../../proto/gen/authservice/identity/v1/email_service.ts';
import { ServiceError } from '../../../platform/errors.ts';
import { mailTime } from '../../mail/factor-lines.ts';
import { assertWithinLimits, type MailLimits } from '../../mail/mail-limits.ts';
import type { MailTokens } from '../../mail/mail-tokens.ts';
import type { Outbox } from '../../mail/outbox.ts';
import type { Call } from '../../access/principal.ts';
import type { AccountAdministration } from '../users/account-administration.ts';

export interface RequestEmailChangeDependencies {
  readonly administration: Pick<AccountAdministration, 'change'>;
  readonly mailTokens: MailTokens;
  readonly outbox: Outbox;
  readonly mailLimits: MailLimits;
}

/**
 * EmailService.RequestEmailChange. Addresses are not unique, so it does not read whether another account has this one, and tells
 * nothing about it. The owner of the verified address gets a link that stops the change, because a thief of the session may have
 * requested it.
 */
export function createRequestEmailChange({
  administration,
  mailTokens,
  outbox,
  mailLimits,
}: RequestEmailChangeDependencies) {
  return async ({ email }: RequestEmailChangeRequest, call: Call): Promise<RequestEmailChangeResponse> => {
    const { account, sessionId } = call.principal!;
    if (!account.interactive)
      throw new ServiceError('PERMISSION_DENIED', { detail: 'only users have an e-mail address to confirm' });
    await assertWithinLimits(mailLimits, account, call);
    await administration.change(call, account, async ({ tx, account: locked, now, guard, record }) => {
      // A change of the password on another node would not end the token.
      await guard();
      const token = await mailTokens.issue(tx, locked, 'email', { email, sessionId });
      const { tenantId, username, email: verified, emailVerifiedAt } = locked;
      const values = { username, link: outbox.link('email', token) };
      await outbox.add(tx, { tenantId, template: 'email-confirmation', to: email, values });
      if (verified !== undefined && emailVerifiedAt !== undefined && verified !== email) {
        const link = outbox.link('email', await mailTokens.issue(tx, locked, 'email-stop'), 'stop');
        const told = { username, time: mailTime(now), link };
        await outbox.add(tx, { tenantId, template: 'email-change-requested', to: verified, values: told });
      }
      record('account.email-change-requested');
    });
    return {};
  };
}
