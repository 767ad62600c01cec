// File contents on a disk or in S3, and the decoding of images.
import type { FileHandle } from 'node:fs/promises';
import type { Readable } from 'node:stream';

/** A file that is open for reading and writing. Its path may meanwhile lead to another file. */
export interface OpenFile {
  readonly path: string;
  readonly handle: FileHandle;
}

/** A file on the disk to be stored. */
export interface Content extends OpenFile {
  /** In bytes. */
  readonly size: number;
  /** SHA-256 of the bytes. */
  readonly sha256: Buffer;
}

/** Consecutive bytes of an object. */
export interface Span {
  /** Index of the first byte, from 0. */
  readonly first: number;
  /** Number of bytes, at least 1. */
  readonly length: number;
}

/** Stores objects by key. Rejects with DependencyUnavailableError if the store is unavailable or cannot store. */
export interface ObjectStore {
  /** The private folder for files being uploaded. For a disk store, it is on the same file system. */
  readonly uploads: string;
  /** Removes files left by killed processes. */
  sweepUploads(): Promise<void>;
  /** Stores a file's bytes. A disk store moves the file itself, so it may be gone afterwards. */
  put(key: string, content: Content, signal: AbortSignal): Promise<void>;
  /** Opens an object. Rejects with MissingObjectError if it does not exist. */
  read(key: string, span: Span, signal: AbortSignal): Promise<Readable>;
  /** Deletes an object if it exists. */
  remove(key: string): Promise<void>;
  close(): void;
}

/** A file's object is missing in the store: data was lost, or another store is configured. */
export class MissingObjectError extends Error {
  override readonly name = 'MissingObjectError';
}
