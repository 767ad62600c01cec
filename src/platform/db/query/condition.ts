import type { SqlValue } from '../types.ts';

/** An SQL condition with a value for each `?`. */
export interface Condition {
  readonly sql: string;
  readonly values: readonly SqlValue[];
}

/** Returns the condition if the value is defined; an absent filter matches everything. */
export function given(value: SqlValue | undefined, sql: string): readonly Condition[] {
  return value === undefined ? [] : [{ sql, values: [value] }];
}
