import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { fileURLToPath } from 'node:url';

const run = promisify(execFile);

/** A Lua script in this folder. It reads a file and prints a Load as JSON. */
export type WrkScript = 'api-key.lua' | 'bearer.lua' | 'form.lua' | 'post.lua' | 'refresh.lua';

export interface LoadOptions {
  /** Number of the load generator's CPU core. */
  readonly core: number;
  readonly connections: number;
  readonly seconds: number;
  readonly url: string;
  readonly script: WrkScript;
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
  const { core, connections, seconds, url, script, inputFile, mayFail = false } = options;
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
  const scriptPath = fileURLToPath(new URL(script, import.meta.url));
  const wrk = ['wrk', ...amount, '--script', scriptPath, url, '--', inputFile];
  const { stdout } = await run('taskset', ['-c', String(core), ...wrk]);
  const load = JSON.parse(stdout.trim().split('\n').at(-1)!) as Load & { failures: number };
  if (load.failures > 0 && !mayFail) throw new Error(`${load.failures} of ${load.requests} requests to ${url} failed`);
  return load;
}
