// Three MySQL servers on this machine as one replication group with a single primary.
import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { cpSync, rmSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Connection, RowDataPacket } from 'mysql2/promise';
import { mysqlServerProgram } from '../../scripts/mysql-server.ts';
import { freePort } from '../support/free-port.ts';
import { freeze, onMysqlServer, startGuarded } from '../support/mysql-server.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

export interface GroupMember {
  /** `mysql://root@127.0.0.1:port/` */
  readonly url: string;
  /** SIGKILL. */
  kill(): Promise<void>;
  /** Starts the member after `kill` and lets it join the group. */
  restart(): Promise<void>;
  /** SIGSTOP and SIGCONT. */
  freeze(): Promise<void>;
  thaw(): void;
  /** Leaves the group, which makes it read-only. */
  leave(): Promise<void>;
}

export interface MysqlGroup {
  readonly members: readonly GroupMember[];
  /** Returns the member that accepts writes. */
  primary(): Promise<GroupMember>;
  /** Makes another member the primary. */
  replacePrimary(primary: GroupMember): Promise<void>;
  /** Changes whether all members accept writes, or a single one. */
  setMultiPrimary(isMultiPrimary: boolean): Promise<void>;
  /** Resolves when all members stay online. Lets a member join again that was expelled. */
  healed(): Promise<void>;
  stop(): Promise<void>;
}

const MEMBERS = 3;
/** To replace the primary. */
const ATTEMPTS = 3;
const HEALING_LIMIT_MS = 120_000;
const CALM_MS = 2_000;
const USER = userInfo().username;
const CREATE_GROUP = `SET GLOBAL group_replication_bootstrap_group = ON; START GROUP_REPLICATION;
  SET GLOBAL group_replication_bootstrap_group = OFF`;
const FIND_PRIMARY =
  "SELECT member_port AS port FROM performance_schema.replication_group_members WHERE member_role = 'PRIMARY'";

