// Metrics, alert rules, dashboard, traces and exported audit records, checked by Prometheus and an OpenTelemetry collector.
import { execFileSync } from 'node:child_process';
import { dirname } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { installCollector, installPrometheus } from '../../scripts/operations-tools.ts';
import { requirePrograms } from '../languages/toolchain.ts';
import { bearer, restClient, sessionOf } from '../support/rest-client.ts';
import { endProcesses } from '../support/service-process.ts';
import { startCollector, type CollectedLog, type CollectedSpan, type Collector } from './collector.ts';
import { readPanels, withoutVariables } from './dashboard.ts';
import { sendTraffic, startMonitored, type MonitoredService } from './monitored-service.ts';
import { RULES, startPrometheus, type Prometheus } from './prometheus.ts';

const TRACE_ID = '4bf92f3577b34da6a3ce929d0e0e4736';
const PARENT_ID = '00f067aa0ba902b7';
const PATIENCE = { timeout: 30_000, interval: 250 };

let collector: Collector;
let service: MonitoredService;
let prometheus: Prometheus;

// A first run compiles the collector.
beforeAll(() => {
  requirePrograms('openssl');
  installPrometheus();
  installCollector();
}, 3_600_000);
beforeAll(async () => {
  collector = await startCollector();
  service = await startMonitored(collector.url);
  const { core, gateway } = service.management;
  prometheus = await startPrometheus({ core: [core], gateway: [gateway] });
  for (let round = 0; round < 4; round += 1) await sendTraffic(service.http);
});
afterAll(async () => {
  await prometheus?.stop();
  await endProcesses();
  await collector?.stop();
});

function promtool(...args: string[]): string {
  return execFileSync(installPrometheus().promtool, args, { cwd: dirname(RULES), encoding: 'utf8' });
}

describe('alert rules', () => {
  it('pass their own tests', () => {
    expect(promtool('check', 'rules', RULES)).toContain('SUCCESS');
    expect(promtool('test', 'rules', 'alert-tests.yaml')).toContain('SUCCESS');
  });

  it('run in Prometheus on real metrics without an error', async () => {
    const rules = async () => {
      const { groups } = (await prometheus.get('/api/v1/rules')) as {
        groups: { rules: { name: string; health: string; lastError?: string }[] }[];
      };
      return groups.flatMap((group) => group.rules);
    };
    await vi.waitFor(
      async () => expect(new Set((await rules()).map(({ health }) => health))).toEqual(new Set(['ok'])),
      PATIENCE,
    );
    expect((await rules()).length).toBeGreaterThan(15);
  });
});

