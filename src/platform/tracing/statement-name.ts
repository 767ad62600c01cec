/** The operation and the first table of an SQL statement. */
export interface StatementName {
  readonly operation: string;
  readonly table: string;
}

/** Statements differ only in the length of their lists, so a few hundred texts occur. */
const MAX_CACHED = 1_000;
const OPERATION = /^[\s(]*(\w+)/;
const TABLE = /\b(?:FROM|INTO|UPDATE|STRAIGHT_JOIN)\s+`?(?!JSON_TABLE\b)(\w+)/i;

const names = new Map<string, StatementName>();

/** Returns the name of a statement: `SELECT` and `accounts`. The text of the statement stays out of spans. */
export function statementName(sql: string): StatementName {
  let name = names.get(sql);
  if (name === undefined) {
    name = { operation: OPERATION.exec(sql)?.[1]?.toUpperCase() ?? 'SQL', table: TABLE.exec(sql)?.[1] ?? 'none' };
    if (names.size >= MAX_CACHED) names.clear();
    names.set(sql, name);
  }
  return name;
}
