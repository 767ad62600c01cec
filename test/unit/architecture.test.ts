// The import rules of the project's folders. architecture-packages.test.ts and architecture-stores.test.ts contain further rules.
import { dirname } from 'node:path/posix';
import { expect, it } from 'vitest';
import {
  COMPOSITION,
  eachImport,
  file,
  importsOf,
  isProjectFile,
  sources,
  testRules,
  type Import,
  type Rule,
  type Source,
} from './architecture.ts';

const IDENTITY = [
  'src/auth/identity',
  'src/auth/identity/authentication',
  'src/auth/identity/users',
  'src/auth/identity/explain',
];
const SERVICE_MAY_IMPORT = [
  'proto/gen',
  'src/platform/rpc',
  'src/platform/db',
  'src/platform/db/query',
  'src/auth/audit',
];
const IDENTITY_MAY_IMPORT = [...SERVICE_MAY_IMPORT, 'src/platform/jobs', 'src/auth/token', 'src/auth/tenancy'];

/** The folders that a folder may import, besides itself and SHARED. An unlisted folder may import nothing. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  'proto/gen': [],
  // A migration that ran must not change with the code around it.
  migrations: ['migrations/schema'],
  'migrations/schema': [],
  cli: [
    'src/platform/config',
    'src',
    'src/platform/process',
    'src/platform/rpc/errors',
    'cli/isolation',
    'cli/commands',
    'cli/core',
    'cli/import',
    'cli/terminal',
  ],
  'cli/commands': [
    'proto/gen',
    'src',
    'src/platform/config',
    'src/platform/rpc',
    'src/platform/rpc/errors',
    'cli',
    'cli/core',
    'cli/import',
    'cli/isolation',
    'cli/terminal',
  ],
  'cli/import': ['src'],
  'cli/core': [
    'proto/gen',
    'src',
    'src/platform/rpc',
    'src/platform/rpc/errors',
    'src/platform/rpc/grpc',
    'src/platform/rpc/local',
    'cli',
    'cli/terminal',
  ],
  'cli/terminal': ['cli', 'src/platform/formats'],
  'cli/isolation': [
    'proto/gen',
    'src/platform/rpc',
    'src/platform/rpc/errors',
    'src/platform/rpc/grpc',
    'src/composition/bootstrap',
    'src/auth/principal',
  ],
  scripts: [
    'cli',
    'cli/commands',
    'cli/core',
    'proto/gen',
    'gateway',
    'src',
    'src/platform/process',
    'src/platform/config',
    'src/platform/rpc',
    'src/platform/rpc/pipeline',
    'src/platform/problem',
    'src/auth/identity/authentication',
  ],
  'src/platform/concurrency': [],
  'src/platform/formats': [],
  'src/auth/principal': ['proto/gen', 'src/platform/db'],
  'src/platform/config': [],
  'src/platform/process': [
    'src/platform/config',
    'src/platform/tracing',
    'src/platform/jobs',
    'src/platform/problem',
    'src/platform/rpc',
    'src/platform/rpc/errors',
    'src/platform/rpc/pipeline',
    'src/platform/rpc/grpc',
    'src/platform/rpc/grpc/patches',
  ],
  'src/platform': ['proto/gen'],
  'src/platform/db': ['src/platform/db/mysql', 'src/platform/db/sqlite'],
  'src/platform/db/mysql': ['src/platform/db'],
  'src/platform/db/sqlite': ['src/platform/db'],
  'src/platform/db/query': ['src/platform/db'],
  'src/platform/rpc': ['proto/gen', 'src/platform/db/query', 'src/platform/rpc/contract', 'src/platform/rpc/errors'],
  'src/platform/rpc/contract': ['proto/gen', 'src/platform/rpc', 'src/platform/rpc/errors'],
  'src/platform/rpc/errors': ['proto/gen'],
  'src/platform/rpc/pipeline': [
    'proto/gen',
    'src/platform/rpc',
    'src/platform/rpc/contract',
    'src/platform/rpc/errors',
  ],
  'src/platform/rpc/local': ['src/platform/rpc', 'src/platform/rpc/errors', 'src/platform/rpc/pipeline'],
  'src/platform/rpc/grpc': [
    'proto/gen',
    'src/platform/rpc',
    'src/platform/rpc/contract',
    'src/platform/rpc/errors',
    'src/platform/rpc/pipeline',
    'src/platform/rpc/grpc/patches',
  ],
  'src/platform/rpc/grpc/patches': ['src/platform/rpc/errors', 'src/platform/rpc/pipeline'],
  'src/platform/problem': ['src/platform/rpc/errors'],
  'src/platform/tracing': ['src/platform/config', 'src/platform/db'],
  'src/platform/jobs': ['src/platform/db', 'src/platform/db/query'],
  'src/platform/files': [],
  'src/auth/audit': ['proto/gen', 'src/platform/rpc', 'src/platform/db', 'src/platform/db/query', 'src/platform/jobs'],
  'src/platform/limits': ['src/platform/db', 'src/platform/jobs'],
  'src/auth/token': ['src/platform/db', 'src/platform/db/query', 'src/platform/jobs'],
  'src/auth/tenancy': ['proto/gen', 'src/platform/rpc', 'src/platform/db', 'src/platform/db/query', 'src/auth/audit'],
  'src/auth/identity': [...IDENTITY_MAY_IMPORT, ...IDENTITY],
  'src/auth/identity/authentication': [...IDENTITY_MAY_IMPORT, 'src/auth/identity'],
  'src/auth/identity/users': [...IDENTITY_MAY_IMPORT, 'src/auth/identity', 'src/auth/identity/authentication'],
  'src/auth/identity/explain': [...IDENTITY_MAY_IMPORT, ...IDENTITY],
  'src/auth/session': [
    ...SERVICE_MAY_IMPORT,
    'src/platform/jobs',
    'src/auth/token',
    'src/platform/limits',
    ...IDENTITY,
  ],
  'src/auth/client-credentials': [...SERVICE_MAY_IMPORT, 'src/auth/token', 'src/platform/limits', ...IDENTITY],
  'src/auth/envoy': [
    'proto/gen',
    'src/platform/rpc',
    'src/platform/rpc/errors',
    'src/platform/rpc/pipeline',
    'src/auth/audit',
    'src/platform/problem',
    ...IDENTITY,
  ],
  'src/auth/api-key': [...SERVICE_MAY_IMPORT, ...IDENTITY],
  'src/business': [
    'proto/gen',
    'src/platform/rpc',
    'src/platform/db',
    'src/platform/db/query',
    'src/platform/jobs',
    'src/platform/files',
    'src/auth/tenancy',
  ],
  'src/composition/bootstrap': [
    'src/auth/audit',
    'src/platform/config',
    'src/platform/rpc',
    'src/platform/db',
    'src/auth/tenancy',
    'src/auth/client-credentials',
    'src/business',
    ...IDENTITY,
  ],
  // The next rule lists the parts of the core that the gateway may import.
  gateway: [
    'gateway/errors',
    'gateway/schema',
    'gateway/http',
    'gateway/contract',
    'gateway/auth',
    'gateway/business',
    'gateway/root',
    'gateway/dev',
    'gateway/openapi',
  ],
  'gateway/errors': [],
  'gateway/schema': ['gateway/errors'],
  'gateway/http': ['gateway/errors', 'gateway/schema'],
  'gateway/contract': ['gateway/errors', 'gateway/schema', 'gateway/http'],
  'gateway/auth': ['gateway/errors', 'gateway/schema', 'gateway/http', 'gateway/contract'],
  'gateway/business': ['gateway/errors', 'gateway/schema', 'gateway/http', 'gateway/contract'],
  'gateway/root': ['gateway/errors', 'gateway/http', 'gateway/auth'],
  'gateway/dev': ['gateway/errors', 'gateway/http', 'gateway/root'],
  'gateway/openapi': ['gateway/errors', 'gateway/schema', 'gateway/http', 'gateway/contract', 'gateway/auth'],
};

/** Files that every part of the core may import. */
const SHARED = [
  'src/platform/clock.ts',
  'src/platform/errors.ts',
  'src/platform/problem/catalogue.ts',
  'src/platform/problem/failure-kind.ts',
  'src/platform/problem/http-failures.ts',
  'src/platform/files/make-folder.ts',
  // The types of spans; the packages behind them are loaded only if tracing is on.
  'src/platform/tracing/tracer.ts',
  'src/platform/metric.ts',
  // Formats of settings: checked by the configuration, read by the parts that connect.
  'src/platform/db/database-url.ts',
  'src/platform/files/files-url.ts',
];
/** Leaves of the core that all of it may import. */
const SHARED_FOLDERS = ['src/platform/concurrency', 'src/platform/formats', 'src/auth/principal'];
/** Leaves of the gateway that all of it may import. */
const SHARED_IN_GATEWAY = /^gateway\/(?:api-path|clients|context|endpoint|metrics|security|type)\.ts$/;

