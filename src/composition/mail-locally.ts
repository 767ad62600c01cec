// The mails of the outbox, for commands on the machine of the service.
import type { Invitations } from '../auth/identity/invitation/invitations.ts';
import { loadTemplates } from '../auth/mail/load-templates.ts';
import { giveUpTime } from '../auth/mail/outbox.ts';
import { createOutboxStore, type ListedMail } from '../auth/mail/outbox-store.ts';
import { renderMail, type RenderedMail } from '../auth/mail/render-mail.ts';
import { describeFactors, mailTime, type MailedFactor } from '../auth/mail/factor-lines.ts';
import type { LinkedPage } from '../auth/mail/outbox.ts';
import { TEMPLATE_NAMES, type TemplateName } from '../auth/mail/template.ts';
import { LANGUAGES, type Language } from '../auth/access/policy/policy-fields.ts';
import type { Settings } from '../platform/config/settings.ts';
import { isId } from '../platform/db/ids.ts';
import type { Foundation } from './foundation.ts';
import { createMail } from './mail.ts';
import { createConfiguredKeyEncryption } from './tokens.ts';
import { type LocalOptions, useDatabase } from './usable-database.ts';

export { LANGUAGES, TEMPLATE_NAMES, type Language, type TemplateName };

/** Returns the invitations of a command. Their mails wait until the service sends them. Without mail, no key is needed. */
export function invitationsOf(foundation: Foundation): Invitations | undefined {
  const { settings } = foundation;
  if (settings['app.mail.url'] === undefined) return undefined;
  return createMail(foundation, { encryption: createConfiguredKeyEncryption(settings) }).links?.invitations;
}

/** Returns the mails that wait or were given up, the newest first. */
export function listMails(options: LocalOptions): Promise<ListedMail[]> {
  return useDatabase(options, (database) => createOutboxStore(database).list());
}

/** Lets the service send mails again that were given up: one, or all. Returns their number. */
export function retryMails(options: LocalOptions & { readonly id: string | undefined }): Promise<number> {
  const now = Date.now();
  const { id } = options;
  return useDatabase(options, (database) => {
    const store = createOutboxStore(database);
    return id === undefined ? store.retryAll(now, giveUpTime(now)) : store.retry(id, now, giveUpTime(now));
  });
}

/** Deletes mails that were given up. Returns the ids of which there is none. */
export function deleteMails(options: LocalOptions & { readonly ids: readonly string[] }): Promise<string[]> {
  return useDatabase(options, async (database) => {
    const store = createOutboxStore(database);
    const missing: string[] = [];
    for (const id of options.ids) if (!isId(id) || !(await store.removeDead(id))) missing.push(id);
    return missing;
  });
}

/** The pages of the mails with links, and the names of their tokens. */
const LINKS: Partial<Record<TemplateName, `${LinkedPage}#${string}`>> = {
  recovery: 'recover#token',
  'email-confirmation': 'email#token',
  'email-change-requested': 'email#stop',
  invitation: 'invite#token',
};

const SAMPLE_TIME = Date.UTC(2027, 0, 31, 12);
const SAMPLE_FACTORS: readonly MailedFactor[] = [
  { method: 'totp', createdAt: SAMPLE_TIME },
  { method: 'passkey', label: 'Phone', createdAt: SAMPLE_TIME },
  { method: 'recovery-code', remaining: 8, createdAt: SAMPLE_TIME },
];

/** Renders a mail with sample values. */
export function previewMail(settings: Settings, template: TemplateName, language: Language): RenderedMail {
  const url = settings['app.public-url'] ?? 'https://auth.example.com';
  return renderMail(
    loadTemplates(settings['app.mail.templates'])(language, template),
    language,
    {
      tenant: settings['app.brand.name'],
      username: 'ann@example.com',
      time: mailTime(SAMPLE_TIME),
      link: `${url}/${LINKS[template] ?? ''}=sample`,
    },
    { factors: describeFactors(language, SAMPLE_FACTORS) },
  );
}
