// What is wrong with a request, all of it told at once.
import { ServiceError, type Violation } from './errors.ts';

export interface RequestCheck {
  /** Notes a broken rule. */
  violate(violation: Violation): void;
  /** A text without the blanks around it; must then have 1 to `maximum` characters. */
  text(field: string, value: string, maximum: number): string;
  /** A time between 1970 and 9999 in Unix milliseconds. */
  time(field: string, value: Date | undefined): number | undefined;
  /** A time that must not have passed. */
  futureTime(field: string, value: Date | undefined, now: number): number | undefined;
  /** Throws VALIDATION_ERROR where anything was noted. */
  demandValid(publicMessage: string): void;
}

const MAX_TIME = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

export function createRequestCheck(): RequestCheck {
  const violations: Violation[] = [];

  const check: RequestCheck = {
    violate: (violation) => void violations.push(violation),
    text(field, value, maximum) {
      const trimmed = value.trim();
      if (!hasLength(trimmed, 1, maximum)) check.violate(wrongLength(field, 1, maximum));
      return trimmed;
    },
    time(field, value) {
      if (value === undefined) return undefined;
      const time = Math.trunc(value.getTime());
      if (time >= 0 && time <= MAX_TIME) return time;
      check.violate({ message: 'must be a time between 1970 and 9999', format: 'date-time', props: [field] });
      return undefined;
    },
    futureTime(field, value, now) {
      const time = check.time(field, value);
      if (time !== undefined && time <= now) {
        check.violate({ message: 'must be in the future', format: 'future', props: [field] });
      }
      return time;
    },
    demandValid(publicMessage) {
      if (violations.length > 0) throw new ServiceError('VALIDATION_ERROR', { publicMessage, violations });
    },
  };
  return check;
}

/** Whether a well-formed text has between `minimum` and `maximum` Unicode characters. */
export function hasLength(text: string, minimum: number, maximum: number): boolean {
  if (text.length < minimum || text.length > 2 * maximum || !text.isWellFormed()) return false;
  const characters = [...text].length;
  return characters >= minimum && characters <= maximum;
}

export function wrongLength(field: string, minimum: number, maximum: number): Violation {
  return {
    message: `must have ${minimum} to ${maximum} characters`,
    format: 'length',
    props: [field],
    params: { minimum, maximum },
  };
}

const MAX_QUERY = 254;

/** The text to search for; undefined where none is given. */
export function queryText(check: RequestCheck, value: string | undefined): string | undefined {
  if (value === undefined || value === '') return undefined;
  if (!hasLength(value, 1, MAX_QUERY)) check.violate(wrongLength('query', 1, MAX_QUERY));
  return value;
}
