// The export of audit records as OpenTelemetry logs, to a receiver that fails in all ways. The OpenTelemetry Collector itself receives
// them in test/operations/monitoring.test.ts.
import { createServer, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { insertAuditRecords, type NewAuditRecord } from '../../src/auth/audit/trail/audit-store.ts';
import { createRecordExport } from '../../src/auth/audit/export/export-records.ts';
import { createOtlpLogs } from '../../src/auth/audit/export/send-logs.ts';
import { createSealer } from '../../src/auth/audit/seals/seal-records.ts';
import { UNLIMITED } from '../../src/platform/clock.ts';
import { newId } from '../../src/platform/db/ids.ts';
import { readLogHeaders } from '../../src/platform/tracing/otlp-headers.ts';
import { testClock, type TestClock } from '../support/clock.ts';
import { createTestDatabase, ENGINES, type TestDatabase } from '../support/databases.ts';
import { TEST_KEY_ENCRYPTION_KEY } from '../support/key-encryption-key.ts';
import { listenLocally } from '../support/listen-locally.ts';
import { ROUNDS } from '../support/rounds.ts';

interface LogRecord {
  readonly timeUnixNano: string;
  readonly severityText: string;
  readonly eventName: string;
  readonly attributes: readonly { readonly key: string; readonly value: object }[];
}
interface LogsRequest {
  readonly resourceLogs: readonly [
    {
      readonly resource: { readonly attributes: readonly object[] };
      readonly scopeLogs: readonly [{ readonly logRecords: readonly LogRecord[] }];
    },
  ];
}

const HEADERS = {
  OTEL_EXPORTER_OTLP_HEADERS: 'x-api-key=old,x-bad',
  OTEL_EXPORTER_OTLP_LOGS_HEADERS: 'x-api-key=a%20b',
};

const valueOf = ({ attributes }: LogRecord, name: string) =>
  Object.values(attributes.find(({ key }) => key === name)?.value ?? {})[0];
const usersIn = (logs: readonly LogRecord[]) => logs.map((one) => valueOf(one, 'user.name'));

describe.each(ENGINES)('the export of audit records on %s', (engine) => {
  let test: TestDatabase;
  let clock: TestClock;
  /** The requests, and how the next ones are answered. */
  let requests: { readonly type: unknown; readonly apiKey: unknown; readonly body: LogsRequest }[] = [];
  let answer: (response: ServerResponse) => void;
  let endpoint: string;

  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const { 'content-type': type, 'x-api-key': apiKey } = request.headers;
      requests.push({ type, apiKey, body: JSON.parse(body) as LogsRequest });
      answer(response);
    });
  });
  const accept = (response: ServerResponse) => void response.setHeader('content-type', 'application/json').end('{}');
  const received = () => requests.flatMap(({ body }) => body.resourceLogs[0].scopeLogs[0].logRecords);

  beforeAll(async () => {
    test = await createTestDatabase(engine);
    endpoint = `http://127.0.0.1:${await listenLocally(server)}/`;
  });
  afterAll(async () => {
    server.closeAllConnections();
    server.close();
    await test.drop();
  });
  beforeEach(() => {
    clock = testClock();
    answer = accept;
  });
  afterEach(async () => {
    requests = [];
    for (const table of ['audit_cursors', 'audit_seals', 'audit_records', 'job_leases'])
      await test.database.execute(`DELETE FROM ${table}`);
  });

  /** The job of a process. */
  const createProcess = () =>
    createRecordExport({
      database: test.database,
      clock: clock.now,
      logs: createOtlpLogs({ endpoint, serviceName: 'auth', environment: 'PROD', headers: readLogHeaders(HEADERS) }),
    });

  const recordOf = (username: string, fields: Partial<NewAuditRecord> = {}): NewAuditRecord => {
    const call = { clientAddress: '192.0.2.1', requestId: 'r1' };
    return { id: newId(), tenantId: 'acme', at: clock.now(), event: 'login.succeeded', username, ...call, ...fields };
  };

  async function seal(...records: readonly NewAuditRecord[]): Promise<void> {
    await test.database.transaction(UNLIMITED, (tx) => insertAuditRecords(tx, records));
    const sealer = createSealer({ database: test.database, key: TEST_KEY_ENCRYPTION_KEY, clock: clock.now });
    await sealer.sealDue();
    await sealer.release();
  }

  it('sends each record once, with its values as attributes', async () => {
    const accountId = newId();
    const actorId = newId();
    const details = { reason: 'BAD_PASSWORD', failures: 3 };
    const failed = recordOf('ann', { event: 'login.failed', accountId, actorId, details });
    await seal(failed);
    const job = createProcess();
    expect(await job.run()).toBe(1);
    expect(await job.run()).toBe(0);
    await seal(recordOf('bob', { tenantId: undefined }));
    expect(await job.run()).toBe(1);
    const [first, second] = received();
    expect(first).toEqual({
      timeUnixNano: `${failed.at}000000`,
      observedTimeUnixNano: `${clock.now()}000000`,
      severityNumber: 13,
      severityText: 'WARN',
      eventName: 'login.failed',
      body: { stringValue: 'login.failed' },
      attributes: [
        { key: 'log.record.uid', value: { stringValue: failed.id } },
        { key: 'user.id', value: { stringValue: accountId } },
        { key: 'user.name', value: { stringValue: 'ann' } },
        { key: 'client.address', value: { stringValue: '192.0.2.1' } },
        { key: 'authservice.tenant.id', value: { stringValue: 'acme' } },
        { key: 'authservice.actor.id', value: { stringValue: actorId } },
        { key: 'authservice.request.id', value: { stringValue: 'r1' } },
        { key: 'authservice.audit.sequence', value: { intValue: '1' } },
        { key: 'authservice.details.reason', value: { stringValue: 'BAD_PASSWORD' } },
        { key: 'authservice.details.failures', value: { intValue: '3' } },
      ],
    });
    expect([second!.severityText, valueOf(second!, 'authservice.tenant.id')]).toEqual(['INFO', undefined]);
    expect(requests[0]).toMatchObject({
      type: 'application/json',
      apiKey: 'a b',
      body: {
        resourceLogs: [
          {
            resource: {
              attributes: [
                { key: 'service.name', value: { stringValue: 'auth' } },
                { key: 'deployment.environment.name', value: { stringValue: 'prod' } },
              ],
            },
          },
        ],
      },
    });
  });

  it.each<[string, (response: ServerResponse) => void]>([
    ['that refuses', (response) => void response.writeHead(401).end()],
    ['that is overloaded', (response) => void response.writeHead(503).end()],
    ['that redirects', (response) => void response.writeHead(307, { location: '/elsewhere' }).end()],
    ['that closes the connection', (response) => void response.destroy()],
  ])('sends records again to a collector %s', async (_kind, fail) => {
    await seal(recordOf('ann'), recordOf('bob'));
    answer = fail;
    const job = createProcess();
    await expect(job.run()).rejects.toThrow();
    expect(job.counts).toEqual({ exported: 0, rejected: 0, failures: 1 });
    clock.advance(5_000);
    // It pauses, and says how long records wait.
    expect([await job.run(), requests.length]).toEqual([0, 1]);
    expect(job.metrics[0]!.read()).toEqual([{ value: 5 }]);
    await job.release();
    answer = accept;
    const other = createProcess();
    expect(await other.run()).toBe(2);
    expect(usersIn(received())).toEqual(['ann', 'bob', 'ann', 'bob']);
    expect(new Set(received().map((one) => valueOf(one, 'log.record.uid'))).size).toBe(2);
  });

  it('does not repeat records that the collector rejects for good', async () => {
    await seal(recordOf('ann'), recordOf('bob'), recordOf('eve'));
    answer = (response) => void response.end('{"partialSuccess":{"rejectedLogRecords":"2","errorMessage":"too old"}}');
    const job = createProcess();
    expect(await job.run()).toBe(3);
    expect(await job.run()).toBe(0);
    expect(job.counts).toEqual({ exported: 1, rejected: 2, failures: 0 });
  });

  it.each([400, 413])('sends the others if the collector responds %i to one of them', async (status) => {
    const names = Array.from({ length: 20 }, (_, index) => `user-${String(index).padStart(2, '0')}`);
    const first = clock.now();
    await seal(...names.map((name, index) => recordOf(name, { at: first + index })));
    const accepted: string[] = [];
    answer = (response) => {
      const users = usersIn(requests.at(-1)!.body.resourceLogs[0].scopeLogs[0].logRecords) as string[];
      if (users.includes('user-07')) return void response.writeHead(status).end();
      accepted.push(...users);
      accept(response);
    };
    const job = createProcess();
    expect(await job.run()).toBe(20);
    expect(accepted).toEqual(names.toSpliced(7, 1));
    expect(job.counts).toMatchObject({ exported: 19, rejected: 1 });
    expect(await job.run()).toBe(0);
  });

  it('refuses an invalid header without its value', () => {
    const headers = { 'x-api-key': 'secret\nvalue' };
    const create = () => createOtlpLogs({ endpoint, serviceName: 'auth', environment: 'PROD', headers });
    expect(create).toThrow(/^OTEL_EXPORTER_OTLP_HEADERS: the name or the value of the header "x-api-key" is invalid$/);
  });

  it.each(['', 'accepted', '{', '{"partialSuccess":null}', '{"partialSuccess":{"rejectedLogRecords":-1}}'])(
    'accepts the response %j',
    async (body) => {
      await seal(recordOf('ann'));
      answer = (response) => void response.end(body);
      const job = createProcess();
      expect(await job.run()).toBe(1);
      expect(job.counts.rejected).toBe(0);
    },
  );

  it('reads an endless response no further than needed', async () => {
    await seal(recordOf('ann'));
    const closed = Promise.withResolvers<void>();
    answer = (response) => {
      response.on('close', closed.resolve);
      const chunk = Buffer.alloc(65_536, 32);
      const fill = () =>
        void (response.destroyed || (response.write(chunk) ? setImmediate(fill) : response.once('drain', fill)));
      fill();
    };
    expect(await createProcess().run()).toBe(1);
    await closed.promise;
  });

  it('sends a backlog in requests of at most 200 records and 1 MB, in order', async () => {
    const names = Array.from({ length: 450 }, (_, index) => `user-${String(index).padStart(3, '0')}`);
    const first = clock.now();
    await seal(...names.map((name, index) => recordOf(name, { at: first + index })));
    expect(await createProcess().run()).toBe(450);
    expect(requests.map(({ body }) => body.resourceLogs[0].scopeLogs[0].logRecords.length)).toEqual([200, 200, 50]);
    expect(usersIn(received())).toEqual(names);
    requests = [];
    await seal(...Array.from({ length: 60 }, () => recordOf('ann', { details: { text: 'x'.repeat(30_000) } })));
    await test.database.execute('DELETE FROM job_leases');
    expect(await createProcess().run()).toBe(60);
    expect(requests.map(({ body }) => JSON.stringify(body).length <= 1_001_000)).toEqual([true, true]);
  });

  it('sends each record once from several processes', async () => {
    const processes = [createProcess(), createProcess(), createProcess()];
    for (let round = 0; round < ROUNDS; round += 1) {
      await seal(...Array.from({ length: 20 }, () => recordOf('ann')));
      await Promise.all(processes.map((job) => job.run()));
    }
    await processes[0]!.release();
    expect(received()).toHaveLength(20 * ROUNDS);
  });

  it('ends its request when the process stops, and another one sends the records', async () => {
    await seal(recordOf('ann'));
    const asked = Promise.withResolvers<void>();
    answer = () => asked.resolve();
    const stopping = new AbortController();
    const job = createProcess();
    const running = job.run(stopping.signal);
    await asked.promise;
    stopping.abort();
    expect(await running).toBe(0);
    await job.release();
    answer = accept;
    expect(await createProcess().run()).toBe(1);
    expect(received()).toHaveLength(2);
  });
});
