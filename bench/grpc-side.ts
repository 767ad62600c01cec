// Puts load on an RPC with `npm run bench -- load`, in a process on the load's core.
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Side } from './compare.ts';
import type { LoadSummary } from './load/report.ts';
import { LOAD_CORE, type Program } from './program.ts';

const run = promisify(execFile);
const LOAD = fileURLToPath(new URL('load/main.ts', import.meta.url));

/** A call of a unary RPC. */
export interface RpcLoad {
  /** `package.Service/Method`. */
  readonly rpc: string;
  readonly data?: object;
  readonly token?: string;
  readonly concurrency: number;
}

/** Creates a side that gets RPCs. Rejects if a call ends with another status than OK. */
export function grpcSide(
  name: string,
  { pid, directory }: Pick<Program, 'pid' | 'directory'>,
  target: string,
  { rpc, data = {}, token, concurrency }: RpcLoad,
): Side {
  const json = join(directory, 'rpc-load.json');
  return {
    name,
    pid,
    async load(seconds) {
      const options = {
        target,
        data: JSON.stringify(data),
        ...(token !== undefined && { token }),
        concurrency: String(concurrency),
        duration: String(seconds),
        'warm-up': '0',
        json,
      };
      const flags = Object.entries(options).flatMap(([option, value]) => [`--${option}`, value]);
      await run('taskset', ['-c', String(LOAD_CORE), process.execPath, LOAD, rpc, ...flags]);
      const { calls, perSecond } = JSON.parse(readFileSync(json, 'utf8')) as LoadSummary;
      return { requests: calls, seconds: calls / perSecond };
    },
  };
}
