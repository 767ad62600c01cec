// GET /dev/mail in DEV: the mails that the service has stored as files. They contain tokens, so only this machine sees them.
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { parseMailUrl } from '../../src/platform/formats/mail-url.ts';
import { staysOnMachine } from '../../src/platform/formats/network.ts';
import { GatewayError } from '../errors/gateway-error.ts';

const HEADERS = {
  'content-security-policy': "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
};
const FILE = /^[0-9a-f-]{36}\.eml$/;
const MAX_LISTED = 100;

/** Adds the routes of the mails in a folder. Does nothing for a mail server. */
export function serveDevMail(app: FastifyInstance, url: string | undefined): void {
  const target = url === undefined ? undefined : parseMailUrl(url);
  if (target?.kind !== 'file') return;
  const { folder } = target;
  const hidden = { schema: { hide: true } };

  app.get('/dev/mail', hidden, async (request, reply) => {
    assertLocal(request);
    // The names are ids, which ascend with time.
    const names = (await readdir(folder).catch(() => [])).filter((name) => FILE.test(name)).toSorted();
    const newest = names.toReversed().slice(0, MAX_LISTED);
    const items = newest.map((name) => `<li><a href="/dev/mail/${name}">${name}</a></li>`).join('\n');
    const body = `<!doctype html>\n<html lang="en"><title>Mails</title>\n<h1>Mails</h1>\n<ul>\n${items}\n</ul>\n</html>\n`;
    return reply.headers(HEADERS).type('text/html; charset=utf-8').send(body);
  });
  app.get<{ Params: { name: string } }>('/dev/mail/:name', hidden, async (request, reply) => {
    assertLocal(request);
    const { name } = request.params;
    const source = FILE.test(name) ? await readFile(join(folder, name), 'utf8').catch(() => undefined) : undefined;
    if (source === undefined) throw new GatewayError('NOT_FOUND');
    return reply.headers(HEADERS).type('text/plain; charset=utf-8').send(textOf(source));
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
const BOUNDARY = /boundary="?([^"\n;]+)/;
const TEXT_PART = /Content-Type: text\/plain[^]*?\n\n([^]*)/;

/** Returns the header and the text of a mail of this service, which are quoted-printable (RFC 2045 section 6.7). */
function textOf(mail: string): string {
  const source = mail.replaceAll('\r\n', '\n');
  const [header = ''] = source.split('\n\n', 1);
  const [, boundary = ''] = BOUNDARY.exec(header) ?? [];
  const [, rest = ''] = TEXT_PART.exec(source) ?? [];
  // A line of a wrapped token can begin with two hyphens, too.
  const [encoded = ''] = rest.split(`\n--${boundary}`, 1);
  const bytes = encoded
    .replaceAll('=\n', '')
    .replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return `${header}\n\n${Buffer.from(bytes, 'latin1').toString()}`;
}
