// The standard health service, as probes, balancers and watching clients use it.
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { IdentityServiceService } from '../../proto/gen/authservice/identity/v1/identity_service.ts';
import { HealthCheckResponse_ServingStatus as Serving, HealthService } from '../../proto/gen/grpc/health/v1/health.ts';
import { healthService } from '../../src/platform/rpc/pipeline/health.ts';
import { implement } from '../../src/platform/rpc/service.ts';
import type { Client } from '../../src/platform/rpc/types.ts';
import { deploy, type Deployment } from '../support/deployment.ts';
import { bench, Echo, TRANSPORTS } from './pipeline/echo-host.ts';
import type { Bench } from './pipeline/echo-host.ts';
import { freezeTime, passTime } from '../support/frozen-time.ts';
import { refusal } from '../support/rpc-outcomes.ts';

const INTERVAL_MS = 10;
const WATCH = { timeoutMs: 1_500 };
const NAMES = ['', 'kittest.v1.EchoService', 'grpc.health.v1.Health'];

describe.each(TRANSPORTS)('health over %s', (transport) => {
  let b: Bench;
  let client: Client<typeof HealthService>;
  let healthy = true;
  const stop = new AbortController();
  beforeAll(async () => {
    const check = async () => {
      if (!healthy) throw new Error('no database');
      return true;
    };
    const services = [implement(Echo, {} as never)];
    const health = healthService({ check, intervalMs: INTERVAL_MS, services, stopping: stop.signal });
    b = await bench(transport, { services: [...services, health] });
    client = b.connect(HealthService);
  });
  afterAll(() => b.close());
  afterEach(() => vi.useRealTimers());

  /** Passes the time until a watch ends by itself. Over gRPC, the core ends it 150 ms earlier. */
  const passWatch = (passedMs: number) =>
    passTime(WATCH.timeoutMs - (transport === 'grpc' ? 150 : 0) - INTERVAL_MS - passedMs);

  it('returns the status of the whole server and of every service, and NOT_FOUND for other names', async () => {
    const serving = { status: Serving.SERVING };
    for (const service of NAMES) expect(await client.check({ service })).toEqual(serving);
    expect(await client.list({})).toEqual({ statuses: Object.fromEntries(NAMES.map((name) => [name, serving])) });
    for (const service of ['other', 'EchoService', 'kittest.v1.EchoService/Unary', 'constructor']) {
      expect((await refusal(client.check({ service }))).reason).toBe('NOT_FOUND');
    }
  });

  it.each(NAMES)('sends every change to a watcher of "%s", and ends before its deadline', async (service) => {
    const seen: Serving[] = [];
    freezeTime();
    for await (const { status } of client.watch({ service }, WATCH)) {
      seen.push(status);
      healthy = seen.length !== 1;
      await (seen.length < 3 ? passTime(INTERVAL_MS) : passWatch(2 * INTERVAL_MS));
    }
    expect(seen).toEqual([Serving.SERVING, Serving.NOT_SERVING, Serving.SERVING]);
    expect(b.outcomes.at(-1)).toEqual(['Watch', 'OK']);
  });

  it('sends SERVICE_UNKNOWN to a watcher of another name, and keeps the stream open', async () => {
    const seen: Serving[] = [];
    freezeTime();
    for await (const { status } of client.watch({ service: 'other' }, WATCH)) {
      seen.push(status);
      await passWatch(0);
    }
    expect(seen).toEqual([Serving.SERVICE_UNKNOWN]);
    expect(b.outcomes.at(-1)).toEqual(['Watch', 'OK']);
  });

  it('reports at once that the server stops, and ends watches', async () => {
    const seen: Serving[] = [];
    for await (const { status } of client.watch({ service: 'kittest.v1.EchoService' })) {
      seen.push(status);
      stop.abort();
    }
    expect(seen).toEqual([Serving.SERVING, Serving.NOT_SERVING]);
    for (const service of NAMES.slice(0, 2))
      expect(await client.check({ service })).toEqual({ status: Serving.NOT_SERVING });
  });

  it('reports that calls are still served while the server stops, so that a gateway with several cores stays ready', async () => {
    expect(await client.check({ service: 'grpc.health.v1.Health' })).toEqual({ status: Serving.SERVING });
    const { statuses } = await client.list({});
    expect(Object.entries(statuses).map(([name, { status }]) => [name, status])).toEqual([
      ['', Serving.NOT_SERVING],
      ['kittest.v1.EchoService', Serving.NOT_SERVING],
      ['grpc.health.v1.Health', Serving.SERVING],
    ]);
  });
});

describe('the health of a core', () => {
  let deployment: Deployment;
  beforeAll(async () => {
    deployment = await deploy({ engine: 'sqlite', transport: 'grpc' });
  });
  afterAll(() => deployment?.close());

  it('has a status for each of its services', async () => {
    const health = deployment.client(HealthService);
    const served = deployment.core.host.methods.map(({ definition }) => definition.path.split('/')[1]!);
    const { statuses } = await health.list({});
    expect(Object.keys(statuses).toSorted()).toEqual([...new Set(['', ...served])].toSorted());
    const [, service = ''] = IdentityServiceService.getMe.path.split('/');
    expect(await health.check({ service })).toEqual({ status: Serving.SERVING });
  });
});
