// The job that sends mails, with a mail server of another vendor: aiosmtpd.
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { connectDatabase } from '../../src/platform/db/connect.ts';
import { migrate } from '../../src/platform/db/migrate.ts';
import type { Database } from '../../src/platform/db/types.ts';
import { makeCertificates } from '../support/certificates.ts';
import { testClock, type TestClock } from '../support/clock.ts';
import { eventually } from '../support/eventually.ts';
import { openMailJobs, type LogLine } from '../support/mail-jobs.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { start } from './commands.ts';
import { pythonEnvironment } from './python-environment.ts';

const PASSWORD = 'p@ss:word/42';
const CREDENTIALS = `${encodeURIComponent('mail@shop')}:${encodeURIComponent(PASSWORD)}`;
const FIRST_PAUSE_MS = 5_000;
/** Other tests run beside this one. */
const TIMEOUTS = { connectMs: 1_000, idleMs: 1_000, totalMs: 5_000 };

/** What a server has printed. */
type ServerEvent = Readonly<Record<string, unknown>> & { readonly server: string; readonly event: string };

let database: Database;
let program: ChildProcess;
let ports: Readonly<Record<string, number>>;
let ca: string;
let clock: TestClock;
const events: ServerEvent[] = [];
const lines: LogLine[] = [];

const jobs = () => openMailJobs(database, clock, lines, TIMEOUTS);
const eventsOf = (server: string) => events.filter((event) => event.server === server);
const mailsOf = (server: string) => eventsOf(server).filter(({ event }) => event === 'mail');

/** Returns the URL of a server. Its certificate is for `localhost`. */
function urlOf(server: string, { scheme = 'smtp', credentials = '', host = 'localhost', trusted = true } = {}): string {
  const user = credentials && `${credentials}@`;
  return `${scheme}://${user}${host}:${ports[server]}${trusted ? `?ca=${encodeURIComponent(ca)}` : ''}`;
}

beforeAll(async () => {
  const folder = temporaryFolder('mail-');
  const certificates = makeCertificates({ server: { commonName: 'localhost', alternative: 'DNS:localhost' } });
  ca = join(folder, 'ca.pem');
  writeFileSync(ca, certificates.ca);
  const files = (['cert', 'key'] as const).map((name) => {
    const file = join(folder, `${name}.pem`);
    writeFileSync(file, certificates.server[name]);
    return file;
  });
  const requirements = join(import.meta.dirname, 'mail-requirements.txt');
  const python = join(await pythonEnvironment(requirements, ['--require-hashes']), 'python3');
  program = start(python, ['-W', 'ignore', join(import.meta.dirname, 'mail-server.py'), ...files, PASSWORD], {});
  program.stderr!.pipe(process.stderr);
  const output = createInterface({ input: program.stdout! });
  const [first] = (await once(output, 'line')) as [string];
  ports = JSON.parse(first) as Record<string, number>;
  output.on('line', (line) => void events.push(JSON.parse(line) as ServerEvent));
  const log = pino({ level: 'silent' });
  database = connectDatabase({ url: `sqlite:${join(folder, 'test.db')}`, poolSize: 1, log });
  await migrate(database, log);
}, 120_000);
afterAll(async () => {
  program?.kill();
  await database?.close();
});
beforeEach(async () => {
  clock = testClock();
  lines.length = 0;
  events.length = 0;
  await database.execute('DELETE FROM mails');
  await database.execute('DELETE FROM job_leases');
});

