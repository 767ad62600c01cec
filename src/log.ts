// Log lines: JSON for machines, readable on a terminal; written synchronously, so that none is lost in a crash.
import { createRequire } from 'node:module';
import { pino } from 'pino';
import type { DestinationStream, Logger } from 'pino';
import type * as Pretty from 'pino-pretty';
import type { Settings } from './config/settings.ts';

export interface LoggerOptions {
  readonly level: Settings['app.log.level'];
  /** `auto`: readable when standard output is a terminal, JSON otherwise. */
  readonly format: Settings['app.log.format'];
  /** Field `name` of every line. */
  readonly name: string;
  /** Where the lines go, default standard output. */
  readonly destination?: DestinationStream;
}

const SECRET_FIELDS = [
  'authorization',
  'cookie',
  'password',
  'secret',
  'accessToken',
  'refreshToken',
  'clientSecret',
  'apiKey',
];
const SECRET_HEADERS = ['authorization', 'cookie', 'set-cookie', 'x-api-key', 'x-refresh-token'];

/** Objects that may hold such fields. Named, because a wildcard trebles the cost of every line. */
const PARENTS = ['body', 'request', 'response'];
const HEADER_PARENTS = ['headers', 'req.headers', 'res.headers'];

/** A second fence: nothing should log these in the first place. `err.sql` may carry values. */
const REDACTED = [
  'err.sql',
  ...SECRET_FIELDS,
  ...PARENTS.flatMap((parent) => SECRET_FIELDS.map((field) => `${parent}.${field}`)),
  ...HEADER_PARENTS.flatMap((parent) => SECRET_HEADERS.map((name) => `${parent}["${name}"]`)),
];

/** Creates the logger of a process. */
export function createLogger({ level, format, name, destination }: LoggerOptions): Logger {
  const readable = format === 'pretty' || (format === 'auto' && destination === undefined && process.stdout.isTTY);
  return pino(
    {
      name,
      level,
      redact: REDACTED,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    readable ? readableStream(destination) : (destination ?? pino.destination({ dest: 1, sync: true })),
  );
}

/** pino-pretty as a stream of this thread. Loaded here because production does without it. */
function readableStream(destination: DestinationStream | undefined): DestinationStream {
  const pretty = createRequire(import.meta.url)('pino-pretty') as typeof Pretty.default;
  return pretty({
    sync: true,
    colorize: destination === undefined && process.stdout.isTTY,
    translateTime: 'SYS:HH:MM:ss.l',
    ignore: 'pid,hostname,name',
    ...(destination === undefined ? {} : { destination: destination as NodeJS.WritableStream }),
  });
}
