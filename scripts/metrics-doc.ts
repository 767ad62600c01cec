// Writes docs/reference/metrics.md from the metrics of a running core and gateway. With --check, it writes nothing and fails if the
// page differs.
import { createLogger } from '../src/platform/process/log.ts';
import { createHttpMetrics } from '../gateway/metrics.ts';
import { loadSettings } from '../src/platform/config/load.ts';
import { createMetrics } from '../src/platform/process/metrics.ts';
import { workerMetrics } from '../src/platform/process/workers/combined-metrics.ts';
import { openCore } from '../src/composition/server.ts';
import { writePage } from './write-page.ts';

const FLAGS = {
  'app.env': 'TEST',
  'app.database.url': 'sqlite::memory:',
  'app.security.key-encryption-key': Buffer.alloc(32, 1).toString('base64'),
  'app.mail.url': 'file:data/mail',
  'app.audit.otlp-endpoint': 'http://127.0.0.1:4318',
  'app.public-url': 'https://auth.example.com',
  'app.security.login.rate-limit.store': 'memory',
  'app.security.m2m.rate-limit.store': 'memory',
};

const INTRODUCTION = `# Metrics

Generated from the metrics of a running process by \`scripts/metrics-doc.ts\`; change them where they are declared.

\`GET /metrics\` on the management port returns these metrics in the Prometheus format. [Operations](../operations.md#metrics)
shows how to use them. A metric without a value has no line, such as \`rpc_duration_seconds\` in a separate gateway.

- \`reason\` is \`OK\` or a [reason](errors.md). \`path\` is the full name of an [RPC](rpcs.md).
- \`route\` is the pattern of a route, or \`none\` for an unknown path.
- \`kind\` is \`login\`, \`second-factor\`, \`passkey\`, \`confirmation\`, \`refresh\` or \`grant\`. \`outcome\` is \`success\`, \`challenge\` (a
  second factor is asked for), \`refused\` (the caller cannot be accepted) or \`error\` (the service failed).
- \`step\` is \`request\` or \`page\`. \`outcome\` of authorizations is \`code\`, \`login\`, \`error-page\` or an error of OAuth, that of token requests
  \`issued\`, \`refused\` or \`error\` (the service failed). \`grant\` is a grant type.
- \`limit\` is \`login\`, \`m2m\` or \`m2m-introspection\`. \`decision\` is \`allowed\` or \`refused\`.
- \`result\` is \`sent\`, \`failed\` (tried again) or \`dead\` (given up).
- \`nodejs_…\` and \`process_…\` are the standard metrics of Node. The operating system decides which of them exist.
- With \`app.workers\` above 1, the management port shows the values of all workers together: sums, the average of
  \`nodejs_eventloop_lag_…\`, the latest or earliest of times. Counts of ended workers are kept.
- \`server\` is \`http\`, \`rpc\` or \`management\`. \`user\` is \`rpc\` (the gRPC server) or \`gateway\` (its connection to the core).

`;

interface Described {
  readonly name: string;
  readonly help: string;
  readonly type: string;
  readonly labels: readonly string[];
}

async function readMetrics(): Promise<readonly (readonly [group: string, metrics: Described[]])[]> {
  const metrics = createMetrics();
  const log = createLogger({ level: 'silent', format: 'json', name: 'docs', destination: { write: () => {} } });
  metrics.watchLog({ droppedLines: 0 });
  metrics.watchConnections('http', { open: 0 });
  const argv = Object.entries(FLAGS).map(([name, value]) => `--${name}=${value}`);
  const { settings } = loadSettings({ argv, env: {}, cwd: '/', role: 'all' });

  const described = new Set<string>();
  const newMetrics = async (): Promise<Described[]> => {
    const added = metrics.registry.getMetricsAsArray().filter(({ name }) => !described.has(name));
    const all = added.map(async (metric) => {
      described.add(metric.name);
      const { labelNames = [], get } = metric as unknown as {
        labelNames?: readonly string[];
        get(): Promise<{ help: string; type: string }>;
      };
      const { help, type } = await get.call(metric);
      return { name: metric.name, help, type, labels: labelNames };
    });
    return Promise.all(all);
  };

  const everywhere = await newMetrics();
  createHttpMetrics(metrics.registry);
  const ofGateway = await newMetrics();
  const core = await openCore({ settings, log });
  metrics.watchCleanup(core.cleanup);
  metrics.watch(core.metrics);
  const ofCore = await newMetrics();
  await core.close();
  metrics.watch(workerMetrics(0, () => ({ count: 0, restarts: 0 })));
  const ofWorkers = await newMetrics();
  metrics.watchTracing({ counts: { recorded: 0, exported: 0, failed: 0 } });
  return [
    ['Every process', everywhere.filter(({ name }) => !/^(?:nodejs|process)_/.test(name))],
    ['Core', ofCore],
    ['Gateway', ofGateway],
    ['With app.workers above 1', ofWorkers],
    ['With app.tracing.otlp-endpoint', await newMetrics()],
  ];
}

function section([group, metrics]: readonly [string, readonly Described[]]): string {
  const rows = metrics.map(
    ({ name, type, labels, help }) => `| \`${name}\` (${[type, ...labels].join(', ')}) | ${help} |\n`,
  );
  return `## ${group}\n\n| Name (type, labels) | Meaning |\n|---|---|\n${rows.join('')}`;
}

const page = `${INTRODUCTION}${(await readMetrics()).map(section).join('\n')}`;
writePage('docs/reference/metrics.md', page);
