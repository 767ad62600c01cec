import type { TestProject } from 'vitest/node';
import { startMysqlServer } from './mysql-server.ts';
import { makeTemplates, type Templates } from './templates.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** A MySQL-compatible server where databases may be created; the path is replaced by theirs. */
    mysqlUrl: string;
    templates: Pick<Templates, 'sqlite' | 'mysql'>;
  }
}

/** Finds or starts the MySQL-compatible server of the whole run and makes the templates; returns what ends both. */
export default async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  const given = process.env['TEST_MYSQL_URL'];
  const server = given ? undefined : await startMysqlServer();
  const mysqlUrl = given || server!.url;
  const { remove, ...templates } = await makeTemplates(mysqlUrl);
  provide('mysqlUrl', mysqlUrl);
  provide('templates', templates);
  return async () => {
    remove();
    await server?.stop();
  };
}
