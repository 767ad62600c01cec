import { ServiceError } from '../errors.ts';

/** Returns the type of an error for a span. Messages stay out of spans, because they can contain data of a request. */
export function errorType(error: unknown): string {
  if (error instanceof ServiceError) return error.reason;
  return error instanceof Error ? error.name : typeof error;
}
