import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { fileURLToPath } from 'node:url';

const run = promisify(execFile);

export interface LoadOptions {
  /** The CPU of the load generator. */
  readonly core: number;
  readonly connections: number;
  readonly seconds: number;
  readonly url: string;
  /** A Lua script of this folder; it reads `inputFile` and prints a Load as JSON. */
  readonly script: 'bearer.lua' | 'refresh.lua';
  readonly inputFile: string;
}

/** What was carried out, and in what time. */
export interface Load {
  readonly requests: number;
  readonly seconds: number;
}

/** Lets wrk load a URL. Rejects where any request failed: a rate of refusals says nothing. */
export async function loadByWrk(options: LoadOptions): Promise<Load> {
  const { core, connections, seconds, url, script, inputFile } = options;
  const amount = ['--threads', '1', '--connections', String(connections), '--duration', `${seconds}s`];
  const scriptPath = fileURLToPath(new URL(script, import.meta.url));
  const wrk = ['wrk', ...amount, '--script', scriptPath, url, '--', inputFile];
  const { stdout } = await run('taskset', ['-c', String(core), ...wrk]);
  const load = JSON.parse(stdout.trim().split('\n').at(-1)!) as Load & { failures: number };
  if (load.failures > 0) throw new Error(`${load.failures} of ${load.requests} requests to ${url} failed`);
  return load;
}
