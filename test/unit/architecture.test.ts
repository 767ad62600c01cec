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

const IDENTITY = ['src/identity', 'src/identity/authentication', 'src/identity/users', 'src/identity/explain'];
const SERVICE_MAY_IMPORT = ['proto/gen', 'src/rpc', 'src/db', 'src/db/query', 'src/audit'];
const IDENTITY_MAY_IMPORT = [...SERVICE_MAY_IMPORT, 'src/jobs', 'src/token', 'src/tenancy'];

/** The folders that a folder may import, besides itself and SHARED. An unlisted folder may import nothing. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  'proto/gen': [],
  // A migration that ran must not change with the code around it.
  migrations: ['migrations/schema'],
  'migrations/schema': [],
  cli: [
    'src/config',
    'src',
    'src/process',
    'src/rpc/errors',
    'cli/isolation',
    'cli/commands',
    'cli/core',
    'cli/import',
    'cli/terminal',
  ],
  'cli/commands': [
    'proto/gen',
    'src',
    'src/config',
    'src/rpc',
    'src/rpc/errors',
    'cli',
    'cli/core',
    'cli/import',
    'cli/isolation',
    'cli/terminal',
  ],
  'cli/import': ['src'],
  'cli/core': ['proto/gen', 'src', 'src/rpc', 'src/rpc/errors', 'src/rpc/grpc', 'src/rpc/local', 'cli', 'cli/terminal'],
  'cli/terminal': ['cli', 'src/formats'],
  'cli/isolation': ['proto/gen', 'src/rpc', 'src/rpc/errors', 'src/rpc/grpc', 'src/bootstrap', 'src/principal'],
  scripts: [
    'cli',
    'cli/commands',
    'cli/core',
    'proto/gen',
    'gateway',
    'src',
    'src/process',
    'src/config',
    'src/rpc',
    'src/rpc/pipeline',
    'src/problem',
    'src/identity/authentication',
  ],
  'src/concurrency': [],
  'src/formats': [],
  'src/principal': ['proto/gen', 'src/db'],
  'src/config': [],
  'src/process': [
    'src/config',
    'src/tracing',
    'src/jobs',
    'src/problem',
    'src/rpc',
    'src/rpc/errors',
    'src/rpc/pipeline',
    'src/rpc/grpc',
    'src/rpc/grpc/patches',
  ],
  'src/db': ['src/db/mysql', 'src/db/sqlite'],
  'src/db/mysql': ['src/db'],
  'src/db/sqlite': ['src/db'],
  'src/db/query': ['src/db'],
  'src/rpc': ['proto/gen', 'src/db/query', 'src/rpc/contract', 'src/rpc/errors'],
  'src/rpc/contract': ['proto/gen', 'src/rpc', 'src/rpc/errors'],
  'src/rpc/errors': ['proto/gen'],
  'src/rpc/pipeline': ['proto/gen', 'src/rpc', 'src/rpc/contract', 'src/rpc/errors'],
  'src/rpc/local': ['src/rpc', 'src/rpc/errors', 'src/rpc/pipeline'],
  'src/rpc/grpc': [
    'proto/gen',
    'src/rpc',
    'src/rpc/contract',
    'src/rpc/errors',
    'src/rpc/pipeline',
    'src/rpc/grpc/patches',
  ],
  'src/rpc/grpc/patches': ['src/rpc/errors', 'src/rpc/pipeline'],
  'src/problem': ['src/rpc/errors'],
  'src/tracing': ['src/config', 'src/db', 'src/identity/authentication'],
  'src/jobs': ['src/db'],
  'src/files': [],
  'src/audit': ['src/rpc', 'src/db', 'src/db/query', 'src/jobs'],
  'src/rate-limit': ['src/db', 'src/jobs'],
  'src/token': ['src/db', 'src/db/query', 'src/jobs'],
  'src/tenancy': ['proto/gen', 'src/rpc', 'src/db', 'src/db/query', 'src/audit'],
  'src/identity': [...IDENTITY_MAY_IMPORT, ...IDENTITY],
  'src/identity/authentication': [...IDENTITY_MAY_IMPORT, 'src/identity'],
  'src/identity/users': [...IDENTITY_MAY_IMPORT, 'src/identity', 'src/identity/authentication'],
  'src/identity/explain': [...IDENTITY_MAY_IMPORT, ...IDENTITY],
  'src/session': [...SERVICE_MAY_IMPORT, 'src/jobs', 'src/token', 'src/rate-limit', ...IDENTITY],
  'src/client-credentials': [...SERVICE_MAY_IMPORT, 'src/token', 'src/rate-limit', ...IDENTITY],
  'src/envoy': ['proto/gen', 'src/rpc', 'src/rpc/errors', 'src/rpc/pipeline', 'src/audit', 'src/problem', ...IDENTITY],
  'src/api-key': [...SERVICE_MAY_IMPORT, ...IDENTITY],
  'src/business': ['proto/gen', 'src/rpc', 'src/db', 'src/db/query', 'src/jobs', 'src/files', 'src/tenancy'],
  'src/bootstrap': [
    'src/audit',
    'src/config',
    'src/rpc',
    'src/db',
    'src/tenancy',
    'src/client-credentials',
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
  'gateway/auth': ['gateway/errors', 'gateway/schema', 'gateway/http'],
  'gateway/business': ['gateway/errors', 'gateway/schema', 'gateway/http', 'gateway/contract'],
  'gateway/root': ['gateway/errors', 'gateway/http', 'gateway/auth'],
  'gateway/dev': ['gateway/errors', 'gateway/http', 'gateway/root'],
  'gateway/openapi': ['gateway/errors', 'gateway/schema', 'gateway/http', 'gateway/contract', 'gateway/auth'],
};

/** Generated code and collections of independent files. */
const UNDESCRIBED = ['proto/gen', 'migrations', 'migrations/schema', 'scripts'];

