// A private, temporary MariaDB server.
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../test/support/free-port.ts';
import { startProgram, type Program } from './program.ts';

/**
 * Starts a server on a free port. `url` points to an empty schema. All settings for durability have MariaDB's defaults, above all
 * innodb_flush_log_at_trx_commit=1: a commit is on the disk before it is acknowledged.
 */
export async function startMariaDb(core: number | string, settings: readonly string[] = []): Promise<Program> {
  const port = await freePort();
  const user = `--user=${userInfo().username}`;
  return startProgram({
    core,
    command: (directory) => {
      // A separate folder for temporary tables: a starting server deletes those of other servers in the same folder.
      const common = ['--no-defaults', `--datadir=${join(directory, 'data')}`, `--tmpdir=${directory}`, user];
      const options = ['--auth-root-authentication-method=normal', '--skip-test-db'];
      execFileSync('mariadb-install-db', [...common, ...options], { stdio: 'pipe' });
      const create = join(directory, 'create.sql');
      writeFileSync(create, 'CREATE DATABASE bench;\n');
      const address = ['--bind-address=127.0.0.1', `--port=${port}`, `--socket=${join(directory, 'server.sock')}`];
      return ['mariadbd', ...common, ...address, `--init-file=${create}`, ...settings];
    },
    urlIn: (line) => (/\bport: \d/.test(line) ? `mysql://root@127.0.0.1:${port}/bench` : undefined),
  });
}
