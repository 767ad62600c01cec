// Times and numbers in the language of the page and the time zone of the browser.
import { language } from './i18n.ts';

type Format = Intl.DateTimeFormatOptions;

const DATE_TIME: Format = { dateStyle: 'medium', timeStyle: 'short' };
const MOMENT: Format = { dateStyle: 'medium', timeStyle: 'medium' };
const ZONED: Format = { dateStyle: 'medium', timeStyle: 'long' };
const TIME: Format = { timeStyle: 'short' };
const UTC_DAY: Format = { day: 'numeric', month: 'short', timeZone: 'UTC' };
const HOUR: Format = { weekday: 'short', hour: '2-digit', minute: '2-digit' };
const EXACT: Format = { dateStyle: 'full', timeStyle: 'long' };

// Creating a format takes longer than a row of a table.
const formats = new Map<string, Intl.DateTimeFormat>();

/** British English has the day before the month and 24 hours, as most of the world. */
const locale = () => ({ en: 'en-GB', de: 'de' })[language.value];

function format(time: Date | string | number, options: Format): string {
  const key = `${locale()} ${JSON.stringify(options)}`;
  const found = formats.get(key) ?? new Intl.DateTimeFormat(locale(), options);
  formats.set(key, found);
  return found.format(new Date(time));
}

/** `23 Nov 2026, 19:40` */
export const formatDateTime = (time: Date | string | number): string => format(time, DATE_TIME);
/** `23 Nov 2026, 19:40:05` */
export const formatMoment = (time: Date | string | number): string => format(time, MOMENT);
/** `23 Nov 2026, 19:40:05 CET` */
export const formatZoned = (time: Date | string | number): string => format(time, ZONED);
/** `19:40` */
export const formatTime = (time: Date | string | number): string => format(time, TIME);
/** `23 Nov`, of a day in UTC. */
export const formatUtcDay = (time: Date | string | number): string => format(time, UTC_DAY);
/** `Mon 19:00` */
export const formatHour = (time: Date | string | number): string => format(time, HOUR);
/** With day of the week, seconds and time zone, for titles. */
export const formatExact = (time: Date | string | number): string => format(time, EXACT);

export const formatNumber = (value: number): string => value.toLocaleString(locale());

const UNITS = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const;

/** `in 5 minutes`, `2 hours ago`: in the largest unit that is reached after rounding to the next smaller one, so never `in 60 seconds`. */
export function formatRelative(time: Date | string | number, now: number = Date.now()): string {
  const seconds = (new Date(time).getTime() - now) / 1000;
  const isLongEnough = (length: number, smaller: number) => Math.round(Math.abs(seconds) / smaller) * smaller >= length;
  const [unit, length] =
    UNITS.find(([, length], index) => isLongEnough(length, UNITS[index + 1]?.[1] ?? 1)) ?? (['second', 1] as const);
  // `now`, but not `tomorrow`: a day from now can be the same date.
  const numeric = unit === 'second' ? 'auto' : 'always';
  return new Intl.RelativeTimeFormat(locale(), { numeric }).format(Math.round(seconds / length), unit);
}

/** `15 minutes`, `7 days`: in the largest unit that needs no fraction. */
export function formatDuration(seconds: number): string {
  const [unit, length] =
    UNITS.find(([, length]) => seconds >= length && seconds % length === 0) ?? (['second', 1] as const);
  return (seconds / length).toLocaleString(locale(), { style: 'unit', unit, unitDisplay: 'long' });
}

/** Returns a time as fields of the browser want it: local, to the minute. */
export function toLocal(time: string | undefined): string {
  if (time === undefined) return '';
  const date = new Date(time);
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

/** Returns the time of such a field. */
export const fromLocal = (time: string): string => new Date(time).toISOString();