/** The parts of the core that the gateway may import: the contract, the client side of src/platform/rpc, and some types. */
const GATEWAY_MAY_IMPORT =
  /^(?:gateway|proto\/gen)\/|^src\/platform\/rpc\/(?:contract|errors)\/|^src\/platform\/rpc\/(?:types|grpc\/client|local\/client)\.ts$|^src\/platform\/problem\/|^src\/platform\/(?:formats|concurrency)\/|^src\/platform\/process\/latency-histogram\.ts$/;
const GATEWAY_MAY_IMPORT_TYPES = /^src\/platform\/(?:errors|config\/settings|tracing\/tracer)\.ts$/;

const MAX_LINES = 300;

/** Returns the folder of a file: the deepest one in MAY_IMPORT. */
function folderOf(path: string): string {
  const folder = dirname(path);
  return folder in MAY_IMPORT || !folder.includes('/') ? folder : folderOf(folder);
}

function isInside(imported: Import): boolean {
  const { from, to } = imported;
  if (!isProjectFile(imported)) return true;
  if (from.startsWith('gateway/')) {
    if (!to.startsWith('gateway/') || SHARED_IN_GATEWAY.test(to)) return true;
  } else {
    if (COMPOSITION.test(from)) return to.startsWith('src/') || to.startsWith('proto/gen/');
    if (!from.startsWith('migrations/') && (SHARED.includes(to) || SHARED_FOLDERS.includes(folderOf(to)))) return true;
  }
  const home = folderOf(from);
  return [home, ...(MAY_IMPORT[home] ?? [])].includes(folderOf(to)) && home in MAY_IMPORT;
}

