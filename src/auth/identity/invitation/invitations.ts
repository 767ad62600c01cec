// Invitations: mails with which users without a password choose one.
import type { Clock } from '../../../platform/clock.ts';
import { newId } from '../../../platform/db/ids.ts';
import type { Statements } from '../../../platform/db/types.ts';
import { assertWithinLimits, type LimitedAccount, type MailLimits } from '../../mail/mail-limits.ts';
import { tokenExpiry, type MailTokens } from '../../mail/mail-tokens.ts';
import { languageOf, type Outbox } from '../../mail/outbox.ts';
import type { StoredAccount } from '../../access/account.ts';
import type { Call } from '../../access/principal.ts';

export type Invitations = ReturnType<typeof createInvitations>;

export function createInvitations(options: {
  readonly mailTokens: MailTokens;
  readonly outbox: Outbox;
  readonly mailLimits: MailLimits;
  readonly clock: Clock;
}) {
  const { mailTokens, outbox, mailLimits, clock } = options;

  return {
    /** Throws TOO_MANY_REQUESTS if the caller cannot request another mail to the account. */
    assertWithinLimits: (account: LimitedAccount, call: Call) => assertWithinLimits(mailLimits, account, call),
    /** Returns until when a new invitation can be accepted. The account stores it. */
    newExpiry: (): number => tokenExpiry('invitation', clock()),
    /** Adds the mail in the transaction that stores the time on the account. An earlier invitation ends. */
    async send(
      tx: Statements,
      account: StoredAccount,
      {
        to,
        expiresAt,
        language,
      }: { readonly to: string; readonly expiresAt: number; readonly language?: string | undefined },
    ): Promise<void> {
      const { tenantId, username } = account;
      const id = newId();
      const token = await mailTokens.issue(tx, account, 'invitation', { expiresAt, mailId: id });
      const values = { username, link: outbox.link('invite', token) };
      await outbox.add(tx, { id, tenantId, template: 'invitation', to, values, language: languageOf(language) });
    },
    /** Returns a link instead of a mail, in the transaction that stores the time on the account. An earlier invitation ends. */
    async createLink(tx: Statements, account: StoredAccount, expiresAt: number): Promise<string> {
      const token = await mailTokens.issue(tx, account, 'invitation', { expiresAt, shownAt: clock() });
      return outbox.link('invite', token);
    },
  };
}
