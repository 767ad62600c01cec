// The job that sends mails, with a real SMTP server: TLS, authentication, refusals, cut connections, several processes.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { format } from 'node:util';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createOutbox } from '../../src/auth/mail/outbox.ts';
import { createOutboxStore } from '../../src/auth/mail/outbox-store.ts';
import { UNLIMITED } from '../../src/platform/clock.ts';
import { makeCertificates } from '../support/certificates.ts';
import { testClock, type TestClock } from '../support/clock.ts';
import { createTestDatabase, ENGINES, type Engine, type TestDatabase } from '../support/databases.ts';
import { encryption, openMailJobs, publicUrl, type LogLine } from '../support/mail-jobs.ts';
import { startSilentServer, startSmtpServer, type SmtpFault } from '../support/smtp-server.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const PASSWORD = 'p@ss:word/42';
const SECOND_MS = 1_000;
const HOUR_MS = 3_600_000;
/** For servers that never respond, or never end: their lines come every 50 ms. */
const IMPATIENT = { connectMs: 200, idleMs: 200, totalMs: 400 };

const certificates = makeCertificates({ server: { commonName: 'localhost', alternative: 'DNS:localhost' } });
const { cert, key } = certificates.server;
const ca = join(temporaryFolder('mail-'), 'ca.pem');
writeFileSync(ca, certificates.ca);

let test: TestDatabase;
let clock: TestClock;
let lines: LogLine[];
const closing: (() => Promise<void>)[] = [];

async function start(options: Parameters<typeof startSmtpServer>[0] = {}) {
  const server = await startSmtpServer(options);
  closing.push(server.close);
  return server;
}

const jobs = (timeouts?: typeof IMPATIENT) => openMailJobs(test.database, clock, lines, timeouts);
type Jobs = ReturnType<typeof jobs>;
const sender: Jobs['sender'] = (...args) => jobs().sender(...args);
const add: Jobs['add'] = (...args) => jobs().add(...args);
const send = (url: string, timeouts?: typeof IMPATIENT) => jobs(timeouts).send(url);
const list = () => jobs().list();
const warnings = () => jobs().warnings();

/** Gives each test an empty outbox and a clock, and ends its servers afterwards. */
function useOutbox(engine: Engine): void {
  beforeAll(async () => {
    test = await createTestDatabase(engine);
  });
  afterAll(() => test.drop());
  beforeEach(async () => {
    clock = testClock();
    lines = [];
    await test.database.execute('DELETE FROM mails');
    await test.database.execute('DELETE FROM job_leases');
  });
  afterEach(async () => {
    for (const close of closing.splice(0)) await close();
  });
}

