import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MAX_PREPARED_STATEMENTS } from '../../src/platform/db/limits.ts';
import type { CommandConnection } from '../../src/platform/db/mysql/execute-command.ts';
import { connect, send, type MysqlConnection } from '../../src/platform/db/mysql/connection.ts';
import { DependencyUnavailableError } from '../../src/platform/errors.ts';
import { bytes, COLUMN_TYPES, long, text } from '../support/column-values.ts';
import { createEmptyDatabase, privateServer, SERVER_ENGINE } from '../support/databases.ts';
import { ROUNDS } from '../support/rounds.ts';

const TIME_LIMIT_MS = 30_000;

/** Members of mysql2 that only this test uses. */
interface Internals extends CommandConnection {
  readonly packetParser: { execute(chunk: Buffer): void };
}

type Values = (string | number | Buffer | null)[];

const internalsOf = (connection: MysqlConnection) => connection as unknown as Internals;

/** Other tests make and drop tables on this server, which can refuse any prepared statement for a moment (1615). */
const isToBeRepeated = (error: unknown) =>
  error instanceof DependencyUnavailableError || (error as { errno?: unknown }).errno === 1615;

describe('prepared statements', () => {
  let database: Awaited<ReturnType<typeof createEmptyDatabase>>;
  let connections: readonly MysqlConnection[];
  beforeAll(async () => {
    database = await createEmptyDatabase(SERVER_ENGINE);
    connections = await Promise.all([0, 1].map(() => connect({ uri: database.url }, TIME_LIMIT_MS)));
    for (const connection of connections) await send(connection, 'query', 'SET NAMES utf8mb4', [], TIME_LIMIT_MS);
  });
  afterAll(async () => {
    for (const connection of connections) connection.destroy();
    await database.remove();
  });

  const run = (sql: string, values: readonly unknown[] = [], index = 0) =>
    send(connections[index]!, 'execute', sql, values, TIME_LIMIT_MS);
  const runPlainly = async (sql: string, values: (string | number | Buffer | null)[] = [], index = 0) =>
    (await connections[index]!.promise().execute(sql, values))[0];

  it('use members of mysql2 that exist', async () => {
    const connection = internalsOf(connections[0]!);
    for (const name of ['addCommand', 'writePacket', '_resetSequenceId'] as const)
      expect(connection[name]).toBeTypeOf('function');
    expect(connection._mariadbExtendedMetadata).toBeTypeOf('boolean');
    expect(connection.clientEncoding).toBe('utf8');
    const prepared = await new Promise<unknown>((resolve, reject) =>
      connections[0]!.prepare('SELECT ?', (error, statement) => (error ? reject(error) : resolve(statement))),
    );
    const number = expect.any(Number) as number;
    expect(prepared).toMatchObject({ id: number, parameters: [{ columnType: number, flags: number }] });
  });

  it('return the rows that mysql2 returns, for all types of columns', async () => {
    const names = Object.keys(COLUMN_TYPES);
    const places = names.map(() => '?').join();
    await run(
      `CREATE TABLE typed (id INT PRIMARY KEY, ${names.map((type, index) => `c${index} ${type}`).join()}) CHARACTER SET utf8mb4`,
    );
    const row = fc.tuple(...Object.values(COLUMN_TYPES));
    await fc.assert(
      fc.asyncProperty(fc.array(row, { minLength: 1, maxLength: 5 }), async (rows) => {
        await send(connections[0]!, 'query', 'DELETE FROM typed', [], TIME_LIMIT_MS);
        for (const [id, values] of rows.entries())
          await send(connections[0]!, 'query', `INSERT INTO typed VALUES (${id}, ${places})`, values, TIME_LIMIT_MS);
        const sql = 'SELECT * FROM typed ORDER BY id';
        expect(await run(sql)).toStrictEqual(await runPlainly(sql));
      }),
      { numRuns: 20 * ROUNDS },
    );
  });

  it('send values that the server reads as those of mysql2', async () => {
    await run(
      'CREATE TABLE bound (a TINYINT, b SMALLINT UNSIGNED, c INT, d BIGINT, e DOUBLE, f VARCHAR(300), g LONGBLOB)',
    );
    const value = fc.oneof(
      fc.maxSafeInteger(),
      fc.integer({ min: -300, max: 300 }),
      fc.double(),
      text(300),
      bytes(300),
      long.map((length) => 'ü'.repeat(length)),
      fc.constant(null),
    );
    let statements = 0;
    // MySQL converts values to the types of the first ones of a statement, and refuses those that it cannot convert. So all are first.
    const statement = (text: string) => `${text} /* ${(statements += 1)} */`;
    /** The rows that a statement stores with these values. The server may refuse a value. */
    const storedBy = async (
      execute: (sql: string, values: Values) => Promise<unknown>,
      insertion: string,
      values: Values,
    ) => {
      await send(connections[0]!, 'query', 'DELETE FROM bound', [], TIME_LIMIT_MS);
      const insert = (): Promise<string> =>
        execute(insertion, values).then(
          () => 'stored',
          (error: unknown) => (isToBeRepeated(error) ? insert() : 'refused'),
        );
      const outcome = await insert();
      return [outcome, await runPlainly('SELECT * FROM bound')];
    };
    await fc.assert(
      fc.asyncProperty(fc.array(value, { minLength: 7, maxLength: 7 }), async (values) => {
        const insertion = statement('INSERT INTO bound VALUES (?, ?, ?, ?, ?, ?, ?)');
        expect(await storedBy(run, insertion, values)).toStrictEqual(await storedBy(runPlainly, insertion, values));
        const select = statement('SELECT ?, ?, ?, ?, ?, ?, ?');
        expect(await run(select, values)).toStrictEqual(await runPlainly(select, values));
      }),
      { numRuns: 40 * ROUNDS },
    );
  });

  it('return the same rows, however the bytes of the server are cut', async () => {
    const connection = await connect({ uri: database.url }, TIME_LIMIT_MS);
    const statements = [
      'SELECT 1 AS one, ? AS two, 3 AS three',
      "SELECT ? AS text, X'00ff' AS bytes FROM (SELECT 1 AS x) AS t WHERE x = 1",
    ];
    const { packetParser } = internalsOf(connection);
    let size = 1;
    connection.stream.removeAllListeners('data');
    connection.stream.on('data', (chunk: Buffer) => {
      for (let at = 0; at < chunk.length; at += size) packetParser.execute(chunk.subarray(at, at + size));
    });
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 120 }),
        fc.constantFrom(...statements),
        text(20),
        async (bytesAtOnce, sql, value) => {
          size = bytesAtOnce;
          expect(await send(connection, 'execute', sql, [value], TIME_LIMIT_MS)).toStrictEqual(
            await runPlainly(sql, [value]),
          );
        },
      ),
      { numRuns: 40 * ROUNDS },
    );
    connection.destroy();
  });

  // MySQL, unlike MariaDB, converts some values to the type of the one for which it prepared the statement.
  it('follow the type of a value, wherever its column is', async () => {
    const values = ['text', 5, null, 1.5, Buffer.from([0, 255]), 'x'.repeat(300)];
    for (const position of [0, 1, 2]) {
      const sql = `SELECT ${['1 AS a', '2 AS b'].toSpliced(position, 0, '? AS value').join(', ')}`;
      for (const value of [...values, ...values.toReversed()])
        expect(await run(sql, [value])).toStrictEqual(await runPlainly(sql, [value], 1));
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
    expect(await run(sql)).toEqual([
      { id: 1, name: '7' },
      { id: 2, name: null },
    ]);
    for (const [ddl, first] of changes) {
      await run(ddl);
      for (const index of [0, 1, 0]) expect(((await run(sql, [], index)) as object[])[0]).toEqual(first);
    }
  });

  it('return no rows, and fail before, between and after rows', async () => {
    const none = 'SELECT 1 AS one FROM (SELECT 1 AS x) AS t WHERE t.x = ?';
    for (const [value, rows] of [
      [2, []],
      [1, [{ one: 1 }]],
      [2, []],
    ] as const) {
      expect(await run(none, [value])).toEqual(rows);
    }
    const failing = 'SELECT (SELECT x FROM (SELECT 1 AS x UNION SELECT ?) AS t) AS one';
    expect(await run(failing, [1])).toEqual([{ one: 1 }]);
    await expect(run(failing, [2])).rejects.toThrow('1242');
    expect(await run(failing, [1])).toEqual([{ one: 1 }]);
    await run('CREATE TABLE numbers (id INT PRIMARY KEY)');
    await run('INSERT INTO numbers VALUES (1), (2), (3)');
    // The third row fails after the first two.
    const late = 'SELECT id, IF(id < 3, 1, (SELECT id FROM numbers)) AS one FROM numbers ORDER BY id';
    await expect(run(late)).rejects.toThrow('1242');
    await expect(run('SELECT nothing FROM numbers')).rejects.toThrow('1054');
    expect(await run(none, [1])).toEqual([{ one: 1 }]);
  });

  it('return columns named like parts of objects, and the last of two with one name', async () => {
    const [row] = (await run(
      "SELECT 1 AS constructor, 'a\"b' AS `quo\"te'\\\\`, 2 AS x, 3 AS x, 4 AS `__proto__`",
    )) as object[];
    expect(Object.entries(row!)).toEqual([
      ['constructor', 1],
      [`quo"te'\\\\`, 'a"b'],
      ['x', 3],
      ['__proto__', 4],
    ]);
  });

  it('return the number of matched rows, with and without a warning', async () => {
    await run('CREATE TABLE counted (id INT PRIMARY KEY, value INT)');
    expect(await run('INSERT INTO counted VALUES (1, 1), (2, 1)')).toMatchObject({ affectedRows: 2 });
    // Values that are the same also count.
    expect(await run('UPDATE counted SET value = ?', [1])).toMatchObject({ affectedRows: 2 });
    expect(await run('DELETE FROM counted WHERE id > ?', [5])).toMatchObject({ affectedRows: 0 });
    expect(await run('INSERT IGNORE INTO counted VALUES (1, 1), (3, ?)', [1])).toMatchObject({ affectedRows: 1 });
  });

  it('are closed on the server beyond the limit, those of the longest ago first', async () => {
    const connection = await connect({ uri: database.url }, TIME_LIMIT_MS);
    const select = async (index: number) =>
      expect(await send(connection, 'execute', `SELECT ${index} AS one`, [], TIME_LIMIT_MS)).toEqual([{ one: index }]);
    const prepared = async () => {
      const rows = await send(connection, 'query', "SHOW SESSION STATUS LIKE 'Com_stmt_%e'", [], TIME_LIMIT_MS);
      const counts = new Map(
        (rows as { Variable_name: string; Value: string }[]).map((row) => [row.Variable_name, Number(row.Value)]),
      );
      return [counts.get('Com_stmt_prepare'), counts.get('Com_stmt_close')];
    };
    for (let index = 0; index < MAX_PREPARED_STATEMENTS; index += 1) await select(index);
    expect(await prepared()).toEqual([MAX_PREPARED_STATEMENTS, 0]);
    await select(0);
    for (const index of [1_000, 1_001]) await select(index);
    // The first one is still prepared, and the second one is not.
    await select(0);
    expect(await prepared()).toEqual([MAX_PREPARED_STATEMENTS + 2, 2]);
    await select(1);
    expect(await prepared()).toEqual([MAX_PREPARED_STATEMENTS + 3, 3]);
    connection.destroy();
  });
});

it('send and return values beyond the size of a packet', async () => {
  const server = await privateServer({}, '--max-allowed-packet=64M');
  const connection = await connect({ uri: server.url }, TIME_LIMIT_MS);
  const run = (sql: string, values: readonly unknown[] = []) => send(connection, 'execute', sql, values, TIME_LIMIT_MS);
  const large = randomBytes(17_000_000);
  await run('CREATE TABLE large (id INT PRIMARY KEY, value LONGBLOB, name LONGTEXT)');
  await run('INSERT INTO large VALUES (?, ?, ?)', [1, large, 'x'.repeat(17_000_000)]);
  const [row] = (await run('SELECT id, value, name, id + 1 AS next FROM large')) as { value: Buffer; name: string }[];
  expect(row).toMatchObject({ id: 1, next: 2 });
  expect(row!.value.equals(large)).toBe(true);
  expect(row!.name === 'x'.repeat(17_000_000)).toBe(true);
  connection.destroy();
  await server.stop();
});
