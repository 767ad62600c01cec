// File contents on a disk or in S3, and the decoding of images.
// Imported by src/business and src/composition.
import type { FileHandle } from 'node:fs/promises';
import type { Readable } from 'node:stream';

/** A file that is open for reading and writing. What its path leads to may be another one by now. */
export interface OpenFile {
  readonly path: string;
  readonly handle: FileHandle;
}

/** A file on the disk whose bytes are to be kept. */
export interface Content extends OpenFile {
  /** In bytes. */
  readonly size: number;
  /** SHA-256 of the bytes. */
  readonly sha256: Buffer;
}

/** Consecutive bytes of an object. */
export interface Span {
  /** From 0. */
  readonly first: number;
  /** At least 1. */
  readonly length: number;
}

/** Objects by their keys. Rejects with DependencyUnavailableError where the store cannot be reached or cannot store. */
export interface ObjectStore {
  /** The private folder in which files grow that are to be put; on the same file system where the store is a disk. */
  readonly uploads: string;
  /** Removes what uploads of killed processes have left. */
  sweepUploads(): Promise<void>;
  /** Keeps a file's bytes. A disk takes the file itself over: it may be gone afterwards. */
  put(key: string, content: Content, signal: AbortSignal): Promise<void>;
  /** Opens an object. Rejects with MissingObjectError where there is none. */
  read(key: string, span: Span, signal: AbortSignal): Promise<Readable>;
  /** Deletes an object, where there is one. */
  remove(key: string): Promise<void>;
  close(): void;
}

/** A file names an object that the store does not have: bytes were lost, or the store is another one. */
export class MissingObjectError extends Error {
  override readonly name = 'MissingObjectError';
}
