import fc from 'fast-check';
import type { FieldPacket } from 'mysql2';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connect, send, type MysqlConnection } from '../../src/platform/db/mysql/connection.ts';
import { createEmptyDatabase, SERVER_ENGINE } from '../support/databases.ts';

const TIME_LIMIT_MS = 10_000;

type Expression = readonly [sql: string, value: unknown];

/** Expressions of all types that the schema has, with the values that the server returns for them. */
const EXPRESSIONS: readonly Expression[] = [
  ['1', 1],
  ['-1', -1],
  ['CAST(9007199254740991 AS UNSIGNED)', Number.MAX_SAFE_INTEGER],
  ['1.5', 1.5],
  ["'text'", 'text'],
  ["'Ünïcode 🌷'", 'Ünïcode 🌷'],
  ["REPEAT('long', 100)", 'long'.repeat(100)],
  ["X'00ff'", Buffer.from([0, 255])],
  ['NULL', null],
];

const typeOf = ({ name, columnType, flags, characterSet }: FieldPacket) => ({ name, columnType, flags, characterSet });

describe('columns of repeated results', () => {
  let database: Awaited<ReturnType<typeof createEmptyDatabase>>;
  let connections: readonly MysqlConnection[];
  beforeAll(async () => {
    database = await createEmptyDatabase(SERVER_ENGINE);
    connections = await Promise.all([0, 1].map(() => connect({ uri: database.url })));
  });
  afterAll(async () => {
    for (const connection of connections) connection.destroy();
    await database.remove();
  });

  const run = (sql: string, values: readonly unknown[] = [], index = 0) =>
    send(connections[index]!, 'execute', sql, values, TIME_LIMIT_MS);
  const rowsOf = async (...call: Parameters<typeof run>) => (await run(...call))[0];

  it('are parsed once for all connections', async () => {
    const sql = 'SELECT 1 AS one, ? AS two, 3 AS three';
    const [, first] = await run(sql, ['a']);
    for (const index of [0, 1, 0, 1]) {
      const [rows, columns] = await run(sql, ['b'], index);
      expect(rows).toEqual([{ one: 1, two: 'b', three: 3 }]);
      // The very same objects.
      expect(columns).toBe(first);
    }
  });

  // MySQL, unlike MariaDB, converts some values to the type of the one for which it prepared the statement.
  it('follow the type of a value, wherever its column is, as without the cache', async () => {
    const values = ['text', 5, null, 1.5, Buffer.from([0, 255]), true, 'x'.repeat(300)];
    const plain = connections[1]!.promise();
    for (const position of [0, 1, 2]) {
      const sql = `SELECT ${['1 AS a', '2 AS b'].toSpliced(position, 0, '? AS value').join(', ')}`;
      const types = new Set<number | undefined>();
      for (const value of [...values, ...values.toReversed()]) {
        const [rows, columns] = await run(sql, [value]);
        const [plainRows, plainColumns] = await plain.execute(sql, [value]);
        expect(rows).toEqual(plainRows);
        expect(columns?.map(typeOf)).toEqual(plainColumns.map(typeOf));
        types.add(columns?.[position]?.columnType);
      }
      expect(types.size).toBeGreaterThan(1);
    }
  });

  it('follow a change of the table', async () => {
    const sql = 'SELECT * FROM changing ORDER BY id';
    await run('CREATE TABLE changing (id INT PRIMARY KEY, name VARCHAR(10))');
    await run("INSERT INTO changing VALUES (1, '7'), (2, NULL)");
    const changes: readonly (readonly [ddl: string, first: object])[] = [
      ['ALTER TABLE changing MODIFY name BIGINT', { id: 1, name: 7 }],
      ['ALTER TABLE changing ADD added DOUBLE DEFAULT 0.5', { id: 1, name: 7, added: 0.5 }],
      ['ALTER TABLE changing RENAME COLUMN name TO id2', { id: 1, id2: 7, added: 0.5 }],
      ['ALTER TABLE changing DROP COLUMN added', { id: 1, id2: 7 }],
      ['ALTER TABLE changing MODIFY id2 VARBINARY(9)', { id: 1, id2: Buffer.from('7') }],
    ];
    expect(await rowsOf(sql)).toEqual([
      { id: 1, name: '7' },
      { id: 2, name: null },
    ]);
    for (const [ddl, first] of changes) {
      await run(ddl);
      for (const index of [0, 1, 0]) expect(((await rowsOf(sql, [], index)) as object[])[0]).toEqual(first);
    }
  });

  it('leave results without rows and failed statements as they are', async () => {
    const none = 'SELECT 1 AS one FROM (SELECT 1 AS x) AS t WHERE t.x = ?';
    for (const [value, rows] of [
      [2, []],
      [1, [{ one: 1 }]],
      [2, []],
    ] as const) {
      expect(await rowsOf(none, [value])).toEqual(rows);
    }
    const failing = 'SELECT (SELECT x FROM (SELECT 1 AS x UNION SELECT ?) AS t) AS one';
    expect(await rowsOf(failing, [1])).toEqual([{ one: 1 }]);
    await expect(run(failing, [2])).rejects.toThrow();
    expect(await rowsOf(failing, [1])).toEqual([{ one: 1 }]);
  });

  it('of any columns, in any order of statements, on any connection', async () => {
    const expression = fc.constantFrom(...EXPRESSIONS);
    const statement = fc.tuple(fc.array(expression, { minLength: 1, maxLength: 12 }), fc.boolean(), fc.boolean());
    await fc.assert(
      fc.asyncProperty(fc.array(statement, { minLength: 1, maxLength: 4 }), async (statements) => {
        const twice = [...statements, ...statements];
        const results = twice.map(async ([columns, isFirst, hasRow]) => {
          const sql = `SELECT ${columns.map(([text], index) => `${text} AS c${index}`).join(', ')} FROM (SELECT 1 AS x) AS t WHERE x = ?`;
          const row = Object.fromEntries(columns.map(([, value], index) => [`c${index}`, value]));
          expect(await rowsOf(sql, [hasRow ? 1 : 2], isFirst ? 0 : 1)).toEqual(hasRow ? [row] : []);
        });
        await Promise.all(results);
      }),
      { numRuns: 100 },
    );
  });
});
