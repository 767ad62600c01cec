// Log lines: JSON for machines, readable text on a terminal. Each line is written at once, so that a crash loses none.
import { createRequire } from 'node:module';
import { type DestinationStream, type LogFn, type Logger, pino, type SerializedError } from 'pino';
import type * as Pretty from 'pino-pretty';
import type { Settings } from '../config/settings.ts';
import { unicodeEscapes } from '../formats/characters.ts';
import { DependencyUnavailableError } from '../errors.ts';
import { originalStack } from '../original-stack.ts';

/** C1 controls and DELETE, format characters such as bidirectional controls, and the Unicode line separators. */
const RAW = /[\u007F-\u009F\p{Cf}\u2028\u2029]/gu;
/** Escape sequences in JSON: of a C0 control, or of any other character such as a backslash. */
const ESCAPES = /\\(?:u00[01][0-9a-f]|.)/gs;
const CONTROL_ESCAPE = /^\\(?:u00|[bfr])/;

/** Escapes these characters in a line of JSON. Its value stays the same. */
export function escapeJsonLine(line: string): string {
  return line.replace(RAW, unicodeEscapes);
}

/**
 * Escapes these characters and C0 controls in a line of JSON twice. So they are still escapes after parsing.
 */
export function showEscapes(line: string): string {
  const shown = line.replace(ESCAPES, (escape) => (CONTROL_ESCAPE.test(escape) ? `\\${escape}` : escape));
  return shown.replace(RAW, (character) => unicodeEscapes(character).replaceAll('\\', '\\\\'));
}

export interface LoggerOptions {
  readonly level: Settings['app.log.level'];
  /** `auto`: readable if the destination is a terminal, JSON otherwise. */
  readonly format: Settings['app.log.format'];
  /** Field `name` of every line. */
  readonly name: string;
  readonly destination: DestinationStream & { readonly isTerminal?: boolean };
  /** Adds fields to every line. */
  readonly fields?: (() => object) | undefined;
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

/** Objects that may contain such fields. They are listed, because a wildcard triples the cost of every line. */
const PARENTS = ['body', 'request', 'response'];
const HEADER_PARENTS = ['headers', 'req.headers', 'res.headers'];

/** Second line of defence: no code should log these. `err.sql` may contain values. */
const REDACTED = [
  'err.sql',
  ...SECRET_FIELDS,
  ...PARENTS.flatMap((parent) => SECRET_FIELDS.map((field) => `${parent}.${field}`)),
  ...HEADER_PARENTS.flatMap((parent) => SECRET_HEADERS.map((name) => `${parent}["${name}"]`)),
];

/** Whether the lines are text for people, not JSON. */
export function isReadable({ format, destination }: Pick<LoggerOptions, 'format' | 'destination'>): boolean {
  return format === 'pretty' || (format === 'auto' && destination.isTerminal === true);
}

/** Creates the logger of a process. */
export function createLogger({ level, format, name, destination, fields }: LoggerOptions): Logger {
  const readable = isReadable({ format, destination });
  return pino(
    {
      name,
      level,
      redact: REDACTED,
      serializers: { err: serializeError },
      ...(fields && { mixin: fields }),
      hooks: { streamWrite: readable ? showEscapes : escapeJsonLine, logMethod: quietOutage },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    readable ? readableStream(destination, destination.isTerminal === true) : destination,
  );
}

const WARN = 40;

/** Logs a job that the database has failed at debug, because it runs again, and outages of the database are logged once. */
function quietOutage(this: Logger, args: Parameters<LogFn>, method: LogFn, level: number): void {
  const { err } = (args[0] ?? {}) as { readonly err?: unknown };
  const isQuiet = level === WARN && err instanceof DependencyUnavailableError && err.isOfDatabase;
  if (isQuiet) this.debug(...args);
  else method.apply(this, args);
}

/** Like pino, with the places in the sources. An unavailable dependency has no place in them. */
function serializeError(error: Error): SerializedError | Pick<SerializedError, 'type' | 'message'> {
  if (error instanceof DependencyUnavailableError) return { type: error.name, message: error.message };
  const serialized = pino.stdSerializers.err(error);
  if (typeof serialized?.stack === 'string') serialized.stack = originalStack(serialized.stack);
  return serialized;
}

/** Formats lines as readable text, each on one line, but for stacks. Loads pino-pretty only here, because production does not need it. */
function readableStream(destination: DestinationStream, colorize: boolean): DestinationStream {
  const { prettyFactory } = createRequire(import.meta.url)('pino-pretty') as typeof Pretty;
  const toReadable = prettyFactory({
    colorize,
    singleLine: true,
    translateTime: 'SYS:HH:MM:ss.l',
    ignore: 'pid,hostname,name',
  });
  return { write: (line) => destination.write(toReadable(line)) };
}
