// Folders for the databases of tests.
import { mkdtempSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

// A file system in memory, on Linux.
const MEMORY = '/dev/shm';
// Containers are often given 64 MB of it.
const NEEDED_BYTES = 2 ** 30;

/**
 * Creates an empty folder with this name prefix. It is in memory if there is space, because commits in tests need not reach a disk.
 * Otherwise it is in the folder for temporary files.
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
