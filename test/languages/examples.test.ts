// The examples as users run them: generated, compiled and run with real cores.
import { once } from 'node:events';
import type { ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import {
  credentials,
  loadPackageDefinition,
  Metadata,
  type Client,
  type ClientDuplexStream,
  type ServiceError,
  status,
} from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { endProcesses, PROJECT } from '../support/service-process.ts';
import { run, start } from './commands.ts';
import { startCore, startOnUnixSocket, startWithMutualTls, MANAGER, type Core } from './cores.ts';
import { createProducts, signIn, type SignedIn } from './sign-in.ts';
import { buildOnce, EXAMPLES, folderOf, LANGUAGES } from './examples.ts';
import { openWorkspace } from './workspace.ts';

/** More than a page has. */
const PRODUCTS = 120;

const TOUR = `health: SERVING
wrong password: BAD_CREDENTIALS
login: ${MANAGER} of acme for 900 s
products: ${PRODUCTS}
upload: 300000 bytes
empty upload: VALIDATION_ERROR size
refresh: new token true
after the logout: TOKEN_INVALID
`;

const CONNECTIONS = { 'plain text': startCore, 'a Unix socket': startOnUnixSocket, mTLS: startWithMutualTls };
/** Python and TypeScript accept lists. */
const ADDRESSES = {
  go: 'dns:///127.0.0.1:PORT',
  java: 'dns:///127.0.0.1:PORT',
  python: 'ipv4:127.0.0.1:PORT,127.0.0.1:PORT',
  typescript: 'ipv4:127.0.0.1:PORT,127.0.0.1:PORT',
};
const cores = new Map<string, Core>();
let workspace: string;
const services: ChildProcess[] = [];

beforeAll(async () => {
  workspace = openWorkspace();
  for (const [name, startIt] of Object.entries(CONNECTIONS)) {
    const core = await startIt();
    cores.set(name, core);
    await createProducts(core, PRODUCTS);
  }
});
afterEach(async () => {
  for (const service of services.splice(0)) {
    service.kill('SIGKILL');
    await once(service, 'close');
  }
});
afterAll(endProcesses);

describe.each(LANGUAGES)('%s', (language) => {
  const example = EXAMPLES[language];
  const cwd = () => folderOf(workspace, language);
  beforeAll(() => buildOnce(language, workspace));

  /** Starts the service of the example and returns its address. */
  async function serve(env: Core['env']): Promise<string> {
    const [program, ...args] = example.command(workspace);
    const service = start(program, [...args, 'serve'], { cwd: cwd(), env });
    services.push(service);
    let errors = '';
    service.stderr!.on('data', (text: Buffer) => (errors += text.toString()));
    for await (const line of createInterface(service.stdout!)) {
      const [, address] = /^listening on (.*)$/.exec(line) ?? [];
      if (address) return address;
    }
    throw new Error(`the service ended: ${errors}`);
  }

  it.each(Object.keys(CONNECTIONS))('logs in, uploads, refreshes and reads errors over %s', async (connection) => {
    const [program, ...args] = example.command(workspace);
    const { env } = cores.get(connection)!;
    expect(await run(program, [...args, 'tour'], { cwd: cwd(), env })).toBe(TOUR);
  });

  it.each(Object.keys(CONNECTIONS))('asks the core about every call over %s', async (connection) => {
    const core = cores.get(connection)!;
    const address = await serve(core.env);
    const user: SignedIn = await signIn(core);
    const bearer = { authorization: `Bearer ${user.accessToken}` };
    expect(await greet(address, bearer)).toBe(`Hello, ${MANAGER} of acme`);
    expect(await greet(address, { 'x-api-key': user.apiKey })).toBe('Hello, acme-sync of acme');
    expect(await greet(address, {})).toBe('UNAUTHENTICATED');
    expect(await greet(address, { authorization: 'Bearer forged' })).toBe('UNAUTHENTICATED');
    expect(await greet(address, { ...bearer, 'x-api-key': user.apiKey })).toBe('UNAUTHENTICATED');
    expect(await greetTwice(address, bearer)).toEqual(Array(2).fill(`Hello, ${MANAGER} of acme`));
    expect(await greetTwice(address, { authorization: 'Bearer forged' })).toBe('UNAUTHENTICATED');
    expect(await isServing(address)).toBe(true);
    await user.logOut();
    expect(await greet(address, bearer)).toBe('UNAUTHENTICATED');
    expect(await greetTwice(address, bearer)).toBe('UNAUTHENTICATED');
  });

  it('connects over TLS to addresses that the certificate does not name', async () => {
    const [program, ...args] = example.command(workspace);
    const { env } = cores.get('mTLS')!;
    const port = env['CORE_ADDRESS']!.split(':').at(-1)!;
    const address = ADDRESSES[language].replaceAll('PORT', port);
    const output = await run(program, [...args, 'machine'], {
      cwd: cwd(),
      env: { ...env, CORE_ADDRESS: address, CORE_NAME: 'core.internal', CORE_SECONDS: '0' },
    });
    expect(output).toContain('calls: 1\nfailures: 0\n');
  });

  it('answers UNAVAILABLE, never UNAUTHENTICATED, while the core is down', async () => {
    const address = await serve({ CORE_ADDRESS: 'dns:///127.0.0.1:1' });
    expect(await greet(address, { authorization: 'Bearer whatever' })).toBe('UNAVAILABLE');
  });
});

it.each(['go', 'java'] as const)(
  "%s links a package error.v1 of another vendor in addition to this project's",
  async (language) => {
    expect(await EXAMPLES[language].linkOtherVendor!(workspace)).toBe(
      'authservice.error.v1.Reason\nREASON_CONFLICT\nerror.v1.Reason\nREASON_SOLD_OUT\n',
    );
  },
);

const PROTOS = ['greeter/v1/greeter.proto', 'grpc/health/v1/health.proto'];
type Call = (
  request: object,
  metadata: Metadata,
  options: object,
  done: (error: ServiceError | null, answer: never) => void,
) => void;
type StreamCall = (metadata: Metadata, options: object) => ClientDuplexStream<object, { text: string }>;
const loaded = loadPackageDefinition(
  loadSync(PROTOS, { includeDirs: [`${PROJECT}/examples/proto`, `${PROJECT}/third_party`], enums: String }),
) as unknown as {
  greeter: { v1: { GreeterService: new (...args: unknown[]) => Client & { greet: Call; greetEach: StreamCall } } };
  grpc: { health: { v1: { Health: new (...args: unknown[]) => Client & { check: Call } } } };
};

async function call<RestResponse>(
  client: Client,
  method: Call,
  headers: Record<string, string>,
): Promise<RestResponse> {
  const metadata = metadataOf(headers);
  try {
    return await new Promise<RestResponse>((resolve, reject) => {
      const options = { deadline: Date.now() + 20_000 };
      method.call(client, {}, metadata, options, (error, response) => (error ? reject(error) : resolve(response)));
    });
  } finally {
    client.close();
  }
}

/** The text of the greeting, or the name of the status. */
async function greet(address: string, headers: Record<string, string>): Promise<string> {
  const client = new loaded.greeter.v1.GreeterService(address, credentials.createInsecure());
  try {
    return (await call<{ text: string }>(client, client.greet, headers)).text;
  } catch (error) {
    return status[(error as ServiceError).code];
  }
}

/** The texts of a stream of two greetings, or the name of the status. */
async function greetTwice(address: string, headers: Record<string, string>): Promise<string[] | string> {
  const client = new loaded.greeter.v1.GreeterService(address, credentials.createInsecure());
  const stream = client.greetEach(metadataOf(headers), { deadline: Date.now() + 20_000 });
  stream.write({});
  stream.end({});
  try {
    return (await stream.toArray()).map(({ text }: { text: string }) => text);
  } catch (error) {
    return status[(error as ServiceError).code];
  } finally {
    client.close();
  }
}

function metadataOf(headers: Record<string, string>): Metadata {
  const metadata = new Metadata();
  for (const [name, value] of Object.entries(headers)) metadata.set(name, value);
  return metadata;
}

async function isServing(address: string): Promise<boolean> {
  const client = new loaded.grpc.health.v1.Health(address, credentials.createInsecure());
  return (await call<{ status: string }>(client, client.check, {})).status === 'SERVING';
}
