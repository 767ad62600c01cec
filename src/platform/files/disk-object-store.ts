import { type FileHandle, lstat, mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { MissingObjectError, type ObjectStore } from './object-store.ts';
import { onDisk, sweepUploads } from './uploads.ts';

/**
 * Creates a store in a folder, which is created if it is missing. No tenant's name begins with a dot, so the folder for
 * uploads cannot collide.
 */
export function diskObjects(folder: string): ObjectStore {
  const root = resolve(folder);
  const uploads = join(root, '.uploads');
  const pathOf = (key: string) => join(root, key);
  return {
    uploads,
    sweepUploads: () => sweepUploads(uploads),
    put: (key, { path, handle }) =>
      onDisk(async () => {
        const target = pathOf(key);
        const folder = dirname(target);
        const made = await mkdir(folder, { recursive: true, mode: 0o700 });
        await handle.sync();
        await rename(path, target);
        await assertSameFile(target, handle);
        await flushFolder(folder);
        // A new folder changes the folder above it, so that one is flushed too.
        if (made !== undefined) await flushUpTo(dirname(made), folder);
      }),
    read: (key, { first, length }) =>
      onDisk(async (): Promise<Readable> => {
        const file = await open(pathOf(key)).catch((error: unknown) => {
          throw isMissing(error) ? new MissingObjectError() : error;
        });
        return file.createReadStream({ start: first, end: first + length - 1 });
      }),
    remove: (key) => onDisk(() => rm(pathOf(key), { force: true })),
    close: () => {},
  };
}

/** Flushes all folders from one up to another. */
async function flushUpTo(top: string, folder: string): Promise<void> {
  for (let next = folder; next !== top;) {
    next = dirname(next);
    await flushFolder(next);
  }
}

/** Removes the stored file and throws if it is not the file that was received: another process replaced it. */
async function assertSameFile(path: string, handle: FileHandle): Promise<void> {
  const [stored, received] = [await lstat(path), await handle.stat()];
  if (stored.ino === received.ino && stored.dev === received.dev) return;
  await rm(path, { force: true });
  throw new Error('a file was replaced before it was stored');
}

/** Flushes the folder, because a database row may name the object next and becomes durable at once. */
async function flushFolder(path: string): Promise<void> {
  const opened = await open(path);
  try {
    await opened.sync();
  } finally {
    await opened.close();
  }
}

function isMissing(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ENOENT';
}
