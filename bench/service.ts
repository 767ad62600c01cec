// The service with the defaults of PROD: core and gateway in one process.
import { randomBytes } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildPrograms } from '../scripts/build/build-programs.ts';
import { startProgram, type Program } from './program.ts';

export const APP_NAME = 'bench';
export const COOKIE_NAME = 'BENCH_REFRESH';
/** Encrypts the keys that service and seed share. */
export const KEY_ENCRYPTION_KEY = randomBytes(32);

/** The cache of the npm scripts. */
const COMPILE_CACHE = fileURLToPath(new URL('../node_modules/.cache/compiled', import.meta.url));
const SOURCE = fileURLToPath(new URL('../gateway/main.ts', import.meta.url));
const BUILD = fileURLToPath(new URL('../node_modules/.cache/bench-build', import.meta.url));

let building: Promise<string> | undefined;

/** Writes the build once, and returns its program. The package runs it, and so does `npm start` after `npm run build`. */
function builtProgram(): Promise<string> {
  return (building ??= buildPrograms(BUILD).then(() => join(BUILD, 'gateway/main.js')));
}

export interface ServiceOptions {
  readonly core: number | string;
  readonly databaseUrl: string;
  /** Runs the sources instead of the build, so that a profile names their files. */
  readonly fromSources?: boolean;
  /** Flags of Node. */
  readonly nodeFlags?: readonly string[];
  /** Settings that differ from the others' here. */
  readonly settings?: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
}

/** Starts the service on a free port. */
export async function startService({
  core,
  databaseUrl,
  fromSources = false,
  nodeFlags = [],
  settings: changed = {},
  env = {},
}: ServiceOptions): Promise<Program> {
  const settings = {
    'app.name': APP_NAME,
    'app.database.url': databaseUrl,
    'app.security.key-encryption-key': KEY_ENCRYPTION_KEY.toString('base64'),
    'app.http.port': '0',
    // More than any load reaches, so that the rate limiter counts but never rejects.
    'app.security.m2m.rate-limit.window': '1s',
    'app.security.m2m.rate-limit.points': '1000000',
    'app.security.api-key.enabled': 'true',
    // All callers have one address, and a network gets half of the places.
    'app.security.password.max-concurrent-hashes': String(2 * availableParallelism()),
    'app.rpc.port': '0',
    'app.management.port': '0',
    ...changed,
  };
  // Like the npm scripts.
  const started = { MALLOC_ARENA_MAX: '1', NODE_COMPILE_CACHE: COMPILE_CACHE, ...env };
  const program = fromSources ? SOURCE : await builtProgram();
  const flags = Object.entries(settings).map(([name, value]) => `--${name}=${value}`);
  return startProgram({
    core,
    env: started,
    command: () => [process.execPath, '--max-semi-space-size=16', ...nodeFlags, program, ...flags],
    urlIn: (line) => /"http":"([^"]+)"/.exec(line)?.[1],
  });
}

/** Returns the gRPC address of a service, as a URL. */
export function rpcUrlOf({ readyLine }: Pick<Program, 'readyLine'>): string {
  const { rpc } = JSON.parse(readyLine) as { readonly rpc: string };
  return `http://${rpc}`;
}
