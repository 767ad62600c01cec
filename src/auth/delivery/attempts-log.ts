// The newest attempts of a delivery, as the text in its row: a line of JSON each. Its length is bounded, because receivers write in it.
import type { DecidedAttempt } from './decide-attempt.ts';

/** An attempt that was kept. */
export interface LoggedAttempt {
  /** When it began, Unix milliseconds. */
  readonly at: number;
  readonly durationMs: number;
  readonly status?: number | undefined;
  /** The beginning of the response's body. */
  readonly body?: string | undefined;
  readonly error?: string | undefined;
}

/** As many as a delivery of a webhook has without an administrator. */
const MAX_ATTEMPTS = 10;
const MAX_BODY_BYTES = 2_048;
const MAX_ERROR_CHARACTERS = 200;
/** Characters that JSON writes in six, and terminals obey. */
// oxlint-disable-next-line no-control-regex
const CONTROL = /(?![\t\n\r])[\u0000-\u001F\u007F-\u009F]/g;

/** Returns the log with one more attempt. The oldest ones give way. */
export function logAttempt(log: string | undefined, attempt: DecidedAttempt, endedAt: number, body?: Buffer): string {
  const { attemptAt: at, responseStatus: status, error } = attempt;
  const logged: LoggedAttempt = {
    at,
    durationMs: Math.max(0, endedAt - at),
    status,
    body: body && excerptOf(body),
    error: error?.slice(0, MAX_ERROR_CHARACTERS),
  };
  const lines = log === undefined ? [] : log.split('\n');
  return [...lines, JSON.stringify(logged)].slice(-MAX_ATTEMPTS).join('\n');
}

/** Returns the attempts of a log, the oldest first. */
export function parseAttempts(log: string | undefined): readonly LoggedAttempt[] {
  return log === undefined ? [] : log.split('\n').map((line) => JSON.parse(line) as LoggedAttempt);
}

/** Returns the first 2 kB of a body as text, which has at most as many bytes again. */
function excerptOf(body: Buffer): string {
  const text = decode(body).replaceAll(CONTROL, '\uFFFD');
  return decode(Buffer.from(text));
}

/** A character that is cut off is left out. */
const decode = (bytes: Buffer): string =>
  new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes.subarray(0, MAX_BODY_BYTES), { stream: true });
