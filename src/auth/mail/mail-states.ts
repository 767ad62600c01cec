// The states of the mails with links, for administrators.
import type { TokenPurpose } from './mail-token-store.ts';

export type MailState = 'QUEUED' | 'SENT' | 'REFUSED' | 'NONE';

/** The states of the mails to an account whose links can be used. */
export type MailStates = { readonly [Purpose in TokenPurpose]?: MailState | undefined };

/** An account that gets mails. */
export interface MailedAccount {
  readonly tenantId: string | undefined;
  readonly id: string;
}

/** Reads the states of the mails to accounts, by their ids. */
export type ReadMailStates = (
  accounts: readonly MailedAccount[],
  now: number,
) => Promise<ReadonlyMap<string, MailStates>>;
