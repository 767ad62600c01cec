// One suite for every object store.
import { randomBytes } from 'node:crypto';
import {
  chmod,
  mkdtemp,
  open,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DependencyUnavailableError } from '../../src/platform/errors.ts';
import { MissingObjectError, type ObjectStore } from '../../src/platform/files/object-store.ts';
import { createObjectStore } from '../../src/platform/files/create-object-store.ts';
import { beginUpload, contentOf, sweepUploads } from '../../src/platform/files/uploads.ts';
import { S3_CREDENTIALS, startS3Server, type S3Server } from '../support/s3-server.ts';

const signal = new AbortController().signal;
const BYTES = randomBytes(200_000);

let folder: string;
let s3: S3Server;
beforeAll(async () => {
  Object.assign(process.env, S3_CREDENTIALS);
  folder = await mkdtemp(join(tmpdir(), 'objects-'));
  s3 = await startS3Server();
});
afterAll(async () => {
  await s3?.close();
  await rm(folder, { recursive: true, force: true });
});

const modeOf = async (path: string) => ((await stat(path)).mode & 0o777).toString(8);
const read = async (stream: Readable) => Buffer.concat(await stream.toArray());

describe.each(['disk', 's3'])('objects on %s', (kind) => {
  let objects: ObjectStore;
  beforeAll(async () => {
    objects = await createObjectStore(kind === 'disk' ? `disk:${folder}` : s3.url, 'test');
  });
  afterAll(() => objects?.close());

  const put = async (key: string, bytes = BYTES) => {
    const upload = beginUpload(objects.uploads);
    async function* chunks() {
      for (let at = 0; at < bytes.length; at += 65_536) yield bytes.subarray(at, at + 65_536);
    }
    const file = await upload.write(chunks());
    await objects.put(key, await contentOf(file), signal);
    await upload.end();
    return file.path;
  };

  it('are stored completely, and read completely or in part', async () => {
    const path = await put('acme/ab/one');
    await expect(readFile(path)).rejects.toThrow('ENOENT');
    expect(await read(await objects.read('acme/ab/one', { first: 0, length: BYTES.length }, signal))).toEqual(BYTES);
    const part = await objects.read('acme/ab/one', { first: 70_000, length: 3 }, signal);
    expect(await read(part)).toEqual(BYTES.subarray(70_000, 70_003));
  });

  it('never contain another file that replaced the received one', async () => {
    const upload = beginUpload(objects.uploads);
    const file = await upload.write(Readable.from([BYTES]));
    await writeFile(`${file.path}-other`, 'other');
    await rename(`${file.path}-other`, file.path);
    const content = await contentOf(file);
    expect(content.size).toBe(BYTES.length);
    const stored = await objects.put('acme/ab/exchanged', content, signal).then(
      async () => read(await objects.read('acme/ab/exchanged', { first: 0, length: BYTES.length }, signal)),
      () => undefined,
    );
    // A disk refuses what it cannot take over.
    expect(stored).toEqual(kind === 'disk' ? undefined : BYTES);
    if (kind === 'disk')
      await expect(objects.read('acme/ab/exchanged', { first: 0, length: 1 }, signal)).rejects.toThrow(
        MissingObjectError,
      );
    await upload.end();
  });

  it('do not exist after removal, and can be removed twice', async () => {
    await put('acme/ab/two');
    await objects.remove('acme/ab/two');
    await objects.remove('acme/ab/two');
    await objects.remove('nobody/cd/three');
    await expect(objects.read('acme/ab/two', { first: 0, length: 1 }, signal)).rejects.toThrow(MissingObjectError);
  });

  it('can be read while they are removed', async () => {
    await put('acme/ab/four');
    const stream = await objects.read('acme/ab/four', { first: 0, length: BYTES.length }, signal);
    await objects.remove('acme/ab/four');
    expect(await read(stream)).toEqual(BYTES);
  });
});

