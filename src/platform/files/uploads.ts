// Temporary files of uploads. They are removed with the upload, however it ends. No other user may read or replace
// them: their folder belongs to the service with mode 0700, and they have mode 0600.
import { createHash, randomBytes } from 'node:crypto';
import type { ReadStream } from 'node:fs';
import { type FileHandle, chmod, lstat, mkdir, open, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { DependencyUnavailableError } from '../errors.ts';
import { type Content, MissingObjectError, type OpenFile } from './object-store.ts';

/** Age at which files of killed processes are removed, in milliseconds. No upload takes this long. */
const MAX_AGE_MS = 3_600_000;

/** The temporary files of an upload. */
export interface Upload {
  /**
   * Writes chunks to a new file, each after its inspection. Rejects if the chunks or the inspection do, and with
   * DependencyUnavailableError if the disk fails.
   */
  write(chunks: AsyncIterable<Uint8Array>, inspect?: (chunk: Uint8Array) => void): Promise<OpenFile>;
  /** Creates an empty file. Rejects with DependencyUnavailableError if the disk fails. */
  newFile(): Promise<OpenFile>;
  /** Closes and removes one of the files. */
  discard(file: OpenFile): Promise<void>;
  /** Closes and removes all remaining files. */
  end(): Promise<void>;
}

/** Begins an upload in a folder, which is created if it is missing. */
export function beginUpload(folder: string): Upload {
  const files = new Set<OpenFile>();
  async function newFile(): Promise<OpenFile> {
    const path = join(folder, randomBytes(16).toString('hex'));
    const file = { path, handle: await onDisk(() => createFile(folder, path)) };
    files.add(file);
    return file;
  }
  async function discard(file: OpenFile): Promise<void> {
    files.delete(file);
    await file.handle.close();
    await rm(file.path, { force: true });
  }
  return {
    async write(chunks, inspect) {
      const file = await newFile();
      for await (const chunk of chunks) {
        inspect?.(chunk);
        await onDisk(() => writeAll(file.handle, chunk));
      }
      return file;
    },
    newFile,
    discard,
    async end() {
      await Promise.all([...files].map(discard));
    },
  };
}

/** Returns a path that opens an already open file, even if another file has its own path now. */
export function descriptorPath({ path, handle }: OpenFile): string {
  return process.platform === 'linux' ? `/proc/self/fd/${handle.fd}` : path;
}

/** Returns the bytes of an open file in small chunks. The file stays open. */
export function readOpenFile({ handle }: OpenFile): ReadStream {
  return handle.createReadStream({ start: 0, autoClose: false });
}

/** Reads a file in small chunks and returns its size and hash. */
export async function contentOf(file: OpenFile): Promise<Content> {
  const hash = createHash('sha256');
  let size = 0;
  for await (const chunk of readOpenFile(file) as AsyncIterable<Buffer>) {
    hash.update(chunk);
    size += chunk.length;
  }
  return { ...file, size, sha256: hash.digest() };
}

/** Removes files that killed processes have left in a folder. */
export async function sweepUploads(folder: string): Promise<void> {
  for (const name of await readdir(folder).catch(() => [])) {
    const path = join(folder, name);
    const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Infinity }));
    if (mtimeMs < Date.now() - MAX_AGE_MS) await rm(path, { force: true });
  }
}

/** Creates a folder if it is missing and denies access to other users. Rejects if it belongs to another user. */
export async function makePrivateFolder(folder: string): Promise<void> {
  await mkdir(folder, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
  const found = await lstat(folder);
  if (!found.isDirectory() || found.uid !== process.getuid?.()) throw new Error(`${folder} belongs to another user`);
  if ((found.mode & 0o077) !== 0) await chmod(folder, 0o700);
}

async function createFile(folder: string, path: string): Promise<FileHandle> {
  const create = () => open(path, 'wx+', 0o600);
  return create().catch(async (error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
    await makePrivateFolder(folder);
    return create();
  });
}

async function writeAll(file: FileHandle, chunk: Uint8Array): Promise<void> {
  for (let written = 0; written < chunk.length;) {
    written += (await file.write(chunk, written)).bytesWritten;
  }
}

/** Rejects with DependencyUnavailableError if the disk is full, damaged or not writable. */
export async function onDisk<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (cause instanceof MissingObjectError) throw cause;
    const { code = 'unknown' } = cause as NodeJS.ErrnoException;
    throw new DependencyUnavailableError(`The disk of files failed (${code})`, { cause });
  }
}
