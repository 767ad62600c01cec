// Notices of changes that the owner of an account should know. They count towards no limit.
import type { Statements } from '../../platform/db/types.ts';
import type { Outbox } from './outbox.ts';

/** The owner of an account. */
export interface Notified {
  readonly tenantId: string | undefined;
  readonly username: string;
  readonly email: string | undefined;
}

export type NoticeName =
  | 'password-changed'
  | 'email-changed'
  | 'recovery-used'
  | 'factor-added'
  | 'factor-removed'
  | 'factor-locked';

/** Adds a notice in the transaction of the change. Does nothing for an account without an e-mail address. */
export type Notify = (tx: Statements, notice: NoticeName, account: Notified, at: number) => Promise<void>;

/** @param outbox Undefined if mail or notices are off. */
export function createNotify(outbox: Pick<Outbox, 'add'> | undefined): Notify {
  return async (tx, notice, { tenantId, username, email }, at) => {
    if (outbox === undefined || email === undefined) return;
    await outbox.add(tx, {
      tenantId,
      template: notice,
      to: email,
      values: { username, time: `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC` },
    });
  };
}
