import { mkdtempSync, rmSync } from 'node:fs';
import { readdir, rmdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { DeleteObjectCommand, GetObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { DependencyUnavailableError } from '../errors.ts';
import type { S3Url } from './files-url.ts';
import { MissingObjectError, type ObjectStore } from './object-store.ts';
import { readOpenFile, sweepUploads } from './uploads.ts';

/** Time limit for opening a connection, in milliseconds. */
const CONNECT_TIMEOUT_MS = 2_000;
/** Time limit for a connection without traffic, in milliseconds; longer than a slow reader of a download may pause. */
const IDLE_TIMEOUT_MS = 40_000;
/** Maximum number of connections. Downloads by slow readers keep theirs open. */
const MAX_CONNECTIONS = 512;

const nothing = () => {};
/** Disables the SDK's log, which bypasses the service's own log. */
const QUIET = { trace: nothing, debug: nothing, info: nothing, warn: nothing, error: nothing };

/**
 * Creates a store in a bucket. The AWS SDK reads the credentials from the environment, and also the region if the URL
 * has none.
 *
 * @param temporary Prefix of the paths of the folders for uploads. Each process has its own folder.
 */
export function s3Objects({ bucket, prefix, endpoint, region }: S3Url, temporary: string): ObjectStore {
  const uploads = mkdtempSync(temporary);
  const client = new S3Client({
    // Other servers than Amazon's rarely have a host name per bucket, and accept any region.
    ...(endpoint !== undefined && { endpoint, forcePathStyle: true }),
    ...((region ?? endpoint) !== undefined && { region: region ?? 'us-east-1' }),
    logger: QUIET,
    // Only checksums that are set here are sent. Many servers do not support the SDK's own.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: {
      connectionTimeout: CONNECT_TIMEOUT_MS,
      socketTimeout: IDLE_TIMEOUT_MS,
      httpAgent: { maxSockets: MAX_CONNECTIONS },
      httpsAgent: { maxSockets: MAX_CONNECTIONS },
    },
  });
  const named = (key: string) => ({ Bucket: bucket, Key: `${prefix}${key}` });
  return {
    uploads,
    async sweepUploads() {
      for (const name of await readdir(dirname(temporary))) {
        if (!name.startsWith(basename(temporary))) continue;
        const folder = join(dirname(temporary), name);
        await sweepUploads(folder);
        // Removes only an empty folder. A running process creates its folder again.
        if (folder !== uploads) await rmdir(folder).catch(() => undefined);
      }
    },
    async put(key, { size, sha256, ...file }, abortSignal) {
      const body = readOpenFile(file);
      const content = { Body: body, ContentLength: size, ChecksumSHA256: sha256.toString('base64') };
      await client
        .send(new PutObjectCommand({ ...named(key), ...content }), { abortSignal })
        .catch(fail)
        .finally(() => body.destroy());
    },
    async read(key, { first, length }, abortSignal) {
      const Range = `bytes=${first}-${first + length - 1}`;
      const { Body } = await client.send(new GetObjectCommand({ ...named(key), Range }), { abortSignal }).catch(fail);
      return Body as Readable;
    },
    async remove(key) {
      await client.send(new DeleteObjectCommand(named(key))).catch(fail);
    },
    close() {
      client.destroy();
      rmSync(uploads, { recursive: true, force: true });
    },
  };
}

function fail(cause: unknown): never {
  const { name, code } = cause as { readonly name?: string; readonly code?: string };
  if (name === 'NoSuchKey') throw new MissingObjectError();
  throw new DependencyUnavailableError(`The object store failed (${code ?? name})`, { cause });
}
