// The life of a staged file: prepared, uploaded, deleted or expired.
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deploy, DIAGONAL, type Deployment } from '../../support/deployment.ts';
import { testImages, type Images } from '../../support/images.ts';
import { problem } from '../../support/problems.ts';
import { API, caller, faults, type Caller } from '../../support/callers.ts';
import {
  namedObjects,
  pathOf,
  prepare,
  stage,
  storedIn,
  sweep,
  upload,
  type FileName,
} from '../../support/shop/files.ts';

const DAY_MS = 86_400_000;
const TEXT = Buffer.from('0123456789');

describe.each(DIAGONAL)('$engine over $transport', (kind) => {
  let deployment: Deployment;
  let manager: Caller;
  let images: Images;

  beforeAll(async () => {
    images = await testImages();
    deployment = await deploy(kind);
    manager = await caller(deployment);
  });
  afterAll(() => deployment?.close());

  const gone = async (file: FileName) => {
    for (const response of [
      await manager.get(pathOf(file)),
      await manager.delete(pathOf(file)),
      await upload(manager, file, TEXT),
    ])
      expect(response).toEqual(problem(404, 'not-found', API + pathOf(file)));
  };

  describe('prepare', () => {
    it('returns the upload path and its expiry time', async () => {
      const response = await manager.post('/staging/files/prepare', {
        fileName: ' rose.png ',
        contentType: 'image/png',
        size: 5,
        tenantId: 'acme',
        uploadUrl: 'ignored',
      });
      const { date, uuid } = response.body;
      const now = deployment.clock.now();
      expect(response.status).toBe(201);
      expect(response.body).toEqual({
        date: new Date(now).toISOString().slice(0, 10),
        uuid: expect.stringMatching(/^[0-9a-f-]{36}$/),
        tenantId: 'acme',
        uploadUrl: API + pathOf({ date, uuid }),
        maxBytes: 5,
        expiresAt: new Date(now + DAY_MS).toISOString(),
      });
      expect(response.headers.get('location')).toBe(response.body.uploadUrl);
    });

    it('keeps a leading path of the request', async () => {
      const response = await manager.send(
        'POST',
        '/../../shop/api/v1/staging/files/prepare',
        JSON.stringify({ fileName: 'a', contentType: 'a/b', size: 1 }),
        { 'content-type': 'application/json' },
      );
      expect(response.body.uploadUrl).toMatch(/^\/shop\/api\/v1\/files\/staging\//);
    });

    it.each<[string, Record<string, unknown>, string[]]>([
      [
        'nothing',
        { fileName: undefined, contentType: undefined, size: undefined },
        ['contentType', 'fileName', 'size'],
      ],
      ['a blank name', { fileName: ' ' }, ['fileName']],
      ['a path', { fileName: '../a' }, ['fileName']],
      ['a path of Windows', { fileName: 'a\\b' }, ['fileName']],
      ['256 characters', { fileName: 'a'.repeat(256) }, ['fileName']],
      ['a control character', { fileName: 'a\u0000b' }, ['fileName']],
      ['no media type', { contentType: 'png' }, ['contentType']],
      ['a media type with a line end', { contentType: 'a/b\r\nx: y' }, ['contentType']],
      ['a media type of spaces between semicolons', { contentType: `a/b${'; '.repeat(60)}é` }, ['contentType']],
      ['128 characters of a type', { contentType: `a/${'b'.repeat(126)}` }, ['contentType']],
      ['no bytes', { size: 0 }, ['size']],
      ['half a byte', { size: 1.5 }, ['size']],
      ['a size in words', { size: '5' }, ['size']],
      ['an unknown field', { path: '/etc' }, ['path']],
    ])('returns 400 for %s', async (_what, fields, fields400) => {
      const response = await manager.post('/staging/files/prepare', {
        fileName: 'a',
        contentType: 'a/b; c="d e"',
        size: 1,
        ...fields,
      });
      expect(response).toEqual(problem(400, 'validation-error', `${API}/staging/files/prepare`));
      expect(faults(response)).toEqual(fields400);
    });

    it('returns 413 above the size limit, and 403 for another tenant', async () => {
      const good = { fileName: 'a', contentType: 'a/b', size: 10_485_760 };
      const sizes = [good.size, good.size + 1, Number.MAX_SAFE_INTEGER];
      const responses = [];
      for (const size of sizes) responses.push(await manager.post('/staging/files/prepare', { ...good, size }));
      expect(responses.map(({ status }) => status)).toEqual([201, 413, 413]);
      const other = await manager.post('/staging/files/prepare', { ...good, tenantId: 'other' });
      expect(other).toEqual(problem(403, 'tenant-mismatch', `${API}/staging/files/prepare`));
    });
  });

  it('is not readable for other users of the machine, images too', async () => {
    await stage(manager, TEXT);
    await stage(manager, images.png, { contentType: 'image/png' });
    const entries = await readdir(deployment.filesFolder, { recursive: true, withFileTypes: true });
    const modes = entries.map(async (entry) => {
      const { mode } = await stat(join(entry.parentPath, entry.name));
      return `${entry.isFile() ? 'file' : 'folder'} ${(mode & 0o777).toString(8)}`;
    });
    expect([...new Set(await Promise.all(modes))].toSorted()).toEqual(['file 600', 'folder 700']);
  });

  describe('the deletion', () => {
    it('deletes a file', async () => {
      const file = await stage(manager, TEXT);
      expect((await manager.delete(pathOf(file))).status).toBe(204);
      await gone(file);
      const unused = await prepare(manager, 1);
      expect((await manager.get(pathOf(unused))).status).toBe(404);
      expect((await manager.delete(pathOf(unused))).status).toBe(204);
    });

    it('deletes an unattached file after 24 hours', async () => {
      const file = await stage(manager, TEXT);
      const unused = await prepare(manager, 1);
      deployment.clock.advance(DAY_MS - 1);
      const later = await caller(deployment);
      expect((await later.get(pathOf(file))).status).toBe(200);
      deployment.clock.advance(1);
      manager = later;
      await gone(file);
      await gone(unused);
      await sweep(deployment);
      deployment.clock.advance(60_000);
      await sweep(deployment);
      expect(await namedObjects(deployment)).toEqual({ files: [], loose: [] });
      expect(await storedIn(deployment.filesFolder)).toEqual({ objects: [], uploads: [] });
    });
  });
});
