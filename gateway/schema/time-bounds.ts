// Query parameters that are a time or a whole day.
import { Type } from '../type.ts';
import { documented } from './documented.ts';
import { invalidFields } from '../errors/gateway-error.ts';

const DAY = /^\d{4}-\d\d-\d\d$/;
const TIME = '[Tt ](?:[01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d(?:\\.\\d+)?(?:[Zz]|[+-](?:[01]\\d|2[0-3]):?[0-5]\\d)';
const PATTERN = `^\\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\\d|3[01])(?:${TIME})?$`;

/** The Ajv format `time-bound`: the text begins with an existing date. */
export function isTimeBound(text: string): boolean {
  const day = text.slice(0, 10);
  const instant = new Date(`${day}T00:00:00.000Z`);
  return !Number.isNaN(instant.getTime()) && instant.toISOString().startsWith(day);
}

/** Schema of a time or a day in UTC. One format, because generated clients would get extra classes for alternatives. */
export const timeParameter = (description: string) =>
  Type.Optional(
    Type.String({
      pattern: PATTERN,
      format: 'time-bound',
      ...documented({ pattern: PATTERN.replace('\\d{4}', '(?:19[7-9]\\d|[2-9]\\d{3})') }),
      // No `examples`: the documentation page would send the first one by default.
      description: `${description} A time of RFC 3339 (2026-02-14T09:00:00Z), or a whole day in UTC (2026-02-14).`,
    }),
  );

/** Returns the first millisecond of a validated parameter. Throws GatewayError VALIDATION_ERROR for a leap second. */
export function beginOf(text: string | undefined, field: string): Date | undefined {
  return parseInstant(text !== undefined && DAY.test(text) ? `${text}T00:00:00.000Z` : text, field);
}

/** Returns the last millisecond of a validated parameter. Throws GatewayError VALIDATION_ERROR for a leap second. */
export function endOf(text: string | undefined, field: string): Date | undefined {
  return parseInstant(text !== undefined && DAY.test(text) ? `${text}T23:59:59.999Z` : text, field);
}

/**
 * Parses a validated `date-time` (RFC 3339 section 5.6). Throws GatewayError VALIDATION_ERROR for a leap second, which Date does
 * not support.
 *
 * @param field Name of the member, for the violation.
 */
export function parseInstant(text: string | undefined, field: string): Date | undefined {
  if (text === undefined) return undefined;
  const instant = new Date(text);
  if (!Number.isNaN(instant.getTime())) return instant;
  const params = { format: 'date-time' };
  const violation = { message: 'must not be a leap second', format: 'format', props: [field], params };
  throw invalidFields([violation]);
}
