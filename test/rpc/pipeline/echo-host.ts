// A host of the test service, with a stub for authentication, and its clients over either transport.
import { pino } from 'pino';
import type { Logger } from 'pino';
import { DependencyUnavailableError, ServiceError } from '../../../src/platform/errors.ts';
import type { ReasonName } from '../../../src/platform/errors.ts';
import type { Principal } from '../../../src/auth/access/principal.ts';
import { readAccessRules, type AccessRules } from '../../../src/platform/rpc/pipeline/access-rules.ts';
import { readContracts, type RequestContracts } from '../../../src/platform/rpc/contract/contracts.ts';
import { grpcChannel } from '../../../src/platform/rpc/grpc/client.ts';
import { serveGrpc } from '../../../src/platform/rpc/grpc/server.ts';
import { createHost } from '../../../src/platform/rpc/pipeline/host.ts';
import type { Credentials } from '../../../src/platform/rpc/pipeline/admission.ts';
import type { Host, HostOptions } from '../../../src/platform/rpc/pipeline/host.ts';
import { localClient } from '../../../src/platform/rpc/local/client.ts';
import { implement } from '../../../src/platform/rpc/service.ts';
import type { Call, Client, Handlers, ServiceDefinition } from '../../../src/platform/rpc/types.ts';
import { EchoServiceService as Echo } from '../../proto/gen/kittest/v1/echo.ts';

export { Echo };
const DESCRIPTORS = new URL('../../proto/gen/descriptors.binpb', import.meta.url);
export const RULES: AccessRules = new Map([...readAccessRules(), ...readAccessRules(DESCRIPTORS)]);
export const CONTRACTS: RequestContracts = new Map([...readContracts(), ...readContracts(DESCRIPTORS)]);
export const GOOD = { authorization: ['Bearer good'] };

export interface Bench {
  readonly client: Client<typeof Echo>;
  /** A client of another of the host's services. */
  connect<D extends ServiceDefinition>(definition: D): Client<D>;
  readonly host: Host;
  /** Every call the handlers saw. */
  readonly calls: Call[];
  readonly credentials: Credentials[];
  readonly outcomes: (readonly [string, ReasonName | 'OK'])[];
  readonly logged: Record<string, unknown>[];
  close(): Promise<void>;
}

export type Transport = 'local' | 'grpc';
export const TRANSPORTS: readonly Transport[] = ['local', 'grpc'];

const forever = () => new Promise<never>(() => {});

/** What the texts of requests make the handlers do. */
async function misbehave(text: string, call: Call): Promise<void> {
  const misdeeds: Record<string, () => unknown> = {
    hang: forever,
    outage: () => Promise.reject(new DependencyUnavailableError('The database does not answer')),
    defect: () => Promise.reject(new TypeError('secret=hunter2 in /etc/passwd')),
    refuse: () =>
      Promise.reject(
        new ServiceError('ACCOUNT_LOCKED', { detail: 'locked till noon — ünïcode \u{1f512}', retryAfterMs: 1500 }),
      ),
    violate: () =>
      Promise.reject(
        new ServiceError('VALIDATION_ERROR', {
          publicMessage: 'Missing login credentials',
          detail: 'hidden',
          violations: [
            { message: 'too long', format: 'maxLength', props: ['a.b', 'c'], params: { max: 3, of: [1, null] } },
          ],
        }),
      ),
    untilAborted: () =>
      new Promise((_resolve, reject) => {
        call.deadline.signal.addEventListener('abort', () => reject(call.deadline.signal.reason));
      }),
  };
  await misdeeds[text]?.();
}

