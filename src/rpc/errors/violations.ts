// A request of junk can break a rule in each of its parts. Clients get the first of these violations and the number of the rest.
import type { Violation } from '../../errors.ts';

/** Most violations that an error names. */
export const MAX_VIOLATIONS = 20;
/** The format of the violation that stands for those left out. */
const MORE = 'more';

/** Violations that are found one by one; beyond the limit they are only counted. */
export interface ViolationList {
  /** Whether another violation would only be counted. */
  readonly full: boolean;
  /** How many were added. */
  readonly count: number;
  add(violation: Violation): void;
  /** Adds what another list has; its last violation may stand for others. */
  addAll(violations: readonly Violation[]): void;
  /** Counts violations that nobody needs to describe. */
  skip(count: number): void;
  /** At most the limit, then one that says how many more there are. */
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

/** The first violations, then one that says how many more there are. Counts on if the list was capped before. */
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