describe.each(ENGINES)('mails on %s', (engine) => {
  useOutbox(engine);

  it('are sent once, with text and HTML, in the language of the tenant', async () => {
    const server = await start();
    await add('ann@shop.test', 'ann', 'acme');
    await send(`smtp://localhost:${server.port}`);
    await send(`smtp://localhost:${server.port}`);
    expect(server.received).toHaveLength(1);
    const [{ from, to, source }] = server.received as [(typeof server.received)[0]];
    expect({ from, to }).toEqual({ from: 'no-reply@shop.test', to: ['ann@shop.test'] });
    expect(source).toMatch(/^From: acme <no-reply@shop\.test>\r$/m);
    expect(source).toMatch(/^Message-ID: <[0-9a-f-]{36}@auth\.shop\.test>\r$/m);
    expect(source).toMatch(/^Auto-Submitted: auto-generated\r$/m);
    expect(source).toContain('Content-Type: text/plain');
    expect(source).toContain('Content-Type: text/html');
    expect(source).toContain('Neues Passwort');
    expect(await list()).toEqual([]);
    expect(warnings()).toEqual([]);
  });

  it.each(['sender', 'receiver', 'content'] as const)(
    'are tried again after a 4xx for the %s (greylisting)',
    async (at) => {
      const server = await start();
      server.faults.push({ at, code: 451 });
      await add();
      const url = `smtp://localhost:${server.port}`;
      await send(url);
      expect(server.received).toEqual([]);
      clock.advance(5 * SECOND_MS - 1);
      await send(url);
      expect(server.received).toEqual([]);
      clock.advance(1);
      await send(url);
      expect(server.received).toHaveLength(1);
      expect(warnings()).toEqual(['mail not sent']);
    },
  );

  it.each(['receiver', 'content'] as const)('are given up after a 5xx for the %s, and sent by a retry', async (at) => {
    const server = await start();
    server.faults.push({ at, code: 550 });
    await add();
    const url = `smtp://localhost:${server.port}`;
    await send(url);
    clock.advance(HOUR_MS);
    await send(url);
    expect(server.received).toEqual([]);
    const [dead] = await list();
    expect(dead).toMatchObject({ attempts: 1, nextAt: undefined });
    expect(dead!.error).not.toContain('ann@');
    const store = createOutboxStore(test.database);
    expect(await store.stats()).toEqual({ waiting: 0, dead: 1, oldestAt: undefined });
    expect(await store.retry(dead!.id, clock.now(), clock.now() + HOUR_MS)).toBe(1);
    expect(await list()).toMatchObject([{ attempts: 0 }]);
    await send(url);
    expect(server.received).toHaveLength(1);
    expect(await list()).toEqual([]);
  });

  it('are all sent by a retry, in several statements', async () => {
    for (let number = 0; number < 5; number += 1) await add();
    const store = createOutboxStore(test.database);
    for (const mail of await list()) {
      await store.recordFailure(mail, { nextAt: undefined, expiresAt: clock.now(), error: '550', isUnknown: false });
      clock.advance(1);
    }
    await add();
    expect(await store.retryAll(clock.now(), clock.now() + HOUR_MS, 2)).toBe(5);
    expect(await store.stats()).toMatchObject({ waiting: 6, dead: 0 });
    expect(await store.retryAll(clock.now(), clock.now() + HOUR_MS, 2)).toBe(0);
  });

  it('of a tenant that cannot be read wait, and delay no others', async () => {
    const server = await start();
    const url = `smtp://localhost:${server.port}`;
    await add('ann@shop.test', 'ann', 'broken');
    await add('bob@shop.test', 'bob', 'globex');
    const findTenant = async (tenantId?: string) => {
      if (tenantId === 'broken') throw new Error('invalid policy');
      return { name: 'globex', language: 'en' as const };
    };
    await sender(url, findTenant).sendDue(new AbortController().signal);
    expect(server.received.map(({ to }) => to[0])).toEqual(['bob@shop.test']);
    expect(await list()).toMatchObject([{ attempts: 1, error: 'invalid policy' }]);
    clock.advance(5 * SECOND_MS);
    await send(url);
    expect(server.received).toHaveLength(2);
    expect(warnings()).toEqual(['mail not sent']);
  });

  it('are sent again after a connection that was cut while the server could accept them, with a warning', async () => {
    const server = await start();
    server.faults.push({ at: 'content', cut: 'after' });
    await add();
    const url = `smtp://localhost:${server.port}`;
    await send(url);
    clock.advance(5 * SECOND_MS);
    await send(url);
    expect(server.received).toHaveLength(2);
    const ids = server.received.map(({ source }) => /^Message-ID: (.*)\r$/m.exec(source)![1]);
    expect(new Set(ids).size).toBe(1);
    expect(warnings()).toEqual([
      'mail not sent',
      'mail sent, perhaps twice: the outcome of an earlier attempt is unknown',
    ]);
  });

  it('are sent by another process after one that ended during an attempt, with a warning', async () => {
    const server = await start();
    await add();
    const store = createOutboxStore(test.database);
    const [mail] = await store.findDue(clock.now(), 5);
    expect(await store.begin(mail!, clock.now(), clock.now() + 5 * SECOND_MS)).toBe(true);
    expect(await store.begin(mail!, clock.now(), clock.now() + 5 * SECOND_MS)).toBe(false);
    clock.advance(5 * SECOND_MS);
    await send(`smtp://localhost:${server.port}`);
    expect(server.received).toHaveLength(1);
    expect(warnings()).toEqual(['mail sent, perhaps twice: the outcome of an earlier attempt is unknown']);
  });

  it('are each sent once by several processes', async () => {
    const server = await start();
    for (let index = 0; index < 20; index += 1) await add(`user-${index}@shop.test`);
    const url = `smtp://localhost:${server.port}`;
    await Promise.all(Array.from({ length: 4 }, () => send(url)));
    await send(url);
    const expected = Array.from({ length: 20 }, (_, index) => `user-${index}@shop.test`);
    expect(server.received).toHaveLength(expected.length);
    expect(new Set(server.received.map(({ to }) => to[0]))).toEqual(new Set(expected));
  });

  it('of one tenant delay those of another by one at a time', async () => {
    const server = await start();
    for (let number = 0; number < 12; number += 1) await add(`user${number}@acme.test`, 'user', 'acme');
    clock.advance(SECOND_MS);
    await add('ann@shop.test', 'ann', 'globex');
    await send(`smtp://localhost:${server.port}`);
    const receivers = server.received.map(({ to }) => to[0]);
    expect(receivers).toHaveLength(13);
    expect(receivers.slice(0, 5)).toContain('ann@shop.test');
  });

  it('of more tenants than are read at a time all have their turn', async () => {
    const store = createOutboxStore(test.database);
    for (const tenantId of ['b', 'a', 'c', 'a', 'b', 'a']) await add('ann@shop.test', 'ann', tenantId);
    const tenants = async (limit: number) => (await store.findDue(clock.now(), limit)).map(({ tenantId }) => tenantId);
    expect(await tenants(2)).toEqual(['a', 'b']);
    expect(await tenants(2)).toEqual(['c', 'a']);
    expect(await tenants(9)).toHaveLength(6);
  });

  it('of no account are discarded, however many they are', async () => {
    const server = await start();
    const outbox = createOutbox({ encryption, publicUrl, clock: clock.now });
    await test.database.transaction(UNLIMITED, async (tx) => {
      for (let number = 0; number < 1_100; number += 1)
        await outbox.addDiscarded(tx, {
          template: 'recovery',
          to: 'ann@shop.test',
          values: { username: 'ann', link: '' },
        });
    });
    await send(`smtp://localhost:${server.port}`);
    expect(server.received).toEqual([]);
    expect(await test.database.query('SELECT id FROM mails')).toEqual([]);
  });

  it('are stored encrypted', async () => {
    await add('ann@shop.test', 'ann-of-the-shop');
    const [row] = await test.database.query<{ encrypted: Uint8Array }>('SELECT encrypted FROM mails');
    expect(Buffer.from(row!.encrypted).toString('latin1')).not.toMatch(/ann|token/);
  });
});

