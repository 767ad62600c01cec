// GET /dev/mail in DEV: the mails that the service has stored as files. They contain tokens, so only this machine sees them.
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Email } from 'postal-mime';
import { parseMailUrl } from '../../src/platform/formats/mail-url.ts';
import { staysOnMachine } from '../../src/platform/formats/network.ts';
import { GatewayError } from '../errors/gateway-error.ts';
import { type DevPageSettings, escape, renderDevPage } from './dev-page.ts';
import { servePage } from '../pages/page-route.ts';

const HEADERS = {
  'content-security-policy':
    "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
};
const PATH = '/dev/mail';
const FILE = /^[0-9a-f-]{36}\.eml$/;
const MAX_LISTED = 100;

/** Adds the routes of the mails in a folder. Does nothing for a mail server. */
export function serveDevMail(app: FastifyInstance, settings: DevPageSettings): void {
  const url = settings['app.mail.url'];
  const target = url === undefined ? undefined : parseMailUrl(url);
  if (target?.kind !== 'file') return;
  const { folder } = target;

  servePage(app, PATH, async (request, reply) => {
    assertLocal(request);
    // The names are ids, which ascend with time.
    const names = (await readdir(folder).catch(() => [])).filter((name) => FILE.test(name)).toSorted();
    const newest = names.toReversed().slice(0, MAX_LISTED);
    const mails = await Promise.all(newest.map(async (name) => [name, await readMail(folder, name)] as const));
    return reply
      .headers(HEADERS)
      .type('text/html; charset=utf-8')
      .send(renderDevPage(settings, { title: 'Mails', path: PATH, content: renderList(mails, folder) }));
  });
  servePage(app, `${PATH}/:name`, async (request, reply) => {
    assertLocal(request);
    const { name } = request.params as { readonly name: string };
    const mail = FILE.test(name) ? await readMail(folder, name) : undefined;
    if (mail === undefined) throw new GatewayError('NOT_FOUND');
    const content = renderMail(mail, join(folder, name));
    return reply
      .headers(HEADERS)
      .type('text/html; charset=utf-8')
      .send(renderDevPage(settings, { title: subjectOf(mail), content }));
  });
}

/**
 * The Host header is checked, too, because a page of another site could lead its own name to this machine (DNS rebinding). A proxy on
 * this machine forwards requests of others.
 */
function assertLocal({ ip, hostname, headers }: FastifyRequest): void {
  const isLocal = [ip, hostname].every((host) => staysOnMachine(host.replace(/^::ffff:|[[\]]/g, '')));
  const isForwarded = Object.keys(headers).some((name) => FORWARDED.test(name));
  if (!isLocal || isForwarded) throw new GatewayError('NOT_FOUND');
}

const FORWARDED = /^(?:x-)?forwarded(?:-|$)/;

/** Returns the mail; undefined if the file is missing. */
async function readMail(folder: string, name: string): Promise<Email | undefined> {
  const source = await readFile(join(folder, name)).catch(() => undefined);
  if (source === undefined) return undefined;
  // Loaded here because a start reads no mails.
  const { default: PostalMime } = await import('postal-mime');
  return PostalMime.parse(source);
}

const subjectOf = ({ subject }: Email): string => subject ?? '(no subject)';
const receiversOf = ({ to = [] }: Email): string => to.map(({ address, name }) => address ?? name).join(', ');

function renderList(mails: readonly (readonly [name: string, mail: Email | undefined])[], folder: string): string {
  const rows = mails.flatMap(([name, mail]) =>
    mail === undefined
      ? []
      : [
          `              <tr><th scope="row"><a href="${PATH}/${name}"><bdi>${escape(subjectOf(mail))}</bdi></a></th>` +
            `<td data-title="To"><bdi>${escape(receiversOf(mail))}</bdi></td><td data-title="Time">${renderTime(mail)}</td></tr>\n`,
        ],
  );
  const table = `          <div class="scroll" role="region" aria-label="Table of mails" tabindex="0">
            <table>
              <thead><tr><th scope="col">Subject</th><th scope="col">To</th><th scope="col">Time</th></tr></thead>
              <tbody>
${rows.join('')}              </tbody>
            </table>
          </div>
`;
  return `      <div>
        <h1>Mails</h1>
        <p class="lead">The newest ${MAX_LISTED} mails of the folder <code>${escape(folder)}</code>. Nobody receives them.
          Only this machine sees this page.</p>
      </div>
      <section class="card" aria-label="Mails">
${rows.length > 0 ? table : '        <p>No mails yet. A recovery of a password sends one.</p>\n'}      </section>
`;
}

function renderMail(mail: Email, file: string): string {
  const from = mail.from?.address ?? '';
  return `      <h1><bdi>${escape(subjectOf(mail))}</bdi></h1>
      <section class="card" aria-label="Mail">
        <dl class="session">
          <dt>To</dt><dd><bdi>${escape(receiversOf(mail))}</bdi></dd>
          <dt>From</dt><dd><bdi>${escape(from)}</bdi></dd>
          <dt>Time</dt><dd>${renderTime(mail)}</dd>
          <dt>File</dt><dd><code>${escape(file)}</code></dd>
        </dl>
        <div class="mail-text">${linkUrls(mail.text ?? '')}</div>
      </section>
`;
}

/** The time on this machine, which is that of the reader. */
function renderTime({ date }: Email): string {
  const time = new Date(date ?? NaN);
  if (Number.isNaN(time.getTime())) return '';
  return `<time datetime="${time.toISOString()}">${TIME.format(time)}</time>`;
}

const TIME = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium' });
const URLS = /(https?:\/\/[^\s<>"]*[\w/=-])/;

/** Escapes the text, and makes its URLs links. */
function linkUrls(text: string): string {
  const parts = text.trim().split(URLS).map(escape);
  return parts.map((part, index) => (index % 2 === 1 ? `<a href="${part}">${part}</a>` : part)).join('');
}
