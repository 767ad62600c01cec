// Corrects headers that grpc-js 1.14 or Node's HTTP/2 would misread.
import type { IncomingHttpHeaders } from 'node:http2';
import type { Server } from '@grpc/grpc-js';
import { listenersOf } from './connections.ts';

/** The range of timers. */
export const MAX_TIMEOUT_MS = 2 ** 31 - 1;
const LONGEST_TIMEOUT = `${Math.floor(MAX_TIMEOUT_MS / 3_600_000)}H`;
/** The units in which 8 digits can exceed the maximum, in milliseconds. */
const UNIT_MS: Readonly<Record<string, number>> = { H: 3_600_000, M: 60_000, S: 1_000 };
const LONG_TIMEOUT = /(\d{1,8})\s*([HMS])/;

/** The headers with credentials. Nobody may choose which of several counts. */
export const CREDENTIALS = ['authorization', 'x-api-key'];

/** Corrects the headers of every call of a bound server. */
export function correctHeaders(server: Server): void {
  for (const listener of listenersOf(server)) {
    listener.prependListener(
      'stream',
      (_stream: unknown, headers: IncomingHttpHeaders, _flags: unknown, raw: readonly string[]) => {
        shortenTimeout(headers);
        for (const name of CREDENTIALS) keepRepeated(name, headers, raw);
      },
    );
  }
}

/** grpc-js counts the remaining time in 32-bit milliseconds: more than 596 h would overflow. */
function shortenTimeout(headers: IncomingHttpHeaders): void {
  const [, digits, unit] = LONG_TIMEOUT.exec(String(headers['grpc-timeout'])) ?? [];
  if (unit !== undefined && Number(digits) * UNIT_MS[unit]! > MAX_TIMEOUT_MS) headers['grpc-timeout'] = LONGEST_TIMEOUT;
}

/**
 * Node keeps only the first of several `authorization` headers and joins other headers. This restores all values, in
 * the binary form that allows several.
 */
function keepRepeated(name: string, headers: IncomingHttpHeaders, raw: readonly string[]): void {
  const values = raw.filter((_value, index) => index % 2 === 1 && raw[index - 1] === name);
  if (values.length < 2) return;
  const sent = headers[`${name}-bin`] ?? [];
  headers[`${name}-bin`] = [...values.map((value) => Buffer.from(value).toString('base64')), ...[sent].flat()];
  delete headers[name];
}
