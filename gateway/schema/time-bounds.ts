// Query parameters that name a time or a whole day.
import Type from 'typebox';
import { documented } from './documented.ts';
import { instantOf } from './instant.ts';

const DAY = /^\d{4}-\d\d-\d\d$/;
const TIME = '[Tt ](?:[01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d(?:\\.\\d+)?(?:[Zz]|[+-](?:[01]\\d|2[0-3]):?[0-5]\\d)';
const PATTERN = `^\\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\\d|3[01])(?:${TIME})?$`;

/** The Ajv format `time-bound`: the calendar has the day that the text begins with. */
export function isTimeBound(text: string): boolean {
  const day = text.slice(0, 10);
  const instant = new Date(`${day}T00:00:00.000Z`);
  return !Number.isNaN(instant.getTime()) && instant.toISOString().startsWith(day);
}

/** A time, or a day of UTC. One format, because a choice of two makes classes of their own in generated clients. */
export const timeParameter = (description: string) =>
  Type.Optional(
    Type.String({
      pattern: PATTERN,
      format: 'time-bound',
      ...documented({ pattern: PATTERN.replace('\\d{4}', '(?:19[7-9]\\d|[2-9]\\d{3})') }),
      // No `examples`: the page that shows the description would send the first of them where nobody sets another.
      description: `${description} A time of RFC 3339 (2026-02-14T09:00:00Z), or a day of UTC as a whole (2026-02-14).`,
    }),
  );

/** When a checked parameter begins. Throws GatewayError (400) for a leap second. */
export function beginOf(text: string | undefined, field: string): Date | undefined {
  return instantOf(text !== undefined && DAY.test(text) ? `${text}T00:00:00.000Z` : text, field);
}

/** The last millisecond of a checked parameter. Throws GatewayError (400) for a leap second. */
export function endOf(text: string | undefined, field: string): Date | undefined {
  return instantOf(text !== undefined && DAY.test(text) ? `${text}T23:59:59.999Z` : text, field);
}
