import type { RequestViolations } from './request-violations.ts';

/** A time in Unix milliseconds. Adds a violation if it has passed; times before 1970 break the field's own rule. */
export function futureTime(
  violations: RequestViolations,
  field: string,
  value: Date | undefined,
  now: number,
): number | undefined {
  const time = value?.getTime();
  if (time !== undefined && time >= 0 && time <= now) {
    violations.add({ message: 'must be in the future', format: 'future', props: [field] });
  }
  return time;
}
