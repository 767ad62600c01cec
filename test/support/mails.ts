// The mails of a deployment that stores them as files.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { eventually } from './eventually.ts';
import { temporaryFolder } from './temporary-folder.ts';

export const PUBLIC_URL = 'https://auth.shop.test';

export interface SentMail {
  readonly to: string;
  readonly from: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** The token in its link; undefined if it has no link. */
  readonly token: string | undefined;
  /** The token of a link that stops a change. */
  readonly stop: string | undefined;
}

/** Creates a folder for mails and the settings to use it. */
export function mailFolder() {
  const folder = temporaryFolder('mail-');
  const to = (address: string): SentMail[] => readAll(folder).filter((mail) => mail.to === address);
  return {
    settings: { 'app.mail.url': `file:${folder}`, 'app.public-url': PUBLIC_URL },
    /** Returns the mails to an address, the oldest first. */
    to,
    all: () => readAll(folder),
    /** Does something that sends a mail with a link to an address. Returns its token. */
    async tokenTo(address: string, act: () => Promise<unknown>): Promise<string> {
      // A notice without a link can come between.
      const tokens = () => to(address).flatMap(({ token }) => token ?? []);
      const count = tokens().length;
      await act();
      return eventually(() => {
        const found = tokens();
        expect(found.length).toBeGreaterThan(count);
        return found.at(-1)!;
      });
    },
  };
}

function readAll(folder: string): SentMail[] {
  const names = readdirSync(folder).filter((name) => name.endsWith('.eml'));
  return names.toSorted().map((name) => parse(readFileSync(join(folder, name), 'utf8').replaceAll('\r\n', '\n')));
}

function parse(source: string): SentMail {
  const [head = ''] = source.split('\n\n', 1);
  const header = (name: string) => words(new RegExp(`^${name}: ((?:.*\n )*.*)$`, 'm').exec(`${head}\n`)?.[1] ?? '');
  // A line of a wrapped token can begin with two hyphens, too.
  const boundary = /boundary="(.*?)"/.exec(head)?.[1] ?? '';
  const part = (type: string) => {
    const [, rest = ''] = new RegExp(`Content-Type: text/${type}[^]*?\n\n([^]*)`).exec(source) ?? [];
    const [encoded = ''] = rest.split(`\n--${boundary}`, 1);
    return decode(encoded.replaceAll(/=\n/g, ''));
  };
  const text = part('plain');
  return {
    to: header('To'),
    from: header('From'),
    subject: header('Subject'),
    text,
    html: part('html'),
    token: /#token=([\w-]+)/.exec(text)?.[1],
    stop: /#stop=([\w-]+)/.exec(text)?.[1],
  };
}

/** Decodes quoted-printable text. */
function decode(text: string): string {
  const bytes = text.replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1').toString();
}

/** Decodes encoded words (RFC 2047). */
function words(text: string): string {
  return text
    .replaceAll(/\n /g, '')
    .replaceAll(/=\?UTF-8\?Q\?(.*?)\?=/gi, (_, word: string) => decode(word.replaceAll('_', ' ')))
    .replaceAll(/=\?UTF-8\?B\?(.*?)\?=/gi, (_, word: string) => Buffer.from(word, 'base64').toString());
}
