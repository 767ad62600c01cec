import type { RowDataPacket } from 'mysql2/promise';
import type { TestProject } from 'vitest/node';
import type { Engine } from './databases.ts';
import { installMissingTools } from '../../scripts/test-tools.ts';
import { initialiseData, onMysqlServer, startMysqlServer } from './mysql-server.ts';
import { makeTemplates, type Templates } from './templates.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** URL of a MySQL-compatible server on which databases may be created. Their names replace the path. */
    mysqlUrl: string;
    /** SQLite unless TEST_WITHOUT_SQLITE is set, and the server at mysqlUrl. */
    engines: readonly Engine[];
    templates: Pick<Templates, 'sqlite' | 'mysql'>;
  }
}

/** Installs missing tools, finds or starts the database server of the run, and creates the template databases. */
export default async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  installMissingTools();
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

async function engineOf(mysqlUrl: string): Promise<Engine> {
  return onMysqlServer(mysqlUrl, async (connection) => {
    const [rows] = await connection.query<RowDataPacket[]>('SELECT VERSION() AS version');
    const { version } = rows[0] as { version: string };
    console.log(`Database server of the tests: ${version}`);
    return version.includes('MariaDB') ? 'mariadb' : 'mysql';
  });
}
