// Limits the violations of an error. An invalid request can have very many; clients get the first ones and the number
// of the rest.
import type { Violation } from '../../errors.ts';

/** Maximum number of violations in an error. */
const MAX_VIOLATIONS = 20;
/** The format of the violation that replaces those left out. */
const MORE = 'more';

/** A list to which violations are added one by one. Beyond the limit they are only counted. */
export interface ViolationList {
  /** Whether another violation would only be counted. */
  readonly full: boolean;
  /** The number of violations added. */
  readonly count: number;
  add(violation: Violation): void;
  /** Adds the violations of another list, including the number of those left out. */
  addAll(violations: readonly Violation[]): void;
  /** Counts violations without adding them. */
  skip(count: number): void;
  /** Returns violations up to the limit, then one with the number of the rest. */
  toArray(): readonly Violation[];
}

export function createViolationList(limit = MAX_VIOLATIONS): ViolationList {
  const kept: Violation[] = [];
  let count = 0;
  const add = (violation: Violation) => {
    count += 1;
    if (kept.length < limit) kept.push(violation);
  };
  return {
    get full() {
      return kept.length >= limit;
    },
    get count() {
      return count;
    },
    add,
    addAll(violations) {
      for (const violation of violations) {
        if (violation.format === MORE) count += Number(violation.params?.['more']);
        else add(violation);
      }
    },
    skip(skipped) {
      count += skipped;
    },
    toArray: () => (count > kept.length ? [...kept, andMore(count - kept.length)] : kept),
  };
}

/**
 * Returns the first violations, then one with the number of the rest. Continues the count of a list that was already
 * capped.
 */
export function capViolations(violations: readonly Violation[], limit = MAX_VIOLATIONS): readonly Violation[] {
  const last = violations.at(-1);
  const before = last?.format === MORE ? Number(last.params?.['more']) : 0;
  const described = before > 0 ? violations.slice(0, -1) : violations;
  if (described.length <= limit) return violations;
  return [...described.slice(0, limit), andMore(described.length - limit + before)];
}

function andMore(more: number): Violation {
  return { message: `and ${more} more`, format: MORE, params: { more } };
}
