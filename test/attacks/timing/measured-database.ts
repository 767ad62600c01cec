// The databases of the measured service, whose commits are durable on a slow disk.
import { connectDatabase } from '../../../src/platform/db/connect.ts';
import { pino } from 'pino';
import { createTestDatabase, privateServer, type Engine, type TestDatabase } from '../../support/databases.ts';
import { onMysqlServer } from '../../support/mysql-server.ts';

export interface MeasuredDatabase extends TestDatabase {
  /** Call it when all rows are inserted. From then on, commits are durable. */
  seeded(): Promise<void>;
}

type CreateDatabase = (engine: Engine, env: Readonly<Record<string, string>>) => Promise<MeasuredDatabase>;

export const createUsualDatabase: CreateDatabase = async (engine) => ({
  ...(await createTestDatabase(engine)),
  seeded: async () => {},
});

/** With SQLite, the service itself waits for the disk. Other engines need a server with this environment. */
export const createSlowDatabase: CreateDatabase = async (engine, env) => {
  if (engine === 'sqlite') return createUsualDatabase(engine, env);
  const server = await privateServer(env, '--innodb-flush-method=fsync', '--innodb-flush-log-at-trx-commit=0');
  const database = connectDatabase({ url: server.url, poolSize: 10, log: pino({ level: 'silent' }) });
  return {
    url: server.url,
    database,
    seeded: () =>
      onMysqlServer(server.url, async (connection) => {
        await connection.query('SET GLOBAL innodb_flush_log_at_trx_commit = 1');
      }),
    async drop() {
      await database.close();
      await server.stop();
    },
  };
};
