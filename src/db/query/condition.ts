import type { SqlValue } from '../types.ts';

/** A condition of a statement, with a value for each `?` in it. */
export interface Condition {
  readonly sql: string;
  readonly values: readonly SqlValue[];
}

/** The condition if there is a value for it; a filter that is absent restricts nothing. */
export function given(value: SqlValue | undefined, sql: string): readonly Condition[] {
  return value === undefined ? [] : [{ sql, values: [value] }];
}