export function handlers(calls: Call[]): Handlers<typeof Echo> {
  return {
    async unary(request, call) {
      calls.push(call);
      await misbehave(request.text, call);
      return { ...request, clientAddress: call.clientAddress, requestId: call.requestId };
    },
    async clientStream(requests, call) {
      calls.push(call);
      let size = 0;
      received.count = 0;
      for await (const { chunk, text } of requests) {
        received.count += 1;
        await misbehave(text, call);
        size += chunk.length;
        if (text === 'enough') break;
      }
      return { size };
    },
    async *serverStream({ count, size, text }, call) {
      calls.push(call);
      for (let index = 0; index < count; index++) {
        if (index === 1) await misbehave(text, call);
        sent.count = index + 1;
        yield { index, chunk: Buffer.alloc(size) };
      }
    },
    async *bidi(requests, call) {
      calls.push(call);
      for await (const { text } of requests) {
        await misbehave(text, call);
        yield { text, known: call.principal !== undefined };
      }
    },
    async open({ text }, call) {
      calls.push(call);
      await misbehave(text, call);
      return { known: call.principal !== undefined, clientAddress: call.clientAddress };
    },
  };
}

/** How many messages the last call of clientStream has received. */
export const received = { count: 0 };

/** How many messages serverStream has produced. */
export const sent = { count: 0 };

const PRINCIPAL = { account: { id: 'somebody' }, permissions: new Set() } as unknown as Principal;

async function authenticate({ authorization, apiKey }: Credentials): Promise<Principal | undefined> {
  const [first] = authorization;
  if (first === 'Bearer hang') return forever();
  if (first === 'Bearer outage') throw new DependencyUnavailableError('The database does not answer');
  if (authorization.length > 1) throw new ServiceError('TOKEN_INVALID', { detail: 'Two Authorization headers' });
  if (first?.startsWith('Bearer ') !== true && apiKey.length === 0) return undefined;
  if (first !== undefined && first !== 'Bearer good')
    throw new ServiceError('TOKEN_INVALID', { detail: 'bad signature' });
  return PRINCIPAL;
}

export function echoHost(options: Partial<HostOptions> = {}) {
  const calls: Call[] = [];
  const credentials: Credentials[] = [];
  const outcomes: [string, ReasonName | 'OK'][] = [];
  const logged: Record<string, unknown>[] = [];
  const log: Logger = pino({ level: 'debug', base: null }, { write: (line: string) => logged.push(JSON.parse(line)) });
  const host = createHost({
    services: [implement(Echo, handlers(calls))],
    rules: RULES,
    contracts: CONTRACTS,
    authenticate(sentAlong, call) {
      credentials.push({ authorization: [...sentAlong.authorization], apiKey: [...sentAlong.apiKey] });
      return authenticate(sentAlong).finally(() => call.log.trace('authenticated'));
    },
    reauthenticate: async (principal) => principal,
    requireFresh: async () => {},
    disclosure: 'maximal',
    maxStackTraceChars: 2000,
    log,
    observe: (path, reason) => outcomes.push([path.split('/')[2]!, reason]),
    maxTimeoutMs: 20_000,
    streams: { maxTimeoutMs: 20_000, idleMs: 20_000, recheckMs: 20_000 },
    ...options,
  });
  return { host, calls, credentials, outcomes, logged, log };
}

export async function bench(transport: Transport, options: Partial<HostOptions> = {}): Promise<Bench> {
  const { host, log, ...seen } = echoHost(options);
  if (transport === 'local') {
    const connect: Bench['connect'] = (definition) => localClient(host, definition, { verifyWire: true });
    return { ...seen, host, client: connect(Echo), connect, close: async () => {} };
  }
  const server = await serveGrpc(host, { host: '127.0.0.1', port: 0, trustedGateways: [], log });
  const channel = grpcChannel({ target: server.address });
  return {
    ...seen,
    host,
    client: channel.client(Echo),
    connect: channel.client,
    async close() {
      channel.close();
      await server.close(0);
    },
  };
}

export async function collect<T>(stream: AsyncIterable<T>): Promise<T[]> {
  const messages: T[] = [];
  for await (const message of stream) messages.push(message);
  return messages;
}
