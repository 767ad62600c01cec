// The import rules of the project's folders. architecture-packages.test.ts and architecture-stores.test.ts contain further rules.
import { dirname } from 'node:path/posix';
import { expect, it } from 'vitest';
import {
  allSources,
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

const PLATFORM = (...folders: readonly string[]) => folders.map((folder) => `src/platform/${folder}`);
const AUTH = (...folders: readonly string[]) => folders.map((folder) => `src/auth/${folder}`);
/** What each service needs. */
const SERVICE = ['proto/gen', ...PLATFORM('rpc', 'db'), ...AUTH('access', 'audit')];

/**
 * The rooms, from the lowest to the highest: platform, auth, business, composition; gateway and cli are beside them. Each
 * folder may import the listed ones, itself and SHARED. A folder that is not listed belongs to the one above it.
 */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  'proto/gen': [],
  // A migration that ran must not change with the code around it.
  migrations: [],

  // The platform knows nothing of accounts.
  'src/platform': ['proto/gen'],
  'src/platform/concurrency': [],
  'src/platform/formats': [],
  'src/platform/config': [],
  'src/platform/db': [],
  'src/platform/files': [],
  'src/platform/jobs': PLATFORM('db'),
  'src/platform/limits': PLATFORM('db', 'jobs'),
  'src/platform/tracing': PLATFORM('db', 'config'),
  'src/platform/rpc': ['proto/gen', ...PLATFORM('db')],
  'src/platform/problem': PLATFORM('rpc'),
  'src/platform/process': PLATFORM('config', 'tracing', 'jobs', 'problem', 'rpc'),

  // What the service is for. A service calls functions of the ones that it lists.
  'src/auth/access': ['proto/gen', ...PLATFORM('rpc', 'db')],
  'src/auth/audit': ['proto/gen', ...PLATFORM('rpc', 'db', 'jobs', 'limits'), ...AUTH('access')],
  'src/auth/keys': [...SERVICE, ...PLATFORM('jobs')],
  'src/auth/token': [...PLATFORM('db', 'jobs'), ...AUTH('access', 'keys')],
  'src/auth/mail': [...PLATFORM('db', 'jobs'), ...AUTH('access', 'keys')],
  'src/auth/delivery': [...SERVICE, ...PLATFORM('jobs')],
  'src/auth/role': [...SERVICE, ...AUTH('tenancy', 'identity')],
  'src/auth/tenancy': [...SERVICE, ...AUTH('token', 'mail')],
  'src/auth/identity': [...SERVICE, ...PLATFORM('jobs'), ...AUTH('token', 'tenancy', 'mail')],
  'src/auth/factors': [...SERVICE, ...PLATFORM('jobs'), ...AUTH('keys', 'identity', 'mail')],
  'src/auth/session': [
    ...SERVICE,
    ...PLATFORM('jobs', 'limits'),
    ...AUTH('token', 'keys', 'identity', 'factors', 'mail'),
  ],
  'src/auth/client-credentials': [...SERVICE, ...PLATFORM('limits'), ...AUTH('token', 'identity')],
  'src/auth/oauth': [
    ...SERVICE,
    ...PLATFORM('jobs', 'limits'),
    ...AUTH('token', 'keys', 'identity', 'tenancy', 'factors', 'mail', 'delivery', 'session', 'client-credentials'),
  ],
  'src/auth/api-key': [...SERVICE, ...AUTH('identity')],
  'src/auth/webhook': [...SERVICE, ...PLATFORM('jobs'), ...AUTH('keys', 'delivery', 'tenancy', 'identity', 'mail')],
  'src/auth/envoy': [...SERVICE, ...PLATFORM('problem'), ...AUTH('identity')],

  // The shop. Of the accounts, it knows only the caller of the platform and the lock of a tenant.
  'src/business': ['proto/gen', ...PLATFORM('rpc', 'db', 'jobs', 'files'), ...AUTH('tenancy')],

  // Its own files may import all of src: see COMPOSITION.
  'src/composition': [],
  'src/composition/bootstrap': [
    'src/business',
    'src/composition',
    'proto/gen',
    ...PLATFORM('config', 'rpc', 'db'),
    ...AUTH('access', 'audit', 'tenancy', 'identity', 'client-credentials', 'oauth'),
  ],

  cli: [
    'cli/isolation',
    'proto/gen',
    'src/composition',
    ...PLATFORM('config', 'process', 'rpc'),
    ...AUTH('access', 'oauth'),
  ],
  // Its demo parties come from the bootstrap.
  'cli/isolation': ['cli', 'proto/gen', 'src/composition/bootstrap', ...PLATFORM('rpc'), ...AUTH('access')],
  // Only scripts import tests: below.
  'test/languages': [],
  'test/support': [],
  // The pages, as a bundle. Nothing else imports them.
  web: [],
  // The site of the documents, with packages of its own. Only scripts import it.
  site: [],
  scripts: [
    'cli',
    'gateway',
    'web',
    'site',
    'proto/gen',
    'src/composition',
    ...PLATFORM('config', 'process', 'rpc', 'problem'),
    ...AUTH('access', 'identity', 'audit'),
    'client',
    // The tools of other languages, and the databases of releases for the test of upgrades: one way to install and make them.
    'test/languages',
    'test/support',
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
    'gateway/pages',
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
  'gateway/pages': ['gateway/errors', 'gateway/http', 'gateway/root'],
  'gateway/dev': ['gateway/errors', 'gateway/http', 'gateway/root', 'gateway/pages', 'web'],
  'gateway/openapi': [
    'gateway/errors',
    'gateway/schema',
    'gateway/http',
    'gateway/contract',
    'gateway/auth',
    'gateway/pages',
  ],
};

/** The parts of the platform that all rooms may import. The gateway has rules of its own. */
const SHARED = [
  // Clock, errors and the type of metrics.
  /^src\/platform\/[^/]+\.ts$/,
  /^src\/platform\/(?:concurrency|formats)\//,
  /^src\/platform\/problem\/(?:catalogue|failure-kind|http-failures)\.ts$/,
  // The types of spans; the packages behind them are loaded only if tracing is on.
  /^src\/platform\/tracing\/tracer\.ts$/,
  // Formats of settings: checked by the configuration, read by the parts that connect.
  /^src\/platform\/(?:db\/database-url|files\/files-url|files\/make-folder)\.ts$/,
];
/** Leaves of the gateway that all of it may import. */
const SHARED_IN_GATEWAY = /^gateway\/(?:api-path|clients|context|endpoint|metrics|module|type)\.ts$/;

/** The parts of the core that the gateway may import: the contract, the client side of src/platform/rpc, and some types. */
const GATEWAY_MAY_IMPORT =
  /^(?:gateway|proto\/gen)\/|^src\/platform\/rpc\/(?:contract|errors)\/|^src\/platform\/rpc\/(?:types|grpc\/client|local\/client)\.ts$|^src\/platform\/problem\/|^src\/platform\/(?:formats|concurrency)\/|^src\/platform\/(?:process\/latency-histogram|setting-error)\.ts$/;
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
    if (from === 'src/module.ts' && to === 'migrations/schema/create-table.ts') return true;
    if (COMPOSITION.test(from)) return to.startsWith('src/') || to.startsWith('proto/gen/');
    if (!from.startsWith('migrations/') && SHARED.some((shared) => shared.test(to))) return true;
  }
  const home = folderOf(from);
  return [home, ...(MAY_IMPORT[home] ?? [])].includes(folderOf(to));
}

