import { flag, integer, optional, path } from '../kinds.ts';
import { mailAddress, mailUrl } from '../network-kinds.ts';
import { both, core, type Basis } from '../setting.ts';

/** Mails to users. */
export const MAIL_SETTINGS = {
  'app.mail.url': both(
    optional(mailUrl),
    {
      rule: 'none; in DEV `file:data/mail` if `app.public-url` is set',
      of: (basis) =>
        basis['app.env'] === 'DEV' && basis['app.public-url'] !== undefined ? 'file:data/mail' : undefined,
    },
    'Server that sends the mails to users. `none`: no mails, and the paths of docs/mail.md are 404. Needs `app.public-url`. ' +
      'Credentials need TLS: beyond loopback, `smtp://` requires STARTTLS. `file:` stores each mail in a folder. A gateway ' +
      'that runs apart needs the URL without the credentials, to know that mail is on.',
    { secret: true },
  ),
  'app.mail.from': core(
    optional(mailAddress),
    { rule: '`no-reply@` and the host of `app.public-url`', of: (basis) => defaultSender(basis) },
    'Address of the sender. Its domain needs SPF, DKIM and DMARC, which belong to the mail server.',
  ),
  'app.mail.notices': core(
    flag,
    'true',
    'Whether users get a mail after changes of their password, e-mail address and second factors, a recovery, a locked factor ' +
      'and a replayed session. An account without an e-mail address gets none.',
  ),
  'app.mail.requests-per-tenant': core(
    integer(1, 10_000_000),
    '10000',
    'Maximum number of mails an hour that callers can request for the users of a tenant: recoveries, and as many confirmations of ' +
      'an address and invitations. Above it: 429 too-many-requests; recoveries respond 202 all the same, without a mail.',
  ),
  'app.mail.templates': core(
    optional(path),
    'none',
    'Folder with templates that replace those of the service: `en/recovery.txt`, `de/recovery.txt` … (docs/mail.md).',
  ),
};

function defaultSender({ 'app.public-url': url }: Basis): string | undefined {
  return url === undefined ? undefined : `no-reply@${new URL(url).hostname}`;
}
