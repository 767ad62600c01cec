import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Compiles the library that makes each fsync of a process `waitMs` slower, into this folder. Returns the environment that
 * loads it. Needs a C compiler.
 */
export function slowDiskEnvironment(folder: string, waitMs: number): { readonly LD_PRELOAD: string } {
  const source = fileURLToPath(new URL('slow-fsync.c', import.meta.url));
  const library = join(folder, `slow-fsync-${waitMs}.so`);
  execFileSync('cc', ['-shared', '-fPIC', `-DWAIT_MS=${waitMs}`, '-o', library, source, '-ldl']);
  return { LD_PRELOAD: library };
}
