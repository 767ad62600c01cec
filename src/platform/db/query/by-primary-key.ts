/**
 * Names a table in `UPDATE … SET … WHERE` so that InnoDB uses the primary key given in the condition. Otherwise its
 * optimizer may choose a secondary index with the same first column, for example for a tenant's only row. InnoDB then
 * locks the index entry before the row. Other transactions lock the row first, which causes deadlocks. SQLite treats the hint as a comment.
 */
export function byPrimaryKey(table: string): string {
  return `${table} /*! FORCE INDEX (PRIMARY) */`;
}
