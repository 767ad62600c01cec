import { invalidFields } from '../errors/gateway-error.ts';

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
