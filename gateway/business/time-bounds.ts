// Query parameters that name a time or a whole day.
import Type from 'typebox';
import { instantOf } from '../http/instant.ts';

const DAY = /^\d{4}-\d\d-\d\d$/;

/** A time, or a day of UTC. */
export const timeParameter = (description: string) =>
  Type.Optional(
    Type.Union([Type.String({ format: 'date' }), Type.String({ format: 'date-time' })], {
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