describe('aiosmtpd', () => {
  it.each([
    ['without TLS on loopback', 'plain', {}, { encrypted: false, user: null }],
    ['by STARTTLS', 'starttls', {}, { encrypted: true, user: null }],
    [
      'by STARTTLS with a login',
      'starttls-login',
      { credentials: CREDENTIALS },
      { encrypted: true, user: 'mail@shop' },
    ],
    [
      'by TLS with a login',
      'tls-login',
      { scheme: 'smtps', credentials: CREDENTIALS },
      { encrypted: true, user: 'mail@shop' },
    ],
    ['with the mechanism LOGIN', 'auth-login', { credentials: CREDENTIALS }, { encrypted: false, user: 'mail@shop' }],
  ])('gets a mail %s, which it can read', async (_, server, url, expected) => {
    const { add, send, list, warnings } = jobs();
    await add('juergen@blümen.test', 'Jürgen 🌻', 'acme');
    await send(urlOf(server, url));
    expect(warnings()).toEqual([]);
    expect(await list()).toEqual([]);
    await eventually(() => expect(mailsOf(server)).toHaveLength(1));
    expect(mailsOf(server)[0]).toMatchObject({
      ...expected,
      sender: 'no-reply@shop.test',
      to: 'juergen@xn--blmen-lva.test',
      types: ['multipart/alternative', 'text/plain', 'text/html'],
      text: expect.stringContaining('Jürgen 🌻'),
      defects: [],
    });
  });

  it.each([
    ['has another name', 'tls-login', { scheme: 'smtps', credentials: CREDENTIALS, host: '127.0.0.1' }],
    [
      'has a certificate of an unknown authority',
      'tls-login',
      { scheme: 'smtps', credentials: CREDENTIALS, trusted: false },
    ],
    // This address reaches the same server, but is not known to stay on the machine.
    ['offers no STARTTLS beyond loopback', 'plain-login', { credentials: CREDENTIALS, host: '[::ffff:127.0.0.1]' }],
    [
      'has another certificate beyond loopback',
      'starttls-login',
      { credentials: CREDENTIALS, host: '[::ffff:127.0.0.1]' },
    ],
  ])('gets neither a mail nor a password if it %s', async (_, server, url) => {
    const { add, send, list } = jobs();
    await add();
    await send(urlOf(server, url));
    expect(await list()).toMatchObject([{ attempts: 1, nextAt: clock.now() + FIRST_PAUSE_MS }]);
    // What it was told before would be printed before this.
    await add('bob@shop.test');
    await send(urlOf('plain'));
    await eventually(() => expect(mailsOf('plain')).not.toEqual([]));
    expect(eventsOf(server)).toEqual([]);
  });

  it('refuses a wrong password, and the mail waits', async () => {
    const { add, send, list, warnings } = jobs();
    await add();
    await send(urlOf('starttls-login', { credentials: 'mail:wrong' }));
    expect(await list()).toMatchObject([{ attempts: 1, nextAt: clock.now() + FIRST_PAUSE_MS }]);
    expect(warnings()).toEqual(['mail not sent']);
    expect(JSON.stringify(lines)).not.toContain('wrong');
    await eventually(() => expect(eventsOf('starttls-login')).toMatchObject([{ event: 'login', right: false }]));
  });

  it.each([
    ['greylisted', 1],
    ['cut-after', 2],
  ])('gets a mail again that was %s, after a pause', async (user, mails) => {
    const { add, send, list } = jobs();
    await add(`${user}@shop.test`);
    await send(urlOf('plain'));
    expect(await list()).toMatchObject([{ attempts: 1, nextAt: clock.now() + FIRST_PAUSE_MS }]);
    clock.advance(FIRST_PAUSE_MS);
    await send(urlOf('plain'));
    await eventually(() => expect(mailsOf('plain')).toHaveLength(mails));
  });

  it.each([
    ['refuses the receiver', 'refused', true],
    ['refuses the content', 'too-large', true],
    ['has no space', 'busy', false],
    ['does not relay', 'sender-blocked', false],
    ['cuts the connection within the content', 'cut-before', false],
  ])('that %s gets the mail again unless that is final', async (_, user, isFinal) => {
    const { add, send, list } = jobs();
    await add(`${user}@shop.test`);
    await send(urlOf('plain'));
    expect(mailsOf('plain')).toEqual([]);
    const nextAt = isFinal ? undefined : clock.now() + FIRST_PAUSE_MS;
    expect(await list()).toMatchObject([{ attempts: 1, nextAt }]);
  });

  it.each(['hello', 'sender', 'receiver', 'content', 'end'])(
    'that hangs at the %s delays the mail, and no mail of another server',
    async (step) => {
      const { add, send, list } = jobs();
      await add();
      await send(urlOf(`hangs-${step}`));
      expect(await list()).toMatchObject([{ attempts: 1, nextAt: clock.now() + FIRST_PAUSE_MS }]);
      clock.advance(FIRST_PAUSE_MS);
      await send(urlOf('plain'));
      await eventually(() => expect(mailsOf('plain')).toHaveLength(1));
      expect(await list()).toEqual([]);
    },
  );
});
