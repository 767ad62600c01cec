// Uploads and downloads of files as streams of chunks.
import { createHash } from 'node:crypto';
import type { Client } from 'nice-grpc';
import type {
  ByteRange,
  DownloadFileResponse,
  FileContent,
  FileServiceDefinition,
  StagedFile,
  UploadFileRequest,
} from '../gen/index.authservice.business.v1.js';

type Files = Client<typeof FileServiceDefinition>;

export interface Upload {
  readonly fileName: string;
  readonly contentType: string;
  /** Bytes, or a stream of `size` bytes, for example of `fs.createReadStream`. */
  readonly content: Uint8Array | AsyncIterable<Uint8Array>;
  /** The number of bytes. Only a stream needs it. */
  readonly size?: number;
}

export interface Download {
  /** Of the whole file. */
  readonly content: FileContent;
  /** The bytes. A download of the whole file ends with an error if their digest is wrong. */
  readonly bytes: AsyncIterable<Uint8Array>;
}

/** The core refuses smaller chunks, apart from the last one. */
const CHUNK_BYTES = 64 * 1024;

/** Stores a file in the caller's tenant and returns its name. */
export async function upload(files: Files, { fileName, contentType, content, size }: Upload): Promise<StagedFile> {
  const bytes = content instanceof Uint8Array ? content.length : size;
  if (bytes === undefined) throw new TypeError('upload: a stream needs the size');
  const { file } = await files.prepareFile({ fileName, contentType, size: bytes });
  const digest = createHash('sha256');
  async function* parts(): AsyncGenerator<Partial<UploadFileRequest>> {
    yield { file: file! };
    for await (const chunk of chunks(content instanceof Uint8Array ? [content] : content)) {
      digest.update(chunk);
      yield { chunk };
    }
  }
  const stored = await files.uploadFile(parts());
  if (!digest.digest().equals(stored.receivedSha256)) throw new Error('upload: other bytes arrived than were sent');
  return stored.file!;
}

/** Reads a file of the caller's tenant, or a range of it. */
export async function download(files: Files, file: StagedFile, range?: Partial<ByteRange>): Promise<Download> {
  const stream = files.downloadFile({ file, ...(range && { range }) })[Symbol.asyncIterator]();
  const first = await stream.next();
  const start = first.done ? undefined : first.value.start;
  if (!start) throw new Error('download: the stream has no start');
  return { content: start.content!, bytes: range ? bytesOf(stream) : verified(bytesOf(stream), start.content!) };
}

async function* bytesOf(stream: AsyncIterator<DownloadFileResponse>): AsyncGenerator<Uint8Array> {
  try {
    for (let part = await stream.next(); !part.done; part = await stream.next()) yield part.value.chunk!;
  } finally {
    // Ends the call of a reader that stops early.
    await stream.return?.();
  }
}

async function* verified(bytes: AsyncIterable<Uint8Array>, { sha256 }: FileContent): AsyncGenerator<Uint8Array> {
  const digest = createHash('sha256');
  for await (const chunk of bytes) {
    digest.update(chunk);
    yield chunk;
  }
  if (!digest.digest().equals(sha256)) throw new Error('download: other bytes arrived than are stored');
}

/** Joins and splits the pieces into chunks of one size. */
async function* chunks(pieces: Iterable<Uint8Array> | AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  let rest = Buffer.alloc(0);
  for await (const piece of pieces) {
    rest = Buffer.concat([rest, piece]);
    let start = 0;
    for (; rest.length - start >= CHUNK_BYTES; start += CHUNK_BYTES) yield rest.subarray(start, start + CHUNK_BYTES);
    rest = rest.subarray(start);
  }
  if (rest.length > 0) yield rest;
}
