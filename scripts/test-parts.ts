// The parts of `npm run test:all`: all tests but those of `npm test`.
import { globSync, readFileSync } from 'node:fs';
import type { TestFailure } from './test-summary.ts';

export interface TestPart {
  readonly name: string;
  /** What its tests show, in a few words. */
  readonly shows: string;
  /** Arguments of Node for the program that runs it. It writes a summary to the file of TEST_SUMMARY: scripts/test-summary.ts. */
  readonly program: readonly string[];
  /**
   * Returns the arguments that run one failed test again. Only for parts that measure times, memory or CPU: another program can disturb
   * these, so each failure is repeated twice.
   */
  readonly repeat?: (failure: TestFailure) => readonly string[];
  /** Rounds of each race (TEST_ROUNDS). Default: 8. */
  readonly rounds?: number;
}

const VITEST = ['node_modules/vitest/vitest.mjs', 'run'];

/** A part that is a project of vitest.config.ts. */
const project = (name: string, shows: string, options: Partial<TestPart> = {}): TestPart => ({
  name,
  shows,
  program: [...VITEST, '--project', name],
  ...options,
});

export const TEST_PARTS: readonly TestPart[] = [
  {
    name: 'rounds',
    shows: 'the races of npm test 60 times, its property tests with other values, OpenID tests with a second provider',
    program: rounds(),
    rounds: 60,
  },
  project('timed', 'limits and pauses in real time', { repeat: repeatTest }),
  project('processes', 'starts, stops and faults of processes and database servers'),
  project('mysql', 'all that depends on the database server, on MySQL'),
  project('without-shop', 'accounts, sessions and machines in a service without the shop'),
  project('client', 'the client in Chromium'),
  project('next', 'the client in a project of Next'),
  project('pages', 'the pages in Chromium'),
  project('firefox', 'the pages in Firefox'),
  project('languages', 'the examples in Go, Java, Python and TypeScript'),
  project('frameworks', 'resource servers in other frameworks'),
  project('relying-parties', 'logins with relying parties of others, from oauth2-proxy to Keycloak'),
  project('proxies', 'forward authentication behind nginx, Caddy, Traefik and Envoy'),
  project('openapi', 'generated requests and generated clients'),
  project('operations', 'metrics, alerts and traces with Prometheus and a collector'),
  project('packages', 'the package authservice, installed into empty folders'),
  project('sdk', 'the packages for callers in other languages'),
  project('deploy', 'the image, the files of deploy/, completion in shells'),
  project('chart', 'the Helm chart'),
  project('site', 'the documents as a site'),
  project('cluster', 'a Galera cluster whose nodes fail'),
  project('group', 'a MySQL replication group whose primary fails'),
  project('attacks', 'floods and memory under attack', { repeat: repeatTest }),
  project('response-times', 'response times that must not tell who exists', { repeat: repeatTest }),
  {
    name: 'speed',
    shows: 'the CPU time of eight paths beside their limits',
    program: ['bench/main.ts', '--quick'],
    repeat: ({ test }) => ['--only', test!],
  },
];

function rounds(): string[] {
  const files = globSync('{test,client/test,web/test}/**/*.test.ts').filter((path) =>
    /\/(?:rounds|providers)\.ts'|'fast-check'/.test(readFileSync(path, 'utf8')),
  );
  // Vitest leaves out the files of other projects.
  return [...VITEST, '--project', 'main', '--testTimeout=600000', ...files.toSorted()];
}

/** Vitest joins the names of suites and test by spaces. */
function repeatTest({ file, test }: TestFailure): string[] {
  if (test === undefined) return [file];
  return [file, '--testNamePattern', `^${test.split(' > ').map(escapeRegExp).join(' (?:> )?')}$`];
}

const escapeRegExp = (text: string): string => text.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`);
