// The way out: an SMTP server (RFC 5321), or a folder for development.
import { readFileSync } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { default as SMTPConnection } from 'nodemailer/lib/smtp-connection';
import { makeFolder } from '../../platform/files/make-folder.ts';
import { toMailbox } from '../../platform/formats/mail-address.ts';
import { parseMailUrl, type MailServer } from '../../platform/formats/mail-url.ts';
import type { RenderedMail } from './render-mail.ts';

/** A mail to send. */
export interface OutgoingMail extends RenderedMail {
  /** The same at each attempt, so that receivers can recognise a mail that came twice. */
  readonly id: string;
  readonly to: string;
  readonly createdAt: number;
}

/** The outcome of an attempt. */
export type Delivery =
  | { readonly kind: 'sent' }
  | {
      readonly kind: 'failed';
      readonly error: string;
      /** Whether the server refused this mail for good. */
      readonly isPermanent: boolean;
      /** Whether the server may have accepted the mail nevertheless. */
      readonly isUnknown: boolean;
    };

export interface Transport {
  /** @param stopping Ends the attempt. */
  deliver(mail: OutgoingMail, stopping: AbortSignal): Promise<Delivery>;
}

export const MAX_MAIL_BYTES = 50_000;

/** @param options.url `app.mail.url` */
export function createTransport(options: {
  readonly url: string;
  readonly from: string;
  readonly publicUrl: string;
  /** For tests. Default: 10 s to connect, 30 s without a byte, 90 s in all. */
  readonly timeouts?: Timeouts;
}): Transport {
  const { url, from, publicUrl, timeouts = DEFAULT_TIMEOUTS } = options;
  const target = parseMailUrl(url);
  const compose = createComposer(from, new URL(publicUrl).hostname);
  if (target.kind === 'file') return { deliver: async (mail) => store(target.folder, mail, await compose(mail)) };
  const connectionOptions = { ...connectionOptionsOf(target), ...timeoutOptions(timeouts) };
  return {
    async deliver(mail, stopping) {
      const to = toMailbox(mail.to);
      if (to === undefined) return refused('no mail can be sent to the address');
      const message = await compose({ ...mail, to });
      return message.length > MAX_MAIL_BYTES
        ? refused(`the mail has ${message.length} bytes`)
        : send(connectionOptions, target, { from, to, totalMs: timeouts.totalMs, stopping }, message);
    },
  };
}

const refused = (error: string): Delivery => ({ kind: 'failed', error, isPermanent: true, isUnknown: false });

interface Timeouts {
  readonly connectMs: number;
  readonly idleMs: number;
  readonly totalMs: number;
}

/** No attempt takes longer, so that a lease that is longer does not end during one. */
export const MAX_ATTEMPT_MS = 90_000;
const DEFAULT_TIMEOUTS: Timeouts = { connectMs: 10_000, idleMs: 30_000, totalMs: MAX_ATTEMPT_MS };

const timeoutOptions = ({ connectMs, idleMs }: Timeouts) => ({
  connectionTimeout: connectMs,
  greetingTimeout: connectMs,
  dnsTimeout: connectMs,
  socketTimeout: idleMs,
});

/**
 * STARTTLS is required beyond loopback. On loopback it is used if the server offers it, without a check of the certificate,
 * because those of local servers are usually not signed.
 */
export function connectionOptionsOf({ host, port, implicitTls, isLoopback, ca }: MailServer) {
  const isUnchecked = isLoopback && !implicitTls && ca === undefined;
  return {
    host,
    port,
    secure: implicitTls,
    requireTLS: !implicitTls && !isLoopback,
    tls: {
      minVersion: 'TLSv1.2' as const,
      rejectUnauthorized: !isUnchecked,
      ...(ca !== undefined && { ca: readFileSync(ca) }),
    },
  };
}