describe('metrics', () => {
  it.each(['core', 'gateway'] as const)('of the %s follow the conventions of Prometheus', async (name) => {
    const text = await (await fetch(`${service.management[name]}/metrics`)).text();
    // The names of Node's own metrics are those of prom-client.
    const own = text.split('\n').filter((line) => !/^(?:# \w+ )?(?:nodejs|process)_/.test(line));
    expect(own.length).toBeGreaterThan(20);
    const result = execFileSync(installPrometheus().promtool, ['check', 'metrics'], {
      input: own.join('\n'),
      encoding: 'utf8',
    });
    expect(result).toBe('');
  });

  it('are scraped from both processes', async () => {
    await vi.waitFor(async () => expect(await prometheus.query('up == 1')).toHaveLength(2), PATIENCE);
    await vi.waitFor(async () => {
      const [series] = await prometheus.query('audit_events_total{event="session.refresh-token-replayed"}');
      expect(series?.value?.[1]).toBe('4');
    }, PATIENCE);
    const kinds = await prometheus.query('sum by (kind, outcome) (authentications_total)');
    expect(kinds.map(({ metric }) => `${metric['kind']} ${metric['outcome']}`).toSorted()).toEqual([
      'grant refused',
      'grant success',
      'login refused',
      'login success',
      'refresh refused',
      'refresh success',
    ]);
    const certificates = await prometheus.query('tls_certificate_not_after_timestamp_seconds > time()');
    expect(certificates.map(({ metric }) => `${metric['user']} ${metric['certificate']}`).toSorted()).toEqual([
      'gateway authority',
      'gateway own',
      'rpc authority',
      'rpc own',
    ]);
  });
});

describe('the dashboard', () => {
  /** This service has no failure and refuses no connection. Its first cleanup and its first count of grants are after a minute. */
  const EMPTY = ['Failed RPCs', 'Refused by limits', 'Time since the last cleanup', 'Live grants of applications'];

  const panels = readPanels().filter(({ type }) => type !== 'row');
  it.each(panels.map(({ title, targets }) => ({ title, targets })))('shows $title', async ({ title, targets }) => {
    for (const { expr } of targets) {
      await vi.waitFor(async () => {
        const series = await prometheus.query(withoutVariables(expr));
        if (!EMPTY.includes(title)) expect(series, expr).not.toEqual([]);
      }, PATIENCE);
    }
  });
});

const attributeOf = ({ attributes }: CollectedLog, name: string): string | undefined =>
  attributes.find(({ key }) => key === name)?.value.stringValue;

it('exports each audit record once through the collector', async () => {
  const rest = restClient(service.http);
  const { accessToken } = sessionOf(await rest.login({ username: 'root', password: 'demo-password-1' }));
  const listed = await rest.send('GET', '/api/v1/audit-records?perPage=100', { headers: bearer(accessToken) });
  const auditRecords = listed.body as readonly { id: string; event: string; at: string; accountId?: string }[];
  const sent = () => new Map(collector.logs.map((log) => [attributeOf(log, 'log.record.uid'), log]));
  await vi.waitFor(() => expect(auditRecords.filter(({ id }) => !sent().has(id))).toEqual([]), PATIENCE);
  expect(collector.logs).toHaveLength(sent().size);
  const replayed = auditRecords.find(({ event }) => event === 'session.refresh-token-replayed')!;
  const log = sent().get(replayed.id)!;
  expect(log).toMatchObject({
    service: 'core',
    timeUnixNano: `${Date.parse(replayed.at)}000000`,
    severityText: 'WARN',
    eventName: replayed.event,
    body: { stringValue: replayed.event },
  });
  expect(attributeOf(log, 'authservice.tenant.id')).toBe('acme');
  expect(attributeOf(log, 'user.id')).toBe(replayed.accountId);
});

it('sends a whole trace, from REST through RPC to SQL, through the collector', async () => {
  const rest = restClient(service.http);
  const traceparent = `00-${TRACE_ID}-${PARENT_ID}-01`;
  const credentials = { username: 'mia@acme.test', password: 'demo-password-1' };
  expect((await rest.login(credentials, { traceparent })).status).toBe(200);
  const trace = () => collector.spans.filter(({ traceId }) => traceId === TRACE_ID);
  await vi.waitFor(
    () => expect(new Set(trace().map((span) => span.service))).toEqual(new Set(['gateway', 'core'])),
    PATIENCE,
  );
  await vi.waitFor(() => expect(trace().filter((span) => parentOf(span) === undefined)).toHaveLength(1), PATIENCE);

  const [root] = trace().filter((span) => parentOf(span) === undefined);
  expect(root).toMatchObject({ service: 'gateway', name: 'POST /api/v1/auth/login', parentSpanId: PARENT_ID });
  const insert = trace().find(({ name }) => name === 'INSERT session_families')!;
  expect(pathTo(insert)).toEqual([
    'gateway POST /api/v1/auth/login',
    'gateway authservice.session.v1.SessionService/Login',
    'core authservice.session.v1.SessionService/Login',
    'core transaction',
    'core INSERT session_families',
  ]);
  const names = trace().map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(['SELECT accounts', 'wait for password hash', 'verify password']));

  function parentOf({ parentSpanId }: CollectedSpan): CollectedSpan | undefined {
    return trace().find(({ spanId }) => spanId === parentSpanId);
  }
  function pathTo(span: CollectedSpan): string[] {
    const parent = parentOf(span);
    return [...(parent ? pathTo(parent) : []), `${span.service} ${span.name}`];
  }
});
