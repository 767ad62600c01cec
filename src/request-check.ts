// What is wrong with a request, all of it told at once.
import { ServiceError, type Violation } from './errors.ts';
import { createViolationList } from './rpc/errors/violations.ts';

export interface RequestCheck {
  /** Notes a broken rule. */
  violate(violation: Violation): void;
  /** A text without the blanks around it; must then have 1 to `maximum` characters. */
  text(field: string, value: string, maximum: number): string;
  /** A whole number from `minimum` to `maximum`. */
  integer(field: string, value: number, minimum: number, maximum: number): number;
  /** A time between 1970 and 9999 in Unix milliseconds. */
  time(field: string, value: Date | undefined): number | undefined;
  /** A time that must not have passed. */
  futureTime(field: string, value: Date | undefined, now: number): number | undefined;
  /** Throws VALIDATION_ERROR where anything was noted. */
  assertValid(publicMessage?: string): void;
}

// All of Unicode's category Cc but tab and the ends of lines.
// oxlint-disable-next-line no-control-regex -- They are what it looks for.
const CONTROL_CHARACTER = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F-\u009F]/;

const MAX_TIME = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/** @param found What is known to be wrong. */
export function createRequestCheck(found: readonly Violation[] = []): RequestCheck {
  const violations = createViolationList();
  violations.addAll(found);

  const check: RequestCheck = {
    violate: violations.add,
    text(field, value, maximum) {
      const trimmed = value.trim();
      if (!hasLength(trimmed, 1, maximum)) check.violate(wrongLength(field, 1, maximum));
      else if (hasControlCharacters(trimmed)) {
        check.violate({ message: 'must not hold control characters', format: 'characters', props: [field] });
      }
      return trimmed;
    },
    integer(field, value, minimum, maximum) {
      if (!Number.isInteger(value) || value < minimum || value > maximum) {
        const params = { minimum, maximum };
        check.violate({
          message: `must be between ${minimum} and ${maximum}`,
          format: 'range',
          props: [field],
          params,
        });
      }
      return value;
    },
    time(field, value) {
      if (value === undefined) return undefined;
      const time = Math.trunc(value.getTime());
      if (time >= 0 && time <= MAX_TIME) return time;
      check.violate({ message: 'must be a time between 1970 and 9999', format: 'date-time', props: [field] });
      return undefined;
    },
    futureTime(field, value, now) {
      const time = value && Math.trunc(value.getTime());
      // Times before 1970 break the field's own rule.
      if (time !== undefined && time >= 0 && time <= now) {
        check.violate({ message: 'must be in the future', format: 'future', props: [field] });
      }
      return time;
    },
    assertValid(publicMessage) {
      if (violations.count === 0) return;
      throw new ServiceError('VALIDATION_ERROR', { publicMessage, violations: violations.toArray() });
    },
  };
  return check;
}

/** Whether a text has control characters other than tab and the ends of lines. */
export function hasControlCharacters(text: string): boolean {
  return CONTROL_CHARACTER.test(text);
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