/** Returns a function that builds the message (RFC 5322) with its text and HTML. */
function createComposer(from: string, host: string) {
  return async ({ id, to, createdAt, subject, text, html, senderName }: OutgoingMail): Promise<Buffer> => {
    const { default: MailComposer } = await import('nodemailer/lib/mail-composer');
    const composer = new MailComposer({
      from: { name: senderName, address: from },
      to: { name: '', address: to },
      subject,
      text,
      html,
      // The mails of development are read by eye.
      textEncoding: 'quoted-printable',
      messageId: `<${id}@${host}>`,
      date: new Date(createdAt),
      headers: { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' },
      disableFileAccess: true,
      disableUrlAccess: true,
    });
    return composer.compile().build();
  };
}

/** Stores a mail as a file, under its name only when it is complete. */
async function store(folder: string, { id }: OutgoingMail, message: Buffer): Promise<Delivery> {
  try {
    makeFolder(folder);
    const path = join(folder, `${id}.eml`);
    await writeFile(`${path}.part`, message, { mode: 0o600 });
    await rename(`${path}.part`, path);
    return { kind: 'sent' };
  } catch (error) {
    return { kind: 'failed', error: (error as Error).message, isPermanent: false, isUnknown: false };
  }
}

type ConnectionOptions = NonNullable<ConstructorParameters<typeof SMTPConnection>[0]>;

/** An error of nodemailer. */
interface SmtpError extends Error {
  readonly code?: string;
  readonly responseCode?: number;
  /** The command that was refused. */
  readonly command?: string;
}

/** RFC 4954 section 6. An operator can correct the credentials. */
const OF_THE_CREDENTIALS: ReadonlySet<number> = new Set([530, 534, 535, 538]);
/** RFC 3463 section 3.8: a policy of the server, such as relaying, which an operator can correct. */
const OF_THE_POLICY = /\b5\.7\.\d{1,3}\b/;

/**
 * Whether the server refuses this mail for good: its receiver, or its content. A refused sender is a fault of the configuration.
 * nodemailer itself refuses receivers that are no addresses.
 */
function concernsMail({ code, responseCode = 0, command, message }: SmtpError, hasBegun: boolean): boolean {
  if (responseCode === 0) return code === 'EENVELOPE';
  const isRefused = responseCode >= 500 && !OF_THE_CREDENTIALS.has(responseCode) && !OF_THE_POLICY.test(message);
  return isRefused && (command === 'RCPT TO' || hasBegun);
}

interface Attempt {
  readonly from: string;
  readonly to: string;
  readonly totalMs: number;
  readonly stopping: AbortSignal;
}

/** Sends a message over a connection of its own. */
async function send(
  options: ConnectionOptions,
  { user, password }: MailServer,
  { from, to, totalMs, stopping }: Attempt,
  message: Buffer,
): Promise<Delivery> {
  const { default: Connection } = await import('nodemailer/lib/smtp-connection');
  const connection = new Connection(options);
  // The server asks for the content after it has accepted sender and receiver. From then on it may keep the mail.
  let hasBegun = false;
  const content = new Readable({
    read() {
      hasBegun = true;
      this.push(message);
      this.push(null);
    },
  });
  let timer: NodeJS.Timeout | undefined;
  try {
    await new Promise<void>((resolve, reject) => {
      // A server that sends a byte now and then never reaches the other limits.
      timer = setTimeout(() => reject(new Error(`the server took longer than ${totalMs / 1_000} s`)), totalMs);
      const stop = () => reject(new Error('the service stopped'));
      if (stopping.aborted) stop();
      else stopping.addEventListener('abort', stop, { once: true });
      connection.on('error', reject);
      connection.on('end', () => reject(new Error('the server closed the connection')));
      const sendContent = () =>
        connection.send({ from, to: [to] }, content, (error) => (error ? reject(error) : resolve()));
      connection.connect((error) => {
        if (error) reject(error);
        else if (user === undefined || password === undefined) sendContent();
        else
          connection.login({ user, credentials: { user, pass: password } }, (refusal) =>
            refusal ? reject(refusal) : sendContent(),
          );
      });
    });
    connection.quit();
    return { kind: 'sent' };
  } catch (error) {
    connection.close();
    const { responseCode = 0, message: text } = error as SmtpError;
    return {
      kind: 'failed',
      // Some servers repeat the address.
      error: text.replaceAll(to, 'the address').replaceAll(/\s+/g, ' '),
      isPermanent: concernsMail(error as SmtpError, hasBegun),
      isUnknown: hasBegun && responseCode === 0,
    };
  } finally {
    clearTimeout(timer);
  }
}
