// A backup flushes the tables of a server. Then it refuses prepared statements for a moment.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { hadNoEffect, toSafeError } from '../../src/platform/db/errors.ts';
import { DependencyUnavailableError } from '../../src/platform/errors.ts';
import { connect, send, type MysqlConnection } from '../../src/platform/db/mysql/connection.ts';
import { createEmptyDatabase, SERVER_ENGINE } from '../support/databases.ts';

const TIME_LIMIT_MS = 30_000;
const MAX_STATEMENTS = 2_000;

let database: Awaited<ReturnType<typeof createEmptyDatabase>>;
let connections: readonly MysqlConnection[];
beforeAll(async () => {
  database = await createEmptyDatabase(SERVER_ENGINE);
  connections = await Promise.all([0, 1, 2].map(() => connect({ uri: database.url }, TIME_LIMIT_MS)));
});
afterAll(async () => {
  for (const connection of connections) connection.destroy();
  await database.remove();
});

it('a statement that must be prepared again is repeated by its caller, and had no effect', () => {
  const error = toSafeError({ code: 'ER_NEED_REPREPARE', errno: 1615 });
  expect(error).toBeInstanceOf(DependencyUnavailableError);
  expect(hadNoEffect(error)).toBe(true);
});

it('statements during changes of their table are executed or refused as unavailable', async () => {
  const [writer, ...others] = connections;
  const run = (
    connection: MysqlConnection,
    method: 'execute' | 'query',
    sql: string,
    values: readonly unknown[] = [],
  ) => send(connection, method, sql, values, TIME_LIMIT_MS);
  await run(writer!, 'query', 'CREATE TABLE flushed (a INT)');
  let isOver = false;
  const changes = others.map(async (other, index) => {
    for (let count = 0; !isOver; count += 1)
      await run(other, 'query', `ALTER TABLE flushed COMMENT = '${index} ${count}'`);
  });
  const refusals: unknown[] = [];
  for (let count = 0; count < MAX_STATEMENTS; count += 1)
    await run(writer!, 'execute', 'INSERT INTO flushed VALUES (?)', [count]).catch((error: unknown) =>
      refusals.push(error),
    );
  isOver = true;
  await Promise.all(changes);
  expect(refusals.filter((error) => !(error instanceof DependencyUnavailableError))).toEqual([]);
  const [row] = (await run(writer!, 'query', 'SELECT COUNT(*) AS total FROM flushed')) as unknown as {
    total: number;
  }[];
  expect(row!.total).toBe(MAX_STATEMENTS - refusals.length);
});
