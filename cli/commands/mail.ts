// The commands on the mails that wait to be sent, and on their templates.
import { ID_PATTERN } from '../../src/platform/formats/names.ts';
import { LANGUAGES } from '../../src/auth/access/policy/policy-fields.ts';
import type { Command, Input } from '../command.ts';
import { CommandFailure, EXIT } from '../failure.ts';
import { loadLocalSettings } from '../local-settings.ts';

export const MAIL_COMMANDS: readonly Command[] = [
  {
    name: 'mail list',
    summary: 'show the mails that wait to be sent or were given up',
    uses: 'settings',
    notes:
      'Shows the newest 1,000 that wait, and the 1,000 that were given up last. A mail without a next attempt was given up. Addresses are stored encrypted and not shown.',
    async run(input) {
      const { listMails } = await import('../../src/composition/mail-locally.ts');
      const mails = (await listMails(loadLocalSettings(input))).map((mail) => ({
        ...mail,
        createdAt: new Date(mail.createdAt),
        giveUpAt: new Date(mail.giveUpAt),
        nextAt: mail.nextAt === undefined ? undefined : new Date(mail.nextAt),
      }));
      return { value: mails, columns: ['id', 'tenantId', 'template', 'createdAt', 'attempts', 'nextAt', 'error'] };
    },
  },
  {
    name: 'mail retry',
    summary: 'send mails again that were given up',
    uses: 'settings',
    arguments: { '[id]': 'the id of a mail, as `mail list` shows it (default: all)' },
    notes:
      'The service sends them within seconds, and gives them up again after 24 hours. The links in old mails may have expired.',
    async run(input) {
      const { retryMails } = await import('../../src/composition/mail-locally.ts');
      const id = input.values.text('id');
      const count =
        id !== undefined && !ID_PATTERN.test(id) ? 0 : await retryMails({ ...loadLocalSettings(input), id });
      if (id !== undefined && count === 0) throw new CommandFailure(`no mail ${id} was given up`);
      return { value: { count }, text: `${count} mails will be sent` };
    },
  },
  {
    name: 'mail delete',
    summary: 'delete mails that were given up',
    uses: 'settings',
    arguments: { '<ids...>': 'the ids of mails, as `mail list` shows them' },
    ends: (values) => `deletes ${values.list('ids').length} mails, which then nobody receives`,
    notes: 'Mails that wait to be sent are not deleted. The service deletes mails 30 days after it has given them up.',
    async run(input) {
      const { deleteMails } = await import('../../src/composition/mail-locally.ts');
      const missing = await deleteMails({ ...loadLocalSettings(input), ids: input.values.list('ids') });
      if (missing.length > 0) throw new CommandFailure(`no mail ${missing.join(', ')} was given up`);
      const { length: count } = input.values.list('ids');
      return { value: { count }, text: `${count} mails were deleted` };
    },
  },
  {
    name: 'mail preview',
    summary: 'show a mail with sample values',
    uses: 'settings',
    arguments: { '<template>': 'the name of a template, such as recovery' },
    options: {
      '--language <language>': `${LANGUAGES.join(' or ')} (default: en)`,
      '--html': 'show the HTML instead of the text',
    },
    run: preview,
  },
];

async function preview(input: Input) {
  const { previewMail, TEMPLATE_NAMES } = await import('../../src/composition/mail-locally.ts');
  const { values } = input;
  const template = oneOf('template', values.required('template'), TEMPLATE_NAMES);
  const language = oneOf('--language', values.text('language') ?? 'en', LANGUAGES);
  const mail = previewMail(loadLocalSettings(input, 'gateway').settings, template, language);
  const text = values.flag('html') ? mail.html : `Subject: ${mail.subject}\n\n${mail.text}`;
  return { value: mail, text: text.trimEnd() };
}

function oneOf<Name extends string>(what: string, text: string, names: readonly Name[]): Name {
  const found = names.find((name) => name === text);
  if (found === undefined) throw new CommandFailure(`${what}: give one of ${names.join(', ')}`, EXIT.usage);
  return found;
}
