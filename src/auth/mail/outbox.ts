// Mails leave through an outbox: a row in the transaction that causes the mail, which a job sends. So no mail is lost or sent without its
// cause, and a mail server delays no request. Links in mails carry tokens that are used once.
// Decides: when a failed mail is tried again (`send-mails.ts`), and how many mails an address gets (`mail-limits.ts`).
// States: a mail waits, until it is sent or given up. A token is open until it is used, withdrawn or expires.
// Tables: mail_tokens, mails.
// Routes: none.
import { newId } from '../../platform/db/ids.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Statements } from '../../platform/db/types.ts';
import { LANGUAGES, type Language } from '../access/policy/policy-fields.ts';
import type { KeyEncryption } from '../keys/key-encryption.ts';
import type { MailedFactor } from './factor-lines.ts';
import { insertMail, NO_ACCOUNT, type WaitingMail } from './outbox-store.ts';
import type { MailValues, TemplateName } from './template.ts';

/** The pages that links lead to. */
export type LinkedPage = 'recover' | 'email' | 'invite';

/** The encrypted part of a mail. The tenant's name and language are those at the time of sending. */
export interface MailContent {
  readonly to: string;
  readonly values: Readonly<Record<string, string>>;
  /** In no language, because the tenant's is that at the time of sending. */
  readonly factors?: readonly MailedFactor[];
  /** Default: that of the tenant at the time of sending. */
  readonly language?: Language;
}

/** A mail to an account. */
export interface NewMail<Name extends TemplateName> {
  /** Default: a new one. */
  readonly id?: string;
  readonly tenantId: string | undefined;
  readonly template: Name;
  readonly to: string;
  readonly values: Omit<MailValues<Name>, 'tenant' | 'factors'>;
  readonly factors?: readonly MailedFactor[];
  /** Chosen by the administrator who causes the mail. */
  readonly language?: Language | undefined;
}

export type Outbox = ReturnType<typeof createOutbox>;

const LIFETIME_MS = 24 * 3600_000;

/** Returns the time at which a mail is given up. */
export const giveUpTime = (from: number): number => from + LIFETIME_MS;

export function createOutbox(options: {
  readonly encryption: KeyEncryption;
  readonly publicUrl: string;
  readonly clock: Clock;
}) {
  const { encryption, publicUrl, clock } = options;

  async function add<Name extends TemplateName>(
    tx: Statements,
    tenantId: string | undefined,
    { id = newId(), template, to, values, factors, language }: Omit<NewMail<Name>, 'tenantId'>,
  ): Promise<void> {
    const createdAt = clock();
    const content: MailContent = { to, values, ...(factors && { factors }), ...(language && { language }) };
    const encrypted = encryption.encrypt(Buffer.from(JSON.stringify(content)), contextOf(id));
    await insertMail(tx, { tenantId, id, template, encrypted, createdAt, giveUpAt: giveUpTime(createdAt) });
  }

  return {
    /** Adds a mail in the transaction that causes it. */
    add: <Name extends TemplateName>(tx: Statements, { tenantId, ...mail }: NewMail<Name>) => add(tx, tenantId, mail),
    /** Adds a row that the job deletes instead of sending it, with the same statement. */
    addDiscarded: <Name extends TemplateName>(tx: Statements, mail: Omit<NewMail<Name>, 'tenantId'>) =>
      add(tx, NO_ACCOUNT, mail),
    /** Returns the link to a page with a token. Servers and proxies never see the fragment of a URL. */
    link: (page: LinkedPage, token: string, name: 'token' | 'stop' = 'token'): string =>
      `${publicUrl}/${page}#${name}=${token}`,
  };
}

/** Returns the language that a valid request names. */
export const languageOf = (name: string | undefined): Language | undefined => LANGUAGES.find((known) => known === name);

/** The encryption context of a mail. */
const contextOf = (id: string): string => `mail:${id}`;

/** Returns the content of a mail. Throws if no key-encryption key fits. */
export function readMail(encryption: KeyEncryption, { id, encrypted }: Pick<WaitingMail, 'id' | 'encrypted'>) {
  return JSON.parse(encryption.decrypt(encrypted, contextOf(id)).toString()) as MailContent;
}