describe('a store that fails', () => {
  it('is unavailable: a disk', async () => {
    await writeFile(join(folder, 'file'), '');
    const objects = await createObjectStore(`disk:${folder}`, 'test');
    await expect(objects.read('file/x', { first: 0, length: 1 }, signal)).rejects.toThrow(DependencyUnavailableError);
  });

  it('returns unavailable for S3 with wrong credentials, an unknown bucket and an unreachable server', async () => {
    const gone = 's3://shop?endpoint=http://127.0.0.1:1';
    for (const url of [gone, s3.url.replace('shop', 'none')]) {
      const objects = await createObjectStore(url, 'test');
      const path = import.meta.filename;
      await using handle = await open(path);
      const stored = { path, handle, size: 1, sha256: Buffer.alloc(32) };
      await expect(objects.put('a/b', stored, signal)).rejects.toThrow(DependencyUnavailableError);
      objects.close();
    }
    process.env['AWS_SECRET_ACCESS_KEY'] = 'wrong';
    const objects = await createObjectStore(s3.url, 'test');
    await expect(objects.remove('a/b')).rejects.toThrow('SignatureDoesNotMatch');
    objects.close();
    Object.assign(process.env, S3_CREDENTIALS);
  });

  it('stops the start if its folder cannot be created', async () => {
    await expect(createObjectStore('disk:/proc/nowhere/files', 'test')).rejects.toThrow(
      /for files cannot be made \(ENOENT\)/,
    );
  });
});

describe('uploads', () => {
  it('of another process to S3 are removed after an hour with their folder', async () => {
    const objects = await createObjectStore(s3.url, 'test');
    const left = await mkdtemp(join(tmpdir(), 'test-uploads-'));
    await writeFile(join(left, 'new'), '');
    await objects.sweepUploads();
    expect(await readdir(left)).toEqual(['new']);
    const old = 0;
    await utimes(join(left, 'new'), old, old);
    await objects.sweepUploads();
    await expect(stat(left)).rejects.toThrow('ENOENT');
    expect(await readdir(objects.uploads)).toEqual([]);
    objects.close();
    await expect(stat(objects.uploads)).rejects.toThrow('ENOENT');
  });

  it.each(['disk', 's3'])(
    'are private during the upload to %s, also if their folder was public or was deleted',
    async (kind) => {
      const root = join(await mkdtemp(join(tmpdir(), 'private-')), 'files');
      const open = () => createObjectStore(kind === 'disk' ? `disk:${root}` : s3.url, 'test');
      let objects = await open();
      if (kind === 'disk') {
        expect(await modeOf(root)).toBe('700');
        await chmod(objects.uploads, 0o777);
        objects = await open();
      }
      const modes = [await modeOf(objects.uploads)];
      await rm(objects.uploads, { recursive: true });
      const upload = beginUpload(objects.uploads);
      async function* chunks() {
        yield BYTES;
      }
      const file = await upload.write(chunks());
      for (const one of [objects.uploads, file.path, (await upload.newFile()).path]) modes.push(await modeOf(one));
      expect(modes).toEqual(['700', '700', '600', '600']);
      await objects.put('acme/ab/private', await contentOf(file), signal);
      await upload.end();
      expect(await readdir(objects.uploads)).toEqual([]);
      if (kind === 'disk') {
        const stored = ['acme', 'acme/ab', 'acme/ab/private'].map((name) => modeOf(join(root, name)));
        expect(await Promise.all(stored)).toEqual(['700', '700', '600']);
      }
      objects.close();
    },
  );

  it('stop the start if other users could write to their folder', async () => {
    const root = await mkdtemp(join(tmpdir(), 'foreign-'));
    const elsewhere = await mkdtemp(join(tmpdir(), 'elsewhere-'));
    await symlink(elsewhere, join(root, '.uploads'));
    await expect(createObjectStore(`disk:${root}`, 'test')).rejects.toThrow(/belongs to another user/);
  });

  it('of a killed process are removed after an hour', async () => {
    const uploads = join(folder, '.uploads');
    await writeFile(join(uploads, 'old'), '');
    await writeFile(join(uploads, 'new'), '');
    const old = 0;
    await utimes(join(uploads, 'old'), old, old);
    await sweepUploads(uploads);
    expect(await readdir(uploads)).toEqual(['new']);
  });
});
