import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { fileURLToPath } from 'node:url';

const run = promisify(execFile);

/** What the lines of an input file are: see requests.lua and the scripts of the other formats. */
export type RequestFormat = 'api-key' | 'bearer' | 'form' | 'post' | keyof typeof SCRIPTS;

const SCRIPTS = {
  refresh: 'refresh.lua',
  'code-flow': 'openid/code-flow.lua',
  authorize: 'openid/code-flow.lua',
} as const;

export interface LoadOptions {
  /** The load generator's CPU core, or a list of cores such as `0,1`. */
  readonly core: number | string;
  readonly connections: number;
  readonly seconds: number;
  readonly url: string;
  readonly format: RequestFormat;
  readonly inputFile: string;
  /** Whether requests may fail, because the load is only a disturbance. */
  readonly mayFail?: boolean;
}

/** Number of completed requests, and their time. */
export interface Load {
  readonly requests: number;
  readonly seconds: number;
}

/** Puts load on a URL with wrk. Rejects if a request failed, because the rate would be meaningless. */
export async function loadByWrk(options: LoadOptions): Promise<Load> {
  const { core, connections, seconds, url, format, inputFile, mayFail = false } = options;
  // A slow response is not an error: it shows in the rate.
  const amount = [
    '--threads',
    '1',
    '--connections',
    String(connections),
    '--duration',
    `${seconds}s`,
    '--timeout',
    '10s',
  ];
  const scriptPath = fileURLToPath(new URL(scriptOf(format), import.meta.url));
  const wrk = ['wrk', ...amount, '--script', scriptPath, url, '--', inputFile, format];
  const { stdout } = await run('taskset', ['-c', String(core), ...wrk]);
  const load = JSON.parse(stdout.trim().split('\n').at(-1)!) as Load & { failures: number };
  if (load.failures > 0 && !mayFail) throw new Error(`${load.failures} of ${load.requests} requests to ${url} failed`);
  return load;
}

function scriptOf(format: RequestFormat): string {
  return format in SCRIPTS ? SCRIPTS[format as keyof typeof SCRIPTS] : 'requests.lua';
}
