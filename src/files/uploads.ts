// Files on their way into the store: they are gone with the upload, whatever becomes of it.
import { randomBytes } from 'node:crypto';
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open, readdir, rm, stat, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { diskUnavailable } from './disk-objects.ts';
import type { Content } from './objects.ts';

/** What a process that was killed leaves behind is removed after this, in milliseconds; no upload takes as long. */
const MAX_AGE_MS = 3_600_000;

/** Names of temporary files, and how they go. */
export interface Upload {
  /** A file that is not there yet. */
  newPath(): string;
  /** Makes a file and writes it to its end. Rejects as the chunks do; with DependencyUnavailableError where the disk fails. */
  write(path: string, chunks: AsyncIterable<Uint8Array>): Promise<void>;
  /** Removes all that is still there. */
  end(): Promise<void>;
}

/** Begins an upload in a folder, which is made where it is missing. */
export function beginUpload(folder: string): Upload {
  const paths: string[] = [];
  return {
    newPath() {
      const path = join(folder, randomBytes(16).toString('hex'));
      paths.push(path);
      return path;
    },
    async write(path, chunks) {
      const file = await onDisk(create(folder, path));
      try {
        for await (const chunk of chunks) await onDisk(writeAll(file, chunk));
      } finally {
        await file.close();
      }
    },
    async end() {
      await Promise.all(paths.map((path) => rm(path, { force: true })));
    },
  };
}

/** What a file holds, read in small pieces. */
export async function contentOf(path: string): Promise<Content> {
  const hash = createHash('sha256');
  let size = 0;
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
    hash.update(chunk);
    size += chunk.length;
  }
  return { path, size, sha256: hash.digest() };
}

/** Removes what processes that were killed have left in a folder. */
export async function sweepUploads(folder: string): Promise<void> {
  for (const name of await readdir(folder).catch(() => [])) {
    const path = join(folder, name);
    const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Infinity }));
    if (mtimeMs < Date.now() - MAX_AGE_MS) await rm(path, { force: true });
  }
}

async function create(folder: string, path: string): Promise<FileHandle> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  return open(path, 'wx', 0o600);
}

async function writeAll(file: FileHandle, chunk: Uint8Array): Promise<void> {
  for (let written = 0; written < chunk.length;) {
    written += (await file.write(chunk, written)).bytesWritten;
  }
}

async function onDisk<T>(work: Promise<T>): Promise<T> {
  return work.catch((error: unknown) => {
    throw diskUnavailable(error);
  });
}
