// What a check has found so far, and where.
import type { Violation } from '../../errors.ts';
import { createViolationList, type ViolationList } from '../errors/violations.ts';

/** What a check collects while it runs. */
export interface Finder {
  /** Whether a text that names the record is too long to name one. */
  noRecord: boolean;
  /** Missing as long as nothing was found, as in nearly every message. */
  violations: ViolationList | undefined;
}

/** The path to a value, innermost first. */
export interface Path {
  readonly name: string;
  readonly parent: Path | undefined;
}

/** Adds a violation at a path. */
export function report(found: Finder, path: Path | undefined, fault: Omit<Violation, 'props'>): void {
  const violations = (found.violations ??= createViolationList());
  if (violations.full) return violations.skip(1);
  const props: string[] = [];
  for (let at = path; at; at = at.parent) props.unshift(at.name);
  violations.add({ ...fault, props });
}