// SMTP, addresses and pauses: no statement decides them.
describe('mails', () => {
  useOutbox('sqlite');

  it.each([
    ['implicit TLS', { secure: true, key, cert }, (port: number) => `smtps://localhost:${port}?ca=${ca}`],
    ['STARTTLS with a checked certificate', { key, cert }, (port: number) => `smtp://localhost:${port}?ca=${ca}`],
    ['STARTTLS with a certificate of its own on loopback', { key, cert }, (port: number) => `smtp://localhost:${port}`],
  ])('are encrypted by %s, with authentication', async (_, options, url) => {
    const server = await start({ ...options, password: PASSWORD });
    await add();
    await send(
      url(server.port).replace('://', `://${encodeURIComponent('mail@shop')}:${encodeURIComponent(PASSWORD)}@`),
    );
    expect(warnings()).toEqual([]);
    expect(server.received).toMatchObject([{ isEncrypted: true, user: 'mail@shop' }]);
  });

  it.each([
    ['an unknown authority', { secure: true, key, cert }, (port: number) => `smtps://localhost:${port}`],
    ['another name', { secure: true, key, cert }, (port: number) => `smtps://127.0.0.1:${port}?ca=${ca}`],
    ['a wrong password', { password: PASSWORD }, (port: number) => `smtp://mail:wrong@localhost:${port}`],
    // This address reaches the same server, but is not known to stay on the machine.
    ['no STARTTLS beyond loopback', {}, (port: number) => `smtp://mail:secret@[::ffff:127.0.0.1]:${port}`],
    ['no credentials', { password: PASSWORD }, (port: number) => `smtp://localhost:${port}`],
  ])('wait if the server has or needs %s', async (_, options, url) => {
    const server = await start(options);
    await add();
    await send(url(server.port));
    expect(server.received).toEqual([]);
    expect(await list()).toMatchObject([{ attempts: 1, nextAt: clock.now() + 5 * SECOND_MS }]);
    expect(warnings()).toEqual(['mail not sent']);
    expect(JSON.stringify(lines)).not.toContain('wrong@');
  });

  it.each([
    ['does not respond', false],
    ['sends a line now and then, without an end', true],
  ])('wait for a server that %s, and for one that is gone', async (_, drips) => {
    const silent = await startSilentServer({ drips });
    closing.push(silent.close);
    await add();
    await send(`smtp://localhost:${silent.port}`, IMPATIENT);
    expect(await list()).toMatchObject([{ attempts: 1 }]);
    await silent.close();
    clock.advance(5 * SECOND_MS);
    await send(`smtp://localhost:${silent.port}`);
    expect(await list()).toMatchObject([{ attempts: 2, nextAt: clock.now() + 15 * SECOND_MS }]);
  });

  it('are given up after 24 hours, with ever longer pauses up to an hour', async () => {
    const url = 'smtp://localhost:1';
    await add();
    const started = clock.now();
    const pauses: number[] = [];
    for (;;) {
      const at = clock.now();
      await send(url);
      const [mail] = await list();
      if (mail!.nextAt === undefined) break;
      pauses.push((mail!.nextAt - at) / SECOND_MS);
      clock.advance(mail!.nextAt - at);
    }
    expect(pauses.slice(0, 11)).toEqual([5, 15, 45, 90, 180, 360, 720, 1440, 2880, 3600, 3600]);
    expect(clock.now() - started).toBeGreaterThan(22 * HOUR_MS);
    expect(clock.now() - started).toBeLessThan(24 * HOUR_MS);
    expect(warnings().at(-1)).toBe('mail given up');
  });

  it.each<[string, SmtpFault]>([
    ['of the sender', { at: 'sender', code: 550 }],
    ['by a policy', { at: 'receiver', code: 550, message: '5.7.1 relaying is denied' }],
  ])('are tried again after a 5xx %s, which an operator can correct', async (_, fault) => {
    const server = await start();
    server.faults.push(fault);
    await add();
    await send(`smtp://localhost:${server.port}`);
    clock.advance(5 * SECOND_MS);
    await send(`smtp://localhost:${server.port}`);
    expect(server.received).toHaveLength(1);
    expect(warnings()).toEqual(['mail not sent']);
  });

  it('are not sent more than an hour after they were to be given up', async () => {
    const server = await start();
    await add();
    clock.advance(25 * HOUR_MS + 1);
    await send(`smtp://localhost:${server.port}`);
    expect(server.received).toEqual([]);
    expect(warnings()).toEqual(['mail given up']);
  });

  it('end with the process while the server hangs', async () => {
    const { port, close } = await startSilentServer();
    closing.push(close);
    await add();
    const stopping = new AbortController();
    const sending = sender(`smtp://localhost:${port}`).sendDue(new AbortController().signal, stopping.signal);
    stopping.abort();
    await sending;
    expect((await list())[0]).toMatchObject({ attempts: 1, error: 'the service stopped' });
  });

  it('are addressed by the ASCII form of a domain name', async () => {
    // The server shows the domain in Unicode again, its log what it has received.
    const commands: string[] = [];
    const write = (_data: unknown, ...text: unknown[]) => void commands.push(format(...text));
    const server = await start({
      logger: { trace: write, debug: write, info: write, warn: write, error: write, fatal: write },
    });
    await add('ann@blümen.test');
    await send(`smtp://localhost:${server.port}`);
    expect(server.received).toHaveLength(1);
    expect(commands.join()).toContain('RCPT TO:<ann@xn--blmen-lva.test>');
  });

  it.each([
    ['a header', 'ann@shop.test\r\nBcc: eve@evil.test'],
    ['two addresses', 'ann@shop.test, eve@evil.test'],
    ['angle brackets', 'ann@shop.test> <eve@evil.test'],
    ['a local part of 300 characters', `${'a'.repeat(300)}@shop.test`],
    ['a list', 'ann@shop.test,eve@evil.test'],
    ['a comma in the local part', 'ann,eve@shop.test'],
    ['a group', 'eve:ann@shop.test'],
    ['a comment', '(eve@evil.test)ann@shop.test'],
    ['brackets', '<eve@evil.test>ann@shop.test'],
    ['an encoded word', '=?utf-8?q?Bcc:_eve=40evil.test?=@shop.test'],
    ['a quoted header', '"Bcc:eve"@shop.test'],
    ['an internationalized local part', 'jürgen@shop.test'],
    ['a quoted local part', '"a b"@shop.test'],
    ['a domain name with umlauts', 'ann@blümen.test'],
  ])('have no further receivers or headers if the address holds %s', async (_, to) => {
    const server = await start();
    await add(to, 'ann\r\nBcc: eve@evil.test', 'acme\r\nBcc: eve@evil.test');
    await send(`smtp://localhost:${server.port}`);
    for (const mail of server.received) {
      expect(mail.to).toHaveLength(1);
      expect(mail.to[0]).not.toBe('eve@evil.test');
      expect(mail.source.split('\r\n\r\n')[0]).not.toMatch(/^(?:Bcc|Cc):/im);
    }
  });

  it('are stored as files, for development', async () => {
    const folder = join(temporaryFolder('mail-'), 'new/folder');
    await add();
    await send(`file:${folder}`);
    const { readdirSync, readFileSync } = await import('node:fs');
    const [file, ...others] = readdirSync(folder);
    expect(others).toEqual([]);
    expect(readFileSync(join(folder, file!), 'utf8')).toContain('Choose a new password');
  });

  it('wait if their folder cannot be created', async () => {
    const blocked = join(temporaryFolder('mail-'), 'file');
    mkdirSync(join(blocked, '..'), { recursive: true });
    writeFileSync(blocked, '');
    await add();
    await send(`file:${blocked}/below`);
    expect(await list()).toMatchObject([{ attempts: 1, nextAt: clock.now() + 5 * SECOND_MS }]);
  });
});
