// A complete deployment in the test's process: core and gateway with a separate database and real sockets, connected by the
// transport under test.
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { pino, type DestinationStream, type Logger } from 'pino';
import { buildApp } from '../../gateway/app.ts';
import { connectClients, type Clients } from '../../gateway/clients.ts';
import { createHttpMetrics } from '../../gateway/metrics.ts';
import { loadSettings } from '../../src/platform/config/load.ts';
import { connectDatabase } from '../../src/platform/db/connect.ts';
import type { Database } from '../../src/platform/db/types.ts';
import { createMetrics } from '../../src/platform/process/metrics.ts';
import { grpcChannel } from '../../src/platform/rpc/grpc/client.ts';
import { serveGrpc } from '../../src/platform/rpc/grpc/server.ts';
import { localClient } from '../../src/platform/rpc/local/client.ts';
import type { CallOptions, Client, ServiceDefinition } from '../../src/platform/rpc/types.ts';
import { openCore, type Core } from '../../src/composition/server.ts';
import type { Tracer } from '../../src/platform/tracing/tracer.ts';
import { createTestDatabase, ENGINES, type Engine } from './databases.ts';
import { TEST_KEY_ENCRYPTION_KEY } from './key-encryption-key.ts';
import { testClock, type TestClock } from './clock.ts';
import { BUSINESS_ENABLED } from './shop-served.ts';

export const TRANSPORTS = ['local', 'grpc'] as const;
export type Transport = (typeof TRANSPORTS)[number];

/**
 * All combinations of engine and transport. Only for what depends on both at once: the comment of each file that uses it says why.
 * The default of tests over REST is DIAGONAL, and ON_SQLITE for requests and responses that no statement decides.
 */
export const DEPLOYMENTS = ENGINES.flatMap((engine) => TRANSPORTS.map((transport) => ({ engine, transport })));

/**
 * Each engine once and each transport once: for schemas, JSON, refusals, roles, administration and lists. What decides there is either the
 * gateway and the transport, or the statements of the engine, never both. So a run without SQLite, which is there for the statements of
 * one more server, needs one transport.
 */
export const DIAGONAL = (ENGINES.includes('sqlite') ? TRANSPORTS : (['local'] as const)).map((transport, index) => ({
  engine: ENGINES[index % ENGINES.length]!,
  transport,
}));

/** SQLite over the local transport: for the syntax of requests and responses, which neither the engine nor the transport decides. */
export const ON_SQLITE = [{ engine: 'sqlite', transport: 'local' }] as const satisfies readonly {
  engine: Engine;
  transport: Transport;
}[];

export interface DeploymentOptions {
  readonly engine: Engine;
  readonly transport: Transport;
  /** Further settings, by their dotted names. */
  readonly settings?: Readonly<Record<string, string>>;
  /** URL of an existing database, which is neither created nor dropped. */
  readonly databaseUrl?: string;
  readonly clock?: TestClock;
  /** Receives all log lines, at level trace. Default: no logging. */
  readonly log?: DestinationStream;
  /** Replaces `log`: for tests of what a real logger writes. */
  readonly logger?: Logger;
  /** Records the spans of gateway and core. Default: no tracing. */
  readonly tracer?: Tracer;
  /** Default: 50 ms. */
  readonly mailIntervalMs?: number;
  /** The gateway waits for as long as the core works on a call, 10 s instead of 4 s: for calls that a test holds, on a busy machine. */
  readonly isPatient?: boolean;
}

export interface Deployment {
  /** `http://127.0.0.1:port` */
  readonly url: string;
  readonly app: FastifyInstance;
  /** The gateway's connection to the core. Other gateways can use it too. */
  readonly clients: Clients;
  readonly core: Core;
  /** A separate connection for the test. */
  readonly database: Database;
  readonly databaseUrl: string;
  /** Folder of the object store, unless the settings change it. */
  readonly filesFolder: string;
  readonly clock: TestClock;
  /** Returns the text of GET /metrics. */
  metrics(): Promise<string>;
  client<Definition extends ServiceDefinition>(definition: Definition): Client<Definition>;
  close(): Promise<void>;
}

