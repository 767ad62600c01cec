// The tools that the tests need in addition to npm packages. `npm test` first runs this file with --gate: it installs the tools that are
// missing for `npm test`, which leaves out the tests of those that it cannot install. `npx node scripts/test-tools.ts` installs the tools
// of all tests and prints the result, with --list it only prints.
//
// It installs only as root on Debian or Ubuntu, with apt-get, and never starts the services of packages. To prevent the
// installation, install the packages yourself, run the tests as another user, or use the alternative in the table.
import { execFileSync } from 'node:child_process';
import { existsSync, globSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The library by which MariaDB joins a Galera cluster. */
export const GALERA_PROVIDER = '/usr/lib/galera/libgalera_smm.so';

const BASH_COMPLETION = '/usr/share/bash-completion/bash_completion';

export interface TestTool {
  /** Debian's packages. */
  readonly packages: readonly string[];
  readonly purpose: string;
  /** The tests that need it. */
  readonly neededBy: string;
  /** Matches the sources of the files that need it. `npm test` leaves them out if the tool is missing. */
  readonly usedBy?: RegExp;
  /** What to do without the packages. */
  readonly alternative: string;
  readonly isInstalled: () => boolean;
}

const FOLDERS = [
  ...(process.env['PATH'] ?? '').split(':'),
  '/usr/bin',
  '/usr/sbin',
  '/usr/local/bin',
  '/usr/local/sbin',
  '/usr/local/mysql/bin',
  '/opt/homebrew/bin',
];

/** Debian's interpreter and compiler. The packages below work with these only, not with others in PATH. */
export const PYTHON_GRPC = {
  python: '/usr/bin/python3',
  plugin: '/usr/bin/grpc_python_plugin',
  compiler: '/usr/bin/protoc',
} as const;

export const TEST_TOOLS = {
  'database server': {
    packages: ['mariadb-server'],
    purpose: 'runs every test that uses MySQL or MariaDB, on private servers that are deleted afterwards',
    neededBy: 'the tests on a database server: all others run on SQLite',
    alternative:
      'set TEST_MYSQLD to the path of a mysqld (macOS: brew install mariadb). A server named by TEST_MYSQL_URL, where databases ' +
      'may be created, serves all tests but those that freeze and kill one',
    usedBy: /\b(SERVER_ENGINE|privateServer|startMysqlServer)\b/,
    isInstalled: () => Boolean(process.env['TEST_MYSQL_URL'] || process.env['TEST_MYSQLD'] || findDatabaseServer()),
  },
  redis: {
    packages: ['redis-server'],
    purpose: 'keeps the rate limits of test/rpc/rate-limit-redis.test.ts, which freezes and kills it',
    neededBy: 'test/rpc/rate-limit-redis.test.ts',
    alternative: 'none, as the tests must be able to kill it (macOS: brew install redis)',
    usedBy: /from '.*support\/redis-server\.ts'/,
    isInstalled: () => findProgram('redis-server') !== undefined,
  },
  'gRPC for Python': {
    packages: ['python3-grpcio', 'protobuf-compiler', 'protobuf-compiler-grpc'],
    purpose: 'calls the core from another language in test/rpc/interop.test.ts',
    neededBy: 'test/rpc/interop.test.ts',
    alternative: 'none',
    isInstalled: isPythonGrpcInstalled,
  },
  curl: {
    packages: ['curl'],
    purpose: 'runs the commands that npm run dev prints',
    neededBy: 'test/process/npm-run-dev.test.ts',
    alternative: 'none (macOS has it)',
    usedBy: /promisify\(execFile\)\('bash'/,
    isInstalled: () => findProgram('curl') !== undefined,
  },
  git: {
    packages: ['git'],
    purpose: 'reads the previous release, and needs the history of the clone',
    neededBy: 'test/process/previous-release.test.ts',
    alternative: 'none',
    isInstalled: () => findProgram('git') !== undefined,
  },
  openssl: {
    packages: ['openssl'],
    purpose: 'makes the certificates of the tests of TLS',
    neededBy: 'the tests of TLS',
    alternative: 'none (macOS has it)',
    usedBy: /support\/certificates\.ts|'openssl'/,
    isInstalled: () => findProgram('openssl') !== undefined,
  },
  oathtool: {
    packages: ['oathtool'],
    purpose: 'is the authenticator app of the commands in docs/second-factors.md',
    neededBy: 'test/process/second-factors-page.test.ts',
    alternative: 'none (macOS: brew install oath-toolkit)',
    isInstalled: () => findProgram('oathtool') !== undefined,
  },
} satisfies Record<string, TestTool>;

/** What `npm run test:all -- cluster` needs besides. */
export const CLUSTER_TOOLS: TestTools = {
  galera: {
    packages: ['mariadb-server', 'galera-4', 'rsync'],
    purpose: 'runs three MariaDB nodes as a cluster',
    neededBy: 'all tests of test/cluster',
    alternative: 'none',
    isInstalled: () => existsSync(GALERA_PROVIDER) && findProgram('rsync') !== undefined,
  },
};

/** What `npm run test:all -- speed` needs besides. */
export const SPEED_TOOLS: TestTools = {
  wrk: {
    packages: ['wrk'],
    purpose: 'is the load generator of the benchmark',
    neededBy: 'the benchmark',
    alternative: 'none',
    isInstalled: () => findProgram('wrk') !== undefined,
  },
};

/** What `npm run test:all -- deploy` needs besides. */
export const SHELL_TOOLS: TestTools = {
  shells: {
    packages: ['bash-completion', 'zsh', 'fish'],
    purpose: 'complete commands in test/deploy/completion.test.ts',
    neededBy: 'test/deploy/completion.test.ts',
    alternative: 'none',
    isInstalled: () =>
      existsSync(BASH_COMPLETION) && ['zsh', 'fish'].every((shell) => findProgram(shell) !== undefined),
  },
};

/** What `npm test` needs. */
export const GATE_TOOLS: TestTools = {
  'database server': TEST_TOOLS['database server'],
  redis: TEST_TOOLS.redis,
  curl: TEST_TOOLS.curl,
  openssl: TEST_TOOLS.openssl,
};

type ToolName = keyof typeof TEST_TOOLS;

/** Returns the path of a program in PATH or in the usual folders of packages. */
export function findProgram(name: string): string | undefined {
  return FOLDERS.map((folder) => join(folder, name)).find((path) => existsSync(path));
}

export function findDatabaseServer(): string | undefined {
  return findProgram('mariadbd') ?? findProgram('mysqld');
}

/** Throws an Error with instructions if a tool is missing. */
export function requireTool(name: ToolName): void {
  const { isInstalled, packages, purpose, alternative }: TestTool = TEST_TOOLS[name];
  if (isInstalled()) return;
  throw new Error(
    `The tests need ${name}, which ${purpose}. Debian: apt-get install ${packages.join(' ')}. Without: ${alternative}.`,
  );
}

export type TestTools = Readonly<Record<string, TestTool>>;

/** What a run says about its tools before it starts, and the packages that it installs. */
export interface ToolPlan {
  readonly lines: readonly string[];
  readonly packages: readonly string[];
}

/** Plans the installation of missing tools. Without the permission, the plan says which tests need them. */
export function planTools(tools: TestTools, canInstall: boolean): ToolPlan {
  const missing = missingTools(tools);
  const names = Object.keys(tools).join(', ');
  if (missing.length === 0) return { lines: [`Tools of the tests: ${names}. All are installed.`], packages: [] };
  const packages = missing.flatMap(([, tool]) => tool.packages);
  if (canInstall)
    return { lines: [`Tools of the tests: ${names}.`, `Installing what is missing: ${packages.join(', ')}`], packages };
  const lines = [
    `Tools of the tests: ${names}. Missing, and installed automatically only as root on Debian:`,
    ...missing.flatMap(([name, { neededBy, packages, alternative }]) => [
      `  ${name}: needed by ${neededBy}`,
      `    Debian: apt-get install ${packages.join(' ')}. Without: ${alternative}`,
    ]),
  ];
  return { lines, packages: [] };
}

/** Says which tools the tests need. Installs the missing ones if this user has the permission, and says so if that fails. */
export function installMissingTools(tools: TestTools = TEST_TOOLS): void {
  const { lines, packages } = planTools(tools, process.getuid?.() === 0 && existsSync('/usr/bin/apt-get'));
  console.log(lines.join('\n'));
  if (packages.length === 0) return;
  try {
    withoutStartingServices(() => {
      aptGet('update', '-qq');
      aptGet('install', '-y', '-qq', '--no-install-recommends', ...packages);
    });
  } catch (error) {
    console.log(`apt-get failed: ${(error as Error).message}`);
  }
  if (missingTools(tools).length > 0) console.log(planTools(tools, false).lines.join('\n'));
}

export function missingTools(tools: TestTools): [name: string, tool: TestTool][] {
  return Object.entries(tools).filter(([, { isInstalled }]) => !isInstalled());
}

/** Tests that `npm test` leaves out, by the name of the tool that is missing. */
export function leftOutFiles(): Readonly<Record<string, readonly string[]>> {
  const missing = missingTools(GATE_TOOLS);
  if (missing.length === 0) return {};
  const sources = globSync('test/**/*.test.ts').map((path) => [path, readFileSync(path, 'utf8')] as const);
  return Object.fromEntries(
    missing.map(([name, { usedBy }]) => [name, sources.flatMap(([path, text]) => (usedBy?.test(text) ? [path] : []))]),
  );
}

function aptGet(...options: string[]): void {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  execFileSync('apt-get', options, { stdio: 'inherit', env });
}

/** Packages call policy-rc.d before they start a service. Exit code 101 forbids the start. */
function withoutStartingServices(work: () => void): void {
  const policy = '/usr/sbin/policy-rc.d';
  if (existsSync(policy)) return work();
  writeFileSync(policy, '#!/bin/sh\nexit 101\n', { mode: 0o755 });
  try {
    work();
  } finally {
    rmSync(policy);
  }
}

function isPythonGrpcInstalled(): boolean {
  if (!Object.values(PYTHON_GRPC).every((path) => existsSync(path))) return false;
  try {
    execFileSync(PYTHON_GRPC.python, ['-c', 'import grpc, google.protobuf'], { stdio: 'pipe' });
    return true;
  } catch {
    return false;
  }
}

if (import.meta.main) {
  if (process.argv.includes('--gate')) {
    installMissingTools(GATE_TOOLS);
    // A gate without its tools would be green without having looked.
    if (process.env['TEST_TOOLS_REQUIRED'] && missingTools(GATE_TOOLS).length > 0) process.exitCode = 1;
  } else {
    if (!process.argv.includes('--list')) installMissingTools();
    for (const [name, tool] of Object.entries<TestTool>(TEST_TOOLS)) {
      console.log(`${name}: ${tool.isInstalled() ? 'installed' : 'missing'}`);
      console.log(
        `  Debian: ${tool.packages.join(' ')}\n  purpose: ${tool.purpose}\n  needed by: ${tool.neededBy}\n  without: ${tool.alternative}`,
      );
    }
  }
}