/** Files that every part of the core may import. */
const SHARED = [
  'src/clock.ts',
  'src/errors.ts',
  'src/problem/catalogue.ts',
  'src/problem/failure-kind.ts',
  'src/problem/http-failures.ts',
  'src/files/make-folder.ts',
  // The types of spans; the packages behind them are loaded only if tracing is on.
  'src/tracing/tracer.ts',
  'src/metric.ts',
  // Formats of settings: checked by the configuration, read by the parts that connect.
  'src/db/database-url.ts',
  'src/files/files-url.ts',
];
/** Leaves of the core that all of it may import. */
const SHARED_FOLDERS = ['src/concurrency', 'src/formats', 'src/principal'];
/** Leaves of the gateway that all of it may import. */
const SHARED_IN_GATEWAY = /^gateway\/(?:api-path|clients|context|endpoint|metrics|security|type)\.ts$/;

/** The parts of the core that the gateway may import: the contract, the client side of src/rpc, and some types. */
const GATEWAY_MAY_IMPORT =
  /^(?:gateway|proto\/gen)\/|^src\/rpc\/(?:contract|errors)\/|^src\/rpc\/(?:types|grpc\/client|local\/client)\.ts$|^src\/problem\/|^src\/(?:formats|concurrency)\/|^src\/process\/latency-histogram\.ts$/;
const GATEWAY_MAY_IMPORT_TYPES = /^src\/(?:errors|config\/settings|tracing\/tracer)\.ts$/;

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
  const composes = from === 'gateway/main.ts' && (COMPOSITION.test(to) || to.startsWith('src/process/'));
  return composes || GATEWAY_MAY_IMPORT.test(to) || (typeOnly && GATEWAY_MAY_IMPORT_TYPES.test(to));
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
    counterexample: [file('src/tenancy/tenant-store.ts', "import { login } from '../session/login.ts';")],
  },
  {
    name: 'the gateway imports only the contract and the client side of src/rpc',
    violations: eachImport(isForGateway),
    counterexample: [file('gateway/auth/login.ts', "import { ROLES } from '../../src/principal/account.ts';")],
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

it.each(Object.keys(MAY_IMPORT).filter((folder) => !UNDESCRIBED.includes(folder)))(
  'the main file of %s begins with the purpose and the importers of the folder',
  (folder) => {
    const described = sources.filter(
      ({ path, text }) => path.startsWith(`${folder}/`) && /^\/\/ .+\n\/\/ Imported by .+\.\n/.test(text),
    );
    expect(described.map(({ path }) => folderOf(path))).toContain(folder);
  },
);
