// Where the tests' databases live for as long as they last.
import { mkdtempSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

// A file system in memory, on Linux.
const MEMORY = '/dev/shm';
// Containers are often given 64 MB of it.
const NEEDED_BYTES = 2 ** 30;

/**
 * Makes an empty folder whose name begins so: in memory where there is room, since no test cuts the power and a commit need
 * not reach a disk, else among the temporary files.
 */
export function temporaryFolder(prefix: string): string {
  return mkdtempSync(join(hasRoom() ? MEMORY : tmpdir(), prefix));
}

function hasRoom(): boolean {
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    return bavail * bsize >= NEEDED_BYTES;
  } catch {
    return false;
  }
}
