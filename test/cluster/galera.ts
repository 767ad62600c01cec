// Three MariaDB nodes on this machine as one Galera cluster.
import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { RowDataPacket } from 'mysql2/promise';
import { findProgram, GALERA_PROVIDER } from '../../scripts/test-tools.ts';
import { freePort } from '../support/free-port.ts';
import { freeze, onMysqlServer, startGuarded } from '../support/mysql-server.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

export interface GaleraNode {
  /** `mysql://root@127.0.0.1:port/` */
  readonly url: string;
  /** SIGKILL. */
  kill(): Promise<void>;
  /** Starts the node after `kill`. It joins by a copy of another node's data. */
  restart(): Promise<void>;
  /** SIGSTOP and SIGCONT. */
  freeze(): Promise<void>;
  thaw(): void;
  /** Cuts the node off from the other nodes, not from its clients. */
  isolate(): Promise<void>;
  rejoin(): Promise<void>;
}

export interface GaleraCluster {
  readonly nodes: readonly GaleraNode[];
  /** Resolves when all nodes are synced. */
  healed(): Promise<void>;
  stop(): Promise<void>;
}

const NODES = 3;
const JOIN_ATTEMPTS = 3;
const HEALING_LIMIT_MS = 120_000;
/** The scripts that copy data refuse to run as root. */
const USER = process.getuid?.() === 0 ? 'mysql' : process.env['USER']!;

export async function startGalera(): Promise<GaleraCluster> {
  const folder = temporaryFolder('galera-test-');
  chmodSync(folder, 0o755);
  const template = join(folder, 'template');
  execFileSync(
    findProgram('mariadb-install-db')!,
    [
      '--no-defaults',
      `--datadir=${template}`,
      '--auth-root-authentication-method=normal',
      '--skip-test-db',
      `--user=${USER}`,
    ],
    { stdio: 'pipe' },
  );
  const groupPorts = await Promise.all(Array.from({ length: NODES }, freePort));
  const group = groupPorts.map((port) => `127.0.0.1:${port}`).join(',');
  const nodes: (GaleraNode & { end(): Promise<void> })[] = [];
  for (const [index, groupPort] of groupPorts.entries()) {
    const directory = join(folder, `node-${index + 1}`);
    cpSync(template, join(directory, 'data'), { recursive: true });
    if (process.getuid?.() === 0) execFileSync('chown', ['-R', USER, directory]);
    nodes.push(await startNode(directory, groupPort, group, index === 0));
  }

  const healed = async () => {
    for (const { url } of nodes) {
      const giveUpAt = performance.now() + HEALING_LIMIT_MS;
      for (let state = ''; state !== `Synced of ${NODES}`; state = await stateOf(url)) {
        if (performance.now() > giveUpAt) throw new Error(`The node ${url} did not join again: ${state}`);
        await sleep(200);
      }
    }
  };
  await healed();
  return {
    nodes,
    healed,
    async stop() {
      await Promise.all(nodes.map((node) => node.end()));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function startNode(directory: string, groupPort: number, group: string, isFirst: boolean) {
  const [port, incrementalPort, copyPort] = await Promise.all([freePort(), freePort(), freePort()]);
  const url = `mysql://root@127.0.0.1:${port}/`;
  const command = (peers: string) => [
    findProgram('mariadbd')!,
    '--no-defaults',
    `--user=${USER}`,
    `--datadir=${join(directory, 'data')}`,
    `--tmpdir=${directory}`,
    `--socket=${join(directory, 'server.sock')}`,
    `--pid-file=${join(directory, 'server.pid')}`,
    `--port=${port}`,
    '--bind-address=127.0.0.1',
    '--max-connections=300',
    '--innodb-buffer-pool-size=64M',
    '--innodb-log-file-size=16M',
    '--innodb-flush-log-at-trx-commit=2',
    '--performance-schema=OFF',
    '--binlog-format=ROW',
    '--innodb-autoinc-lock-mode=2',
    '--wsrep-on=ON',
    `--wsrep-provider=${GALERA_PROVIDER}`,
    '--wsrep-cluster-name=test',
    `--wsrep-cluster-address=gcomm://${peers}`,
    '--wsrep-node-address=127.0.0.1',
    `--wsrep-provider-options=gmcast.listen_addr=tcp://127.0.0.1:${groupPort};ist.recv_addr=127.0.0.1:${incrementalPort};gcache.size=32M`,
    '--wsrep-sst-method=rsync',
    `--wsrep-sst-receive-address=127.0.0.1:${copyPort}`,
  ];
  let server = await startGuarded(command(isFirst ? '' : group), directory, url);
  const setProviderOption = (option: string) =>
    onMysqlServer(url, async (connection) => {
      await connection.query(`SET GLOBAL wsrep_provider_options = '${option}'`);
    });
  const end = async () => {
    if (server.process.exitCode !== null) return;
    const exited = new Promise((resolve) => server.process.once('exit', resolve));
    server.process.stdin!.end('keep\n');
    await exited;
  };
  return {
    url,
    end,
    kill: end,
    async restart() {
      await end();
      for (let attempt = 1; ; attempt += 1) {
        try {
          server = await startGuarded(command(group), directory, url);
          return;
        } catch (error) {
          // On a busy machine, a node may give up before the others answer.
          if (attempt === JOIN_ATTEMPTS) throw error;
        }
      }
    },
    freeze: () => freeze(server.pid),
    thaw: () => void process.kill(server.pid, 'SIGCONT'),
    isolate: () => setProviderOption('gmcast.isolate=1'),
    rejoin: () => setProviderOption('gmcast.isolate=0'),
  };
}

/** Returns the node's state and the number of nodes that it sees, `Synced of 3` for example. */
async function stateOf(url: string): Promise<string> {
  try {
    return await onMysqlServer(url, async (connection) => {
      const [rows] = await connection.query<RowDataPacket[]>(
        "SHOW GLOBAL STATUS WHERE variable_name IN ('wsrep_local_state_comment', 'wsrep_cluster_size')",
      );
      const status = new Map(rows.map(({ Variable_name: name, Value: value }) => [String(name), String(value)]));
      return `${status.get('wsrep_local_state_comment')} of ${status.get('wsrep_cluster_size')}`;
    });
  } catch (error) {
    return String(error);
  }
}