function isForGateway(imported: Import): boolean {
  const { from, to, typeOnly } = imported;
  if (!from.startsWith('gateway/') || !isProjectFile(imported)) return true;
  const composes = from === 'gateway/main.ts' && (COMPOSITION.test(to) || to.startsWith('src/platform/process/'));
  // In DEV, it builds the pages again.
  const bundles = from.startsWith('gateway/dev/') && to.startsWith('web/build/');
  return composes || bundles || GATEWAY_MAY_IMPORT.test(to) || (typeOnly && GATEWAY_MAY_IMPORT_TYPES.test(to));
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

/** A parameter or member that holds a whole part of the composition. */
const WHOLE_PART =
  /(\w+)\??: (?:Foundation|Composition|Tokens|Authentication|Accounts|AuditTrail|CredentialChecks|Mail)\b/g;

/** Returns where the composition gives a whole part to a function of another room, so that nobody sees what that gets. */
function wholeParts(sources: readonly Source[]): string[] {
  return sources
    .filter(({ path }) => COMPOSITION.test(path))
    .flatMap(({ path, text }) => {
      const parts = new Set(Array.from(text.matchAll(WHOLE_PART), ([, name]) => name!));
      const spread = Array.from(text.matchAll(/\.\.\.(\w+)\b(?![.(])/g), ([, name]) => name!);
      const given = [...text.matchAll(/\b(\w+)\((\w+)[,)]/g)].filter(([, callee]) =>
        new RegExp(`^import \\{[^}]*\\b${callee}\\b[^}]*\\} from '\\.\\./`, 'm').test(text),
      );
      return [...spread, ...given.map(([, , name]) => name!)]
        .filter((name) => parts.has(name))
        .map((name) => `${path}: ${name}`);
    });
}

const RULES: readonly Rule[] = [
  {
    name: 'a folder imports only its listed folders',
    violations: eachImport(isInside),
    counterexample: [file('src/auth/tenancy/tenant-store.ts', "import { login } from '../session/login.ts';")],
  },
  {
    name: 'the platform imports no other room',
    violations: eachImport(({ from, to }) => !from.startsWith('src/platform/') || !/^src\/(?!platform\/)/.test(to)),
    counterexample: [
      file('src/platform/rpc/types.ts', "import type { Principal } from '../../auth/access/principal.ts';"),
    ],
  },
  {
    name: 'the gateway imports only the contract and the client side of src/platform/rpc',
    violations: eachImport(isForGateway),
    counterexample: [file('gateway/auth/login.ts', "import { ROLES } from '../../src/auth/access/account.ts';")],
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
    of: allSources,
  },
  {
    name: 'the composition names what each service gets',
    violations: wholeParts,
    counterexample: [
      file('src/composition/keys.ts', 'const createKeys = (foundation: Foundation) => keyService({ ...foundation });'),
    ],
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
  expect(allSources.filter(({ path }) => path.endsWith('.tsx')).length).toBeGreaterThan(50);
});
