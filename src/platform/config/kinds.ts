// Kinds of values: the values that a setting accepts, described in words and checked by code.
import { availableParallelism } from 'node:os';
import { decodeBase64 } from '../formats/base64.ts';

const UNIT_MS: Readonly<Record<string, number>> = { '': 1000, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/**
 * Parses `900`, `900s`, `15m`, `12h` or `30d` to milliseconds. A bare number means seconds. Returns undefined for any
 * other text.
 */
export function parseDuration(text: string): number | undefined {
  const match = /^(\d{1,15})([smhd]?)$/.exec(text);
  const ms = match ? Number(match[1]) * UNIT_MS[match[2]!]! : Number.NaN;
  return Number.isSafeInteger(ms) ? ms : undefined;
}

/**
 * Formats milliseconds, which must be whole seconds, in the largest unit that divides them. Inverse of `parseDuration`.
 */
export function formatDuration(ms: number): string {
  const divides = (unit: string): boolean => ms % (UNIT_MS[unit] ?? 1) === 0;
  const unit = ms === 0 ? 's' : (['d', 'h', 'm'].find(divides) ?? 's');
  return `${ms / UNIT_MS[unit]!}${unit}`;
}

/** An unparsed value: text, or a list of texts (YAML only). Every YAML scalar is read as its source text. */
export type Raw = string | readonly string[];

/** Returned by `Kind.parse` for an invalid value. */
export const REFUSED: unique symbol = Symbol('refused');
export type Refused = typeof REFUSED;

export interface Kind<T> {
  /** The accepted values, worded to follow "give" or "accepts". */
  readonly accepts: string;
  parse(raw: Raw): T | Refused;
  /** Formats the value as it could be written, with passwords masked. */
  show(value: T): string;
}

/** Replaces secrets in output. */
export const MASK = '******';

/** A kind that takes one text. */
export function scalar<T>(
  accepts: string,
  parse: (text: string) => T | Refused,
  show: (value: T) => string = String,
): Kind<T> {
  return { accepts, parse: (raw) => (typeof raw === 'string' ? parse(raw) : REFUSED), show };
}

/** Text that matches a pattern. */
export function pattern(accepts: string, regexp: RegExp): Kind<string> {
  return scalar(accepts, (text) => (regexp.test(text) ? text : REFUSED));
}

/** 1-`max` characters of text without control characters. */
export function text(max: number): Kind<string> {
  return pattern(`text of 1 to ${max} characters`, new RegExp(`^[^\\p{Cc}]{1,${max}}$`, 'u'));
}

/** A path in the file system, relative to the working directory or absolute. */
export const path: Kind<string> = pattern('a file path', /^[^\p{Cc}]{1,4096}$/u);

export function choice<const T extends string>(...values: readonly T[]): Kind<T> {
  const accepts = values.map((value) => `\`${value}\``).join(', ');
  return scalar(accepts, (text) => values.find((value) => value === text) ?? REFUSED);
}

export const flag: Kind<boolean> = scalar('`true` or `false`', (text) =>
  text === 'true' || text === 'false' ? text === 'true' : REFUSED,
);

/** A decimal integer within bounds, both included. */
export function integer(min: number, max: number): Kind<number> {
  return scalar(`an integer from ${min} to ${max}`, (text) => {
    const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
    return value >= min && value <= max ? value : REFUSED;
  });
}

/** A decimal number from 0 to 1. */
export const ratio: Kind<number> = scalar('a number from 0 to 1', (text) => {
  const value = /^\d(\.\d{1,6})?$/.test(text) ? Number(text) : Number.NaN;
  return value <= 1 ? value : REFUSED;
});

/** An integer from 1. `auto` is the number of cores available to this process. */
export function perCore(max: number): Kind<number> {
  const number = integer(1, max);
  const parse = (raw: Raw): number | Refused => (raw === 'auto' ? availableParallelism() : number.parse(raw));
  return { ...number, accepts: `${number.accepts}, or \`auto\` (the available cores)`, parse };
}

/** A duration within bounds, both included and written like one. The value is integer milliseconds. */
export function duration(min: string, max: string): Kind<number> {
  const [least, most] = [parseDuration(min)!, parseDuration(max)!];
  const accepts = `a duration such as 900, 900s, 15m, 12h or 30d, from ${min} to ${max}`;
  const parse = (text: string): number | Refused => {
    const ms = parseDuration(text);
    return ms !== undefined && ms >= least && ms <= most ? ms : REFUSED;
  };
  return scalar(accepts, parse, formatDuration);
}

const isNone = (raw: Raw): boolean => raw === '' || raw === 'none';

/** A kind whose value may be missing: `none` or empty. */
export function optional<T>(kind: Kind<T>): Kind<T | undefined> {
  return {
    accepts: `${kind.accepts}, or \`none\``,
    parse: (raw) => (isNone(raw) ? undefined : kind.parse(raw)),
    show: (value) => (value === undefined ? 'none' : kind.show(value)),
  };
}

/** A list: in YAML, or one text with items separated by commas. */
export function list<T>(what: string, item: Kind<T>): Kind<readonly T[]> {
  return {
    accepts: `a list of ${what} (YAML, or separated by commas), or \`none\``,
    parse: (raw) => {
      if (isNone(raw)) return [];
      const values = (typeof raw === 'string' ? raw.split(',') : raw).map((one) => item.parse(one.trim()));
      return values.some((value) => value === REFUSED) ? REFUSED : (values as T[]);
    },
    show: (values) => (values.length === 0 ? 'none' : values.map((value) => item.show(value)).join(',')),
  };
}

/** Base64 of exactly `length` bytes. Never shown. */
export function base64Key(length: number): Kind<Uint8Array> {
  const parse = (text: string): Uint8Array | Refused => {
    const bytes = decodeBase64(text, 'base64');
    return bytes?.length === length ? bytes : REFUSED;
  };
  const accepts = `base64 of exactly ${length} bytes, as made by \`openssl rand -base64 ${length}\``;
  return scalar(accepts, parse, () => MASK);
}