/** Some lines are written at every level. */
const NOWHERE: DestinationStream = { write: () => {} };

export async function deploy(options: DeploymentOptions): Promise<Deployment> {
  const { engine, transport, clock = testClock(), tracer } = options;
  // Without the redaction of the real logger, because no code may rely on it.
  const log =
    options.logger ?? (options.log ? pino({ level: 'trace' }, options.log) : pino({ level: 'silent' }, NOWHERE));
  const own = options.databaseUrl === undefined ? await createTestDatabase(engine) : undefined;
  const databaseUrl = options.databaseUrl ?? own!.url;
  const filesFolder = await mkdtemp(join(tmpdir(), 'files-'));
  const files = { 'app.files.store': `disk:${filesFolder}` };
  const flags = { ...TEST_SETTINGS, ...files, ...options.settings, 'app.database.url': databaseUrl };
  const argv = Object.entries(flags).map(([name, value]) => `--${name}=${value}`);
  const { settings } = loadSettings({ argv, env: {}, cwd: tmpdir(), role: 'all' });
  const metrics = createMetrics();
  const core = await openCore({
    settings,
    log,
    clock: clock.now,
    observe: metrics.observeRpc,
    tracer,
    mailIntervalMs: options.mailIntervalMs ?? 50,
  });

  const joined = transport === 'grpc' ? await joinByGrpc(core, log) : undefined;
  const client = <D extends ServiceDefinition>(definition: D): Client<D> =>
    joined ? joined.channel.client(definition) : localClient(core.host, definition, { verifyWire: true });
  const clients = connectClients(options.isPatient ? (definition) => patient(client(definition)) : client);
  const app = await buildApp({ settings, clients, log, metrics: createHttpMetrics(metrics.registry), tracer });
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  const database = own?.database ?? connectDatabase({ url: databaseUrl, poolSize: 4, log });
  return {
    url,
    app,
    clients,
    core,
    database,
    databaseUrl,
    filesFolder,
    clock,
    metrics: () => metrics.registry.metrics(),
    client,
    async close() {
      await app.close();
      await joined?.close();
      await core.close();
      await rm(filesFolder, { recursive: true, force: true });
      if (own) await own.drop();
      else await database.close();
    },
  };
}

/** The settings of all test deployments. */
export const TEST_SETTINGS: Readonly<Record<string, string>> = {
  'app.business.enabled': BUSINESS_ENABLED,
  'app.name': 'my-shop',
  'app.env': 'TEST',
  // The tests' gateways listen on free ports.
  'app.http.port': '0',
  // No balancer stands before them.
  'app.process.drain-delay': '0s',
  'app.security.key-encryption-key': TEST_KEY_ENCRYPTION_KEY.toString('base64'),
  'app.security.refresh-session.cookie-secure': 'true',
};

async function joinByGrpc(core: Core, log: Logger) {
  const directory = await mkdtemp(join(tmpdir(), 'rpc-'));
  const host = `unix:${join(directory, `${randomUUID().slice(0, 8)}.sock`)}`;
  const server = await serveGrpc(core.host, { host, port: 0, trustedGateways: [], log });
  const channel = grpcChannel({ target: host });
  return {
    channel,
    async close() {
      channel.close();
      await server.close(1_000);
      await rm(directory, { recursive: true });
    },
  };
}

/** A client whose calls have the time limit of the core alone. */
function patient<D extends ServiceDefinition>(client: Client<D>): Client<D> {
  const calls = Object.entries<(input: unknown, options?: CallOptions) => unknown>(client as never).map(
    ([name, call]) => [name, (input: unknown, given?: CallOptions) => call(input, { ...given, timeoutMs: 60_000 })],
  );
  return Object.fromEntries(calls) as Client<D>;
}
