// A Prometheus of its own, which scrapes processes every second.
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { installPrometheus } from '../../scripts/operations-tools.ts';
import { emptyFolder, freePort, PROJECT } from '../support/service-process.ts';

export const RULES = join(PROJECT, 'deploy/prometheus/alert-rules.yaml');

/** One time series of a response. An instant query has `value`, a range query `values`. */
export interface Series {
  readonly metric: Readonly<Record<string, string>>;
  readonly value?: readonly [time: number, value: string];
  readonly values?: readonly (readonly [time: number, value: string])[];
}

export interface Prometheus {
  /** Runs an instant query. Throws if Prometheus refuses the expression. */
  query(expression: string): Promise<Series[]>;
  /** Runs a query over the last seconds, with one value per second. */
  queryRange(expression: string, seconds: number): Promise<Series[]>;
  get(path: string): Promise<unknown>;
  stop(): Promise<void>;
}

/** Starts Prometheus with the alert rules. `targets` are jobs with the base URLs of management ports. */
export async function startPrometheus(targets: Readonly<Record<string, readonly string[]>>): Promise<Prometheus> {
  const folder = emptyFolder();
  const port = await freePort();
  const jobs = Object.entries(targets).map(([job, urls]) => ({
    job_name: job,
    static_configs: [{ targets: urls.map((url) => new URL(url).host) }],
  }));
  const global = { scrape_interval: '1s', scrape_timeout: '1s', evaluation_interval: '1s' };
  // YAML contains JSON.
  writeFileSync(join(folder, 'prometheus.yaml'), JSON.stringify({ global, rule_files: [RULES], scrape_configs: jobs }));
  const child = spawn(
    installPrometheus().prometheus,
    [
      '--config.file=prometheus.yaml',
      '--storage.tsdb.path=data',
      `--web.listen-address=127.0.0.1:${port}`,
      '--log.level=warn',
    ],
    { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] },
  );
  let errors = '';
  child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const url = `http://127.0.0.1:${port}`;

  async function get(path: string): Promise<unknown> {
    const response = await fetch(url + path);
    const { data, error } = (await response.json()) as { data?: unknown; error?: string };
    if (error !== undefined) throw new Error(`${path}: ${error}`);
    return data;
  }
  const resultOf = async (path: string) => ((await get(path)) as { result: Series[] }).result;

  for (let attempt = 0; ; attempt += 1) {
    const isReady = await fetch(`${url}/-/ready`).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isReady) break;
    if (attempt === 150 || child.exitCode !== null) throw new Error(`Prometheus does not start: ${errors}`);
    await sleep(200);
  }
  return {
    get,
    query: (expression) => resultOf(`/api/v1/query?${new URLSearchParams({ query: expression }).toString()}`),
    queryRange(expression, seconds) {
      const now = Date.now() / 1000;
      const range = { query: expression, start: String(now - seconds), end: String(now), step: '1' };
      return resultOf(`/api/v1/query_range?${new URLSearchParams(range).toString()}`);
    },
    async stop() {
      child.kill('SIGTERM');
      await exited;
    },
  };
}