export async function startMysqlGroup(): Promise<MysqlGroup> {
  const folder = temporaryFolder('group-test-');
  const program = process.env['TEST_MYSQLD'] || mysqlServerProgram();
  const template = join(folder, 'template');
  execFileSync(
    program,
    ['--no-defaults', '--initialize-insecure', `--datadir=${template}`, `--tmpdir=${folder}`, `--user=${USER}`],
    { stdio: 'pipe' },
  );
  // Each server creates its own id if this file is missing.
  rmSync(join(template, 'auto.cnf'));
  const groupPorts = await Promise.all(Array.from({ length: MEMBERS }, freePort));
  const seeds = groupPorts.map((port) => `127.0.0.1:${port}`).join(',');
  const name = randomUUID();
  const members: (GroupMember & { end(): Promise<void>; rejoin(): Promise<void> })[] = [];
  for (const [index, groupPort] of groupPorts.entries()) {
    const directory = join(folder, `member-${index + 1}`);
    cpSync(template, join(directory, 'data'), { recursive: true });
    members.push(await startMember(program, directory, { id: index + 1, groupPort, seeds, name }));
  }

  const healed = async () => {
    const giveUpAt = performance.now() + HEALING_LIMIT_MS;
    // A member that was frozen notices late that it was expelled.
    for (let calmSince = performance.now(); performance.now() - calmSince < CALM_MS;) {
      const states = await Promise.all(members.map(({ url }) => stateOf(url)));
      if (states.some((state) => state !== `ONLINE of ${MEMBERS}`)) calmSince = performance.now();
      if (performance.now() > giveUpAt) throw new Error(`The members did not join again: ${states.join(', ')}`);
      for (const [index, state] of states.entries()) {
        if (/^(ERROR|OFFLINE)/.test(state)) await members[index]!.rejoin();
      }
      await sleep(200);
    }
  };
  const onAny = async <T>(work: (connection: Connection) => Promise<T>): Promise<T> => {
    for (const { url } of members) {
      if ((await stateOf(url)).startsWith('ONLINE')) return onMysqlServer(url, work);
    }
    throw new Error('no member is online');
  };
  await healed();
  return {
    members,
    healed,
    async primary() {
      const [row] = await onAny((connection) => select(connection, FIND_PRIMARY));
      return members.find(({ url }) => new URL(url).port === String(row!['port']))!;
    },
    async replacePrimary(primary) {
      const other = members.find((member) => member !== primary)!;
      for (let attempt = 1; ; attempt += 1) {
        try {
          return void (await onMysqlServer(other.url, (connection) =>
            connection.query('SELECT group_replication_set_as_primary(@@server_uuid)'),
          ));
        } catch (error) {
          // On a busy machine, a member that was frozen notices after `healed` that it was expelled.
          if (attempt === ATTEMPTS) throw error;
          await healed();
        }
      }
    },
    async setMultiPrimary(isMultiPrimary) {
      const change = isMultiPrimary ? 'switch_to_multi_primary_mode' : 'switch_to_single_primary_mode';
      await onAny((connection) => connection.query(`SELECT group_replication_${change}()`));
    },
    async stop() {
      await Promise.all(members.map((member) => member.end()));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

interface Membership {
  /** From 1. The first member creates the group. */
  readonly id: number;
  readonly groupPort: number;
  /** The addresses of all members. */
  readonly seeds: string;
  /** The name of the group, a UUID. */
  readonly name: string;
}

async function startMember(program: string, directory: string, { id, groupPort, seeds, name }: Membership) {
  const port = await freePort();
  const url = `mysql://root@127.0.0.1:${port}/`;
  const command = [
    program,
    '--no-defaults',
    `--user=${USER}`,
    `--datadir=${join(directory, 'data')}`,
    `--tmpdir=${directory}`,
    `--socket=${join(directory, 'server.sock')}`,
    `--pid-file=${join(directory, 'server.pid')}`,
    `--port=${port}`,
    '--bind-address=127.0.0.1',
    '--mysqlx=OFF',
    '--max-connections=300',
    '--innodb-buffer-pool-size=64M',
    '--innodb-flush-log-at-trx-commit=2',
    '--sync-binlog=0',
    `--server-id=${id}`,
    '--report-host=127.0.0.1',
    '--gtid-mode=ON',
    '--enforce-gtid-consistency=ON',
    '--plugin-load-add=group_replication.so',
    `--group-replication-group-name=${name}`,
    `--group-replication-local-address=127.0.0.1:${groupPort}`,
    `--group-replication-group-seeds=${seeds}`,
    '--group-replication-start-on-boot=OFF',
    // Otherwise a member that does not respond is excluded 5 s later.
    '--group-replication-member-expel-timeout=0',
    '--group-replication-recovery-get-public-key=ON',
  ];
  let server = await startGuarded(command, directory, url);
  const run = (sql: string) =>
    onMysqlServer(url, async (connection) => {
      await connection.query(sql);
    });
  const rejoin = () => run('STOP GROUP_REPLICATION; START GROUP_REPLICATION');
  const end = async () => {
    if (server.process.exitCode !== null) return;
    const exited = new Promise((resolve) => server.process.once('exit', resolve));
    server.process.stdin!.end('keep\n');
    await exited;
  };
  await run("CHANGE REPLICATION SOURCE TO SOURCE_USER = 'root' FOR CHANNEL 'group_replication_recovery'");
  await run(id === 1 ? CREATE_GROUP : 'START GROUP_REPLICATION');
  return {
    url,
    end,
    rejoin,
    leave: () => run('STOP GROUP_REPLICATION'),
    kill: end,
    async restart() {
      await end();
      server = await startGuarded(command, directory, url);
      await rejoin();
    },
    freeze: () => freeze(server.pid),
    thaw: () => void process.kill(server.pid, 'SIGCONT'),
  };
}

/** Returns the member's own state and the number of members that it sees online, `ONLINE of 3` for example. */
async function stateOf(url: string): Promise<string> {
  try {
    return await onMysqlServer(url, async (connection) => {
      const members = await select(
        connection,
        'SELECT member_state AS state, member_id = @@server_uuid AS own FROM performance_schema.replication_group_members',
      );
      const own = members.find((member) => member['own'] === 1);
      return `${own?.['state'] ?? 'OFFLINE'} of ${members.filter(({ state }) => state === 'ONLINE').length}`;
    });
  } catch (error) {
    return String(error);
  }
}

async function select(connection: Connection, sql: string): Promise<RowDataPacket[]> {
  return (await connection.query<RowDataPacket[]>(sql))[0];
}