function isForGateway(imported: Import): boolean {
  const { from, to, typeOnly } = imported;
  if (!from.startsWith('gateway/') || !isProjectFile(imported)) return true;
  const composes = from === 'gateway/main.ts' && (COMPOSITION.test(to) || to.startsWith('src/platform/process/'));
  return composes || GATEWAY_MAY_IMPORT.test(to) || (typeOnly && GATEWAY_MAY_IMPORT_TYPES.test(to));
}

/** Folders whose other files are imported only from inside. */
const DOORS: Readonly<Record<string, string>> = {
  'src/auth/session/rotation': 'src/auth/session/rotation/rotate.ts',
};

function usesDoor({ from, to }: Import): boolean {
  const door = DOORS[dirname(to)];
  return door === undefined || to === door || dirname(to) === dirname(from) || !from.startsWith('src/');
}

/** Returns all import cycles. */
function cycles(sources: readonly Source[]): string[] {
  const graph = new Map(sources.map((source) => [source.path, importsOf(source).filter(isProjectFile)]));
  const found: string[] = [];
  const done = new Set<string>();
  const visit = (path: string, trail: readonly string[]): void => {
    if (trail.includes(path)) found.push([...trail.slice(trail.indexOf(path)), path].join(' -> '));
    if (done.has(path)) return;
    done.add(path);
    for (const { to } of graph.get(path) ?? []) visit(to, [...trail, path]);
  };
  for (const path of graph.keys()) visit(path, []);
  return found;
}

const RULES: readonly Rule[] = [
  {
    name: 'a folder imports only its listed folders',
    violations: eachImport(isInside),
    counterexample: [file('src/auth/tenancy/tenant-store.ts', "import { login } from '../session/login.ts';")],
  },
  {
    name: 'the gateway imports only the contract and the client side of src/platform/rpc',
    violations: eachImport(isForGateway),
    counterexample: [file('gateway/auth/login.ts', "import { ROLES } from '../../src/auth/principal/account.ts';")],
  },
  {
    name: 'a folder with a door is imported by its door',
    violations: eachImport(usesDoor),
    counterexample: [file('src/auth/session/logout.ts', "import type { A } from './rotation/rotation-store.ts';")],
  },
  {
    name: 'no file imports itself, also indirectly',
    violations: cycles,
    counterexample: [file('src/a.ts', "import './b.ts';"), file('src/b.ts', "export { a } from './a.ts';")],
  },
  {
    name: `no file has more than ${MAX_LINES} lines`,
    violations: (sources) =>
      sources.filter(({ text }) => text.trimEnd().split('\n').length > MAX_LINES).map(({ path }) => path),
    counterexample: [file('src/a.ts', 'const a = 1;\n'.repeat(MAX_LINES + 1))],
  },
];

testRules(RULES);

it('the rules read the whole project', () => {
  expect(sources.length).toBeGreaterThan(100);
  expect(sources.flatMap(importsOf).length).toBeGreaterThan(500);
});
