import type { TestProject } from 'vitest/node';
import { startMysqlServer } from './mysql-server.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** A MySQL-compatible server where databases may be created; the path is replaced by theirs. */
    mysqlUrl: string;
  }
}

/** Finds or starts the MySQL-compatible server of the whole run; returns what ends it. */
export default async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  const given = process.env['TEST_MYSQL_URL'];
  if (given) {
    project.provide('mysqlUrl', given);
    return undefined;
  }
  const server = await startMysqlServer();
  project.provide('mysqlUrl', server.url);
  return () => server.stop();
}
