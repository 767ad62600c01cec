import { invalidFields } from '../errors/gateway-error.ts';

/**
 * The time that a checked `date-time` names (RFC 3339 section 5.6). Throws GatewayError (400) for one that the calendar
 * has but no clock here: a leap second.
 *
 * @param field The member that holds it.
 */
export function instantOf(text: string | undefined, field: string): Date | undefined {
  if (text === undefined) return undefined;
  const instant = new Date(text);
  if (!Number.isNaN(instant.getTime())) return instant;
  const violation = { message: 'must name a time', format: 'format', props: [field], params: { format: 'date-time' } };
  throw invalidFields([violation]);
}
