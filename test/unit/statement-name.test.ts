import { expect, it } from 'vitest';
import { statementName } from '../../src/platform/tracing/trace-database.ts';

it.each([
  ['SELECT id FROM accounts WHERE id = ?', 'SELECT', 'accounts'],
  ['\n  UPDATE session_families SET generation = ?', 'UPDATE', 'session_families'],
  ['INSERT INTO `tenants` (id) VALUES (?)', 'INSERT', 'tenants'],
  ['SELECT 1', 'SELECT', 'none'],
  [
    "UPDATE (SELECT d.* FROM JSON_TABLE(?, '$[*]' COLUMNS (a INT PATH '$[0]')) AS d\n STRAIGHT_JOIN session_families) AS r",
    'UPDATE',
    'session_families',
  ],
])('names a statement by its operation and its first table: %s', (sql, operation, table) => {
  expect(statementName(sql)).toEqual({ operation, table });
});
