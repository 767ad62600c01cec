// Prepared statements of SQLite, whose rows are arrays that become objects here.
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { statementCache } from '../../src/platform/db/sqlite/statement-cache.ts';

function open() {
  const db = new DatabaseSync(':memory:');
  db.exec('CREATE TABLE records (id INTEGER PRIMARY KEY, name TEXT, content BLOB, share REAL)');
  return { db, prepare: statementCache(db) };
}

describe('a prepared statement of SQLite', () => {
  it('returns each value under the name of its column', () => {
    const { prepare } = open();
    const insert = prepare('INSERT INTO records (name, content, share) VALUES (?, ?, ?)');
    expect(insert.change(['a', Buffer.from([1, 2]), 0.5])).toBe(1);
    expect(insert.change([null, null, null])).toBe(1);
    expect(prepare('SELECT r.*, COUNT(*) OVER () AS "a total" FROM records r ORDER BY id').rows([])).toEqual([
      { id: 1, name: 'a', content: new Uint8Array([1, 2]), share: 0.5, 'a total': 2 },
      { id: 2, name: null, content: null, share: null, 'a total': 2 },
    ]);
  });

  it('returns the columns that the table has got meanwhile', () => {
    const { db, prepare } = open();
    const all = prepare('SELECT * FROM records');
    expect(all.rows([])).toEqual([]);
    db.exec("INSERT INTO records (name) VALUES ('a')");
    expect(all.rows([])).toEqual([{ id: 1, name: 'a', content: null, share: null }]);
    db.exec("ALTER TABLE records ADD COLUMN next_release TEXT DEFAULT 'b'");
    expect(all.rows([])).toEqual([{ id: 1, name: 'a', content: null, share: null, next_release: 'b' }]);
  });

  it('returns the last of columns with the same name', () => {
    const { prepare } = open();
    expect(prepare('SELECT 1 AS a, 2 AS a').rows([])).toEqual([{ a: 2 }]);
  });
});
