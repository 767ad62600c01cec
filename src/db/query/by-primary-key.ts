/**
 * Names a table in `UPDATE … SET … WHERE` so that InnoDB finds the row by the whole primary key that the condition names. Left
 * alone, its optimizer may prefer a secondary index that begins with the same column where that costs the same, for a
 * tenant's only row for example. The row's entry there is locked before the row then, while everybody else locks the row
 * first: a deadlock. SQLite takes the hint for a comment.
 */
export function byPrimaryKey(table: string): string {
  return `${table} /*! FORCE INDEX (PRIMARY) */`;
}
