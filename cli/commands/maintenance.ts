// Commands of operators: schema, first accounts, expired rows, health.
import { loadSettings } from '../../src/platform/config/load.ts';
import type { Command, Input } from '../command.ts';
import { EXIT, CommandFailure } from '../failure.ts';
import { loadLocalSettings } from '../local-settings.ts';

export const MAINTENANCE_COMMANDS: readonly Command[] = [
  {
    name: 'migrate status',
    summary: 'show which migrations the database has',
    uses: 'settings',
    async run(input) {
      const { listMigrations } = await import('../../src/composition/maintenance.ts');
      return { value: await listMigrations(loadLocalSettings(input)), columns: ['name', 'applied'] };
    },
  },
  {
    name: 'migrate up',
    summary: 'bring the schema of the database up to date',
    uses: 'settings',
    options: { '--dry-run': 'print the SQL of the missing migrations and change nothing' },
    notes:
      'A start of the service does this too. Creates a missing SQLite file.\n' +
      'Some migrations also fill new columns of existing rows. --dry-run does not print these statements.',
    run: migrateUp,
  },
  {
    name: 'bootstrap',
    summary: 'create the missing tenants and accounts of a bootstrap file',
    uses: 'settings',
    arguments: { '<file>': 'a YAML file as for app.bootstrap.file' },
    async run(input) {
      const { bootstrap } = await import('../../src/composition/maintenance.ts');
      const file = input.values.requiredPath('file');
      return { value: await bootstrap(file, loadLocalSettings(input)) };
    },
  },
  {
    name: 'cleanup run',
    summary: 'delete expired rows now',
    uses: 'settings',
    notes: 'The service does this every 60 s. Ctrl-C ends it after the current batch.',
    async run(input) {
      return withLocalCore(input, async (core) => {
        const deleted = await core.cleanUp(input.terminal.signal);
        if (deleted === undefined) throw new CommandFailure('another process deletes expired rows at the moment');
        return { value: { deleted }, text: `${deleted} rows deleted` };
      });
    },
  },
  {
    name: 'cleanup status',
    summary: 'show how many expired rows are not deleted yet',
    uses: 'settings',
    run: (input) =>
      withLocalCore(input, async (core) => ({
        value: (await core.cleanupStats()).tables,
        columns: ['table', 'backlog', 'oldestMs'],
      })),
  },
  {
    name: 'healthcheck',
    summary: 'check that a process is ready; for container images',
    uses: 'settings',
    options: {
      '--live': 'only check that the process responds',
      '--url <url>': 'the management port (default: from app.management.host and .port)',
      '--timeout <duration>': 'how long to wait (default: 3s)',
    },
    notes: 'Exit code 0 if it is ready, 1 if it is not, also if it does not respond.',
    run: healthcheck,
  },
];

async function migrateUp(input: Input) {
  const { applyMigrations, planMissingMigrations } = await import('../../src/composition/maintenance.ts');
  const options = loadLocalSettings(input);
  if (!input.values.flag('dryRun')) {
    const applied = await applyMigrations(options);
    return { value: { applied }, text: [...applied, `${applied.length} migrations applied`].join('\n') };
  }
  const missing = await planMissingMigrations(options);
  const script = missing.flatMap(({ name, sql }) => [`-- ${name}`, ...sql.map((statement) => `${statement};`)]);
  return { value: { missing }, text: [...script, `-- ${missing.length} migrations would be applied`].join('\n') };
}

type LocalCore = Awaited<ReturnType<(typeof import('../../src/composition/local-core.ts'))['openLocalCore']>>;

/** Composes a core for one task. */
async function withLocalCore<T>(input: Input, work: (core: LocalCore) => Promise<T>): Promise<T> {
  const { openLocalCore } = await import('../../src/composition/local-core.ts');
  const core = await openLocalCore(loadLocalSettings(input, 'core'));
  try {
    return await work(core);
  } finally {
    await core.close();
  }
}

const HEALTH_TIMEOUT_MS = 3_000;

async function healthcheck({ values, terminal, settingFlags }: Input) {
  const { settings } = loadSettings({ argv: settingFlags, env: terminal.env, cwd: terminal.cwd, role: 'gateway' });
  const host = settings['app.management.host'];
  const base = values.text('url') ?? `http://${reachable(host)}:${settings['app.management.port']}`;
  const url = `${base.replace(/\/+$/, '')}/health/${values.flag('live') ? 'live' : 'ready'}`;
  if (!URL.canParse(url)) throw new CommandFailure(`--url is not a URL: ${base}`, EXIT.usage);
  const timeoutMs = values.duration('timeout', HEALTH_TIMEOUT_MS);
  const signal = AbortSignal.any([terminal.signal, AbortSignal.timeout(timeoutMs)]);
  const response = await fetch(url, { signal }).catch((error: Error) => {
    if (terminal.signal.aborted) throw error;
    throw new CommandFailure(
      `${url} does not respond: ${(error.cause as Error | undefined)?.message ?? error.message}`,
    );
  });
  await response.body?.cancel();
  if (!response.ok) throw new CommandFailure(`${url}: ${response.status}`);
  return { value: { url, status: response.status }, text: `${url}: ${response.status}` };
}

/** A process that listens on all addresses is reached on this machine. */
function reachable(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  if (host === '::') return '[::1]';
  return host.includes(':') ? `[${host}]` : host;
}
