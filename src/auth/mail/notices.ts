// Notices of changes that the owner of an account should know. They count towards no limit.
import type { Statements } from '../../platform/db/types.ts';
import { mailTime, type MailedFactor } from './factor-lines.ts';
import type { Outbox } from './outbox.ts';
import { TEMPLATE_VALUES, type MailValues, type TemplateName } from './template.ts';

/** The owner of an account. */
export interface Notified {
  readonly tenantId: string | undefined;
  readonly id: string;
  readonly username: string;
  readonly email: string | undefined;
  /** The methods of its second factors. */
  readonly factors: readonly string[];
}

/** The templates without a link. */
export type NoticeName = {
  [Name in TemplateName]: 'link' extends (typeof TEMPLATE_VALUES)[Name][number] ? never : Name;
}[TemplateName];

/** Adds a notice in the transaction of the change. Does nothing for an account without an e-mail address. */
export type Notify = <Name extends NoticeName>(
  tx: Statements,
  notice: Name,
  account: Notified,
  at: number,
  ...further: FurtherValues<Name> extends never ? [] : [Record<FurtherValues<Name>, string>]
) => Promise<void>;

/** The values of a notice that do not follow from the account and the time. */
type FurtherValues<Name extends NoticeName> = Exclude<
  (typeof TEMPLATE_VALUES)[Name][number],
  'tenant' | 'username' | 'time' | 'factors'
>;

/**
 * @param outbox Undefined if mail or notices are off.
 * @param listFactors Returns the factors of an account.
 */
export function createNotify(
  outbox: Pick<Outbox, 'add'> | undefined,
  listFactors: (tx: Statements, account: Notified) => Promise<readonly MailedFactor[]>,
): Notify {
  return async (tx, notice, account, at, ...further) => {
    const { tenantId, username, email } = account;
    if (outbox === undefined || email === undefined) return;
    await outbox.add(tx, {
      tenantId,
      template: notice,
      to: email,
      values: { username, time: mailTime(at), ...further[0] } as MailValues<typeof notice>,
      ...(listsFactors(notice) && { factors: await listFactors(tx, account) }),
    });
  };
}

const listsFactors = (notice: NoticeName) => TEMPLATE_VALUES[notice].some((value) => value === 'factors');
