import type { RowDataPacket } from 'mysql2/promise';
import type { TestProject } from 'vitest/node';
import type { Engine } from './databases.ts';
import { installMissingTools, TEST_TOOLS } from '../../scripts/test-tools.ts';
import { initialiseData, onMysqlServer, startMysqlServer } from './mysql-server.ts';
import { makeSqliteTemplate, makeTemplates, type Templates } from './templates.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** URL of a MySQL-compatible server on which databases may be created. Their names replace the path. */
    mysqlUrl: string;
    /** SQLite unless TEST_WITHOUT_SQLITE is set, and the server at mysqlUrl. */
    engines: readonly Engine[];
    templates: Pick<Templates, 'sqlite' | 'mysql'>;
  }
}

/**
 * Finds or starts the database server of the run, and creates the template databases. `npm test` runs on SQLite alone if there is no
 * server. For other projects, missing tools are installed.
 */
export default async function setup({ name, provide }: TestProject): Promise<() => Promise<void>> {
  if (name !== 'main') installMissingTools();
  else if (!TEST_TOOLS['database server'].isInstalled()) return withoutServer(provide);
  const given = process.env['TEST_MYSQL_URL'];
  const deleteData = given ? undefined : initialiseData();
  const server = given ? undefined : await startMysqlServer();
  const mysqlUrl = given || server!.url;
  const { remove, ...templates } = await makeTemplates(mysqlUrl);
  const engine = await engineOf(mysqlUrl);
  provide('mysqlUrl', mysqlUrl);
  provide('engines', process.env['TEST_WITHOUT_SQLITE'] ? [engine] : ['sqlite', engine]);
  provide('templates', templates);
  return async () => {
    remove();
    await server?.stop();
    deleteData?.();
  };
}

async function withoutServer(provide: TestProject['provide']): Promise<() => Promise<void>> {
  console.log('No database server is installed: all tests run on SQLite.');
  const { remove, sqlite } = await makeSqliteTemplate();
  provide('mysqlUrl', '');
  provide('engines', ['sqlite']);
  provide('templates', { sqlite, mysql: '' });
  return async () => remove();
}

async function engineOf(mysqlUrl: string): Promise<Engine> {
  return onMysqlServer(mysqlUrl, async (connection) => {
    const [rows] = await connection.query<RowDataPacket[]>('SELECT VERSION() AS version');
    const { version } = rows[0] as { version: string };
    console.log(`Database server of the tests: ${version}`);
    return version.includes('MariaDB') ? 'mariadb' : 'mysql';
  });
}
