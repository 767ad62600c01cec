// Every address that requests can contain is one receiver of a mail, and no address adds a header.
import { format } from 'node:util';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { FieldRule, Format } from '../../proto/gen/authservice/rule/v1/rule.ts';
import { createTransport } from '../../src/auth/mail/transport.ts';
import { parseDomainName } from '../../src/platform/formats/names.ts';
import { TEXT_FORMATS } from '../../src/platform/rpc/contract/formats.ts';
import { createMessage } from '../../src/platform/rpc/message.ts';
import { ROUNDS } from '../support/rounds.ts';
import { startSmtpServer } from '../support/smtp-server.ts';

const EMAIL = TEXT_FORMATS[Format.FORMAT_EMAIL]!;
const RULE = createMessage(FieldRule, { format: Format.FORMAT_EMAIL, min: 3, max: 320 });
const NEVER = new AbortController().signal;

let commands: string[] = [];
let server: Awaited<ReturnType<typeof startSmtpServer>>;
let transport: ReturnType<typeof createTransport>;

beforeAll(async () => {
  // The server decodes domains. Its log has the commands as they came.
  const write = (_data: unknown, ...text: unknown[]) => void commands.push(format(...text));
  const logger = { trace: write, debug: write, info: write, warn: write, error: write, fatal: write };
  server = await startSmtpServer({ logger });
  transport = createTransport({
    url: `smtp://localhost:${server.port}`,
    from: 'no-reply@shop.test',
    publicUrl: 'https://auth.shop.test',
  });
});
afterAll(() => server.close());

const PIECES = [
  ...'aZ0.-_+@é例💐\u3002ß "\\<>(),;:[]%\t\u00a0\u2028\u0085',
  'xn--',
  'test',
  '.test',
  '@shop.test',
  '=?utf-8?q?a?=',
  '\r\n',
  'Bcc: eve@evil.test',
  '127.0.0.1',
  'SIZE=1',
];
/** Addresses of all kinds, and texts that are almost one. */
const addresses = fc.oneof(
  fc.emailAddress({ size: 'small' }),
  fc.array(fc.constantFrom(...PIECES), { minLength: 1, maxLength: 8 }).map((pieces) => pieces.join('')),
  fc
    .tuple(fc.array(fc.constantFrom(...PIECES), { minLength: 1, maxLength: 4 }), fc.constantFrom(...PIECES))
    .map(([pieces, domain]) => `${pieces.join('')}@${domain}shop.test`),
);

/** The headers of each mail, in their order. */
const HEADERS =
  'Auto-Submitted X-Auto-Response-Suppress From To Subject Message-ID Date MIME-Version Content-Type'.split(' ');

/** Addresses that requests can contain. The server lets each connection wait, so they are sent at once. */
const accepted = fc.array(
  addresses.map((text) => EMAIL.normalize(text)).filter((text) => EMAIL.check(text, RULE) === undefined),
  { minLength: 20, maxLength: 20 },
);

it('are sent to as they are, to nobody else, with the headers of each mail', async () => {
  await fc.assert(
    fc.asyncProperty(accepted, async (receivers) => {
      commands = [];
      server.received.splice(0);
      const mail = { subject: 'Hello', text: 'Hello', html: '<p>Hello</p>', senderName: 'acme', id: 'x', createdAt: 0 };
      for (const delivery of await Promise.all(receivers.map((to) => transport.deliver({ ...mail, to }, NEVER))))
        expect(delivery).toEqual({ kind: 'sent' });
      const mailboxes = receivers.map(withAsciiDomain).toSorted();
      expect(commands.flatMap((line) => /RCPT TO:<(.*)>$/.exec(line)?.[1] ?? []).toSorted()).toEqual(mailboxes);
      expect(commands.filter((line) => line.includes('RCPT TO'))).toHaveLength(mailboxes.length);
      const heads = server.received.map(({ source }) => source.split('\r\n\r\n', 1)[0]!.replaceAll(/\r\n\s/g, ' '));
      for (const head of heads) expect(head.match(/^[\w-]+(?=:)/gm)).toEqual(HEADERS);
      expect(heads.map((head) => withAsciiDomain(/^To: +(.*)\r$/m.exec(head)?.[1] ?? '')).toSorted()).toEqual(
        mailboxes,
      );
    }),
    { numRuns: ROUNDS, endOnFailure: true },
  );
});

const withAsciiDomain = (address: string): string =>
  address.replace(/[^@]*$/, (domain) => parseDomainName(domain) ?? 'no domain');
