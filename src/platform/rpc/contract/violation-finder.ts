// The violations found so far, and their paths.
import type { Violation } from '../../errors.ts';
import { createViolationList, type ViolationList } from '../errors/violations.ts';

/** The state of a running check. */
export interface Finder {
  /** Whether the text that names the record is too long for a name. */
  noRecord: boolean;
  /** Undefined until a violation is found. Nearly every message has none. */
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
