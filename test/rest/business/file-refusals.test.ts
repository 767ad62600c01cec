// Rejected file requests: permissions, the order of checks, and nothing stored.
import { request } from 'node:http';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../../src/platform/db/ids.ts';
import { ROLES, type Role } from '../../../src/auth/access/roles/built-in-roles.ts';
import { deploy, ON_SQLITE, type Deployment } from '../../support/deployment.ts';
import { animated, pixelBomb, testImages, type Images } from '../../support/images.ts';
import { problem } from '../../support/problems.ts';
import { rawRequest, sendRaw } from '../../support/raw-http.ts';
import { API, caller, callerWith, comparable, faults, type Caller } from '../../support/callers.ts';
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

const USERS: readonly Role[] = [
  'TENANT_ADMIN',
  'ADMIN',
  'OWNER',
  'MANAGER',
  'SALES',
  'PURCHASER',
  'FLORIST',
  'DELIVERY',
];
const TEXT = Buffer.from('0123456789');
const MAX_BYTES = 300_000;

describe.each(ON_SQLITE)('$engine over $transport', (kind) => {
  let deployment: Deployment;
  let manager: Caller;
  let stranger: Caller;
  let nobody: Caller;
  let accountant: Caller;
  let images: Images;
  let file: FileName;

  beforeAll(async () => {
    images = await testImages();
    deployment = await deploy({ ...kind, settings: { 'app.files.max-bytes': String(MAX_BYTES) } });
    manager = await caller(deployment);
    stranger = await caller(deployment, { tenantId: 'other', roles: ['ADMIN'] });
    accountant = await caller(deployment, { roles: ['ACCOUNTANT'] });
    nobody = callerWith(deployment.url, manager.account, {});
    file = await stage(manager, TEXT);
  });
  afterAll(() => deployment?.close());

  // Whatever was tried: an earlier content stays, and beside it there is nothing.
  afterEach(async () => {
    await expect
      .poll(async () => {
        const { objects, uploads } = await storedIn(deployment.filesFolder);
        return { objects, uploads };
      })
      .toEqual({ objects: (await namedObjects(deployment)).files, uploads: [] });
    expect((await namedObjects(deployment)).loose).toEqual([]);
    expect((await manager.get(pathOf(file))).text).toBe(TEXT.toString());
  });

  /** What a good upload has replaced. */
  const sweepReplaced = async () => {
    deployment.clock.advance(60_000);
    await sweep(deployment);
  };

  it.each(ROLES)('%s', async (role) => {
    const by = await caller(deployment, { roles: [role], ...(role === 'SUPER_ADMIN' && { tenantId: undefined }) });
    const announced = { fileName: 'a', contentType: 'a/b', size: 10 };
    const responses = [
      await by.post('/staging/files/prepare', announced),
      await upload(by, file, TEXT),
      await by.get(pathOf(file)),
    ];
    expect(responses.map(({ status }) => status)).toEqual(USERS.includes(role) ? [201, 200, 200] : [403, 403, 403]);
    if (USERS.includes(role)) await sweepReplaced();
  });

  describe('a path without a file', () => {
    const ways: readonly [string, (by: Caller, path: string) => Promise<unknown>][] = [
      ['GET', async (by, path) => comparable(await by.get(path))],
      ['DELETE', async (by, path) => comparable(await by.delete(path))],
      ['PUT', async (by, path) => comparable(await by.send('PUT', path, TEXT))],
    ];

    it.each(ways)("returns the same response as for another tenant's file: %s", async (_way, send) => {
      const unknown = { date: file.date, uuid: newId() };
      const expected = await send(manager, pathOf(unknown));
      expect(expected).toMatchObject({ status: 404 });
      expect(await send(stranger, pathOf(file))).toEqual(expected);
      const { date, uuid } = file;
      const dates = ['2020-01-01', '2026-02-30', `${date}T00:00:00Z`, '..%2f..', '%00', '*', ' ', `${date}%20`];
      const uuids = [uuid.toUpperCase(), `${uuid}%00`, '..%2f..%2fetc%2fpasswd', "'--", '0', 'a'.repeat(3_000)];
      const paths = [
        ...dates.map((other) => `/files/staging/${other}/${uuid}`),
        ...uuids.map((other) => `/files/staging/${date}/${other}`),
      ];
      for (const path of paths) expect([path, await send(manager, path)]).toEqual([path, expected]);
    });
  });

  // What HTTP clients resolve by themselves.
  it.each(['/files/staging/%2e%2e/x', '/files/staging/../../x', '/files/staging/x/%2e%2e', '/files/staging/x/..%5c..'])(
    'rejects a path with parent folders: %s',
    async (path) => {
      const lines = [`Authorization: ${manager.headers['authorization']}`];
      const response = await sendRaw(deployment.url, rawRequest(`GET ${API}${path} HTTP/1.1`, lines));
      expect([response.status, response.body.errorCode]).toEqual([404, 'not-found']);
    },
  );

  it('checks credential, role, file and then the body, in that order', async () => {
    const broken = { 'content-encoding': 'gzip' };
    const tooMuch = Buffer.alloc(MAX_BYTES + 1);
    for (const body of [TEXT, tooMuch]) {
      const headers = body === TEXT ? broken : {};
      const responses = [
        await upload(nobody, file, body, headers),
        await upload(accountant, file, body, headers),
        await upload(stranger, file, body, headers),
        await upload(manager, file, body, headers),
      ];
      expect(responses.map(({ status }) => status)).toEqual([401, 403, 404, body === TEXT ? 415 : 413]);
    }
    expect(await nobody.send('PUT', pathOf(file), TEXT)).toEqual(problem(401, 'unauthorized', API + pathOf(file)));
  });

  it.each<[string, Buffer, number, string]>([
    ['one byte less', TEXT.subarray(1), 400, 'validation-error'],
    ['nothing', Buffer.alloc(0), 400, 'validation-error'],
    ['one byte more', Buffer.concat([TEXT, TEXT.subarray(0, 1)]), 413, 'payload-too-large'],
    ['more than any file may have', Buffer.alloc(MAX_BYTES + 1), 413, 'payload-too-large'],
  ])('rejects content %s than declared', async (_what, bytes, status, code) => {
    for (const body of [bytes, new Blob([new Uint8Array(bytes)]).stream()]) {
      const response = await fetch(deployment.url + API + pathOf(file), {
        method: 'PUT',
        headers: manager.headers,
        body: body as RequestInit['body'] & {},
        duplex: 'half',
      });
      expect([response.status, ((await response.json()) as { errorCode: string }).errorCode]).toEqual([status, code]);
    }
  });

  it.each<[string, Record<string, string>, number]>([
    ['compressed', { 'content-encoding': 'gzip' }, 415],
    ['in parts', { 'content-range': 'bytes 0-9/10' }, 400],
  ])('rejects content %s', async (_what, headers, status) => {
    expect((await upload(manager, file, TEXT, headers)).status).toBe(status);
    expect((await upload(manager, file, TEXT, { 'content-encoding': 'identity' })).status).toBe(200);
    await sweepReplaced();
  });

  it('returns 501 for a gzip transfer coding', async () => {
    const lines = [`Authorization: ${manager.headers['authorization']}`, 'Transfer-Encoding: gzip, chunked'];
    const bytes = rawRequest(`PUT ${API}${pathOf(file)} HTTP/1.1`, lines, `a\r\nabcdefghij\r\n0\r\n\r\n`);
    const response = await sendRaw(deployment.url, bytes);
    expect([response.status, response.body.errorCode]).toEqual([501, 'not-implemented']);
  });

  type Content = (images: Images) => Buffer | Promise<Buffer>;
  it.each<[string, string, Content, number, string]>([
    [
      'HTML called PNG',
      'image/png',
      () => Buffer.from('<html><script>1</script></html>'),
      415,
      'unsupported-media-type',
    ],
    [
      'an SVG',
      'image/svg+xml',
      () => Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'),
      415,
      'unsupported-media-type',
    ],
    ['a few bytes', 'IMAGE/png', () => Buffer.from('\x89PN', 'latin1'), 415, 'unsupported-media-type'],
    [
      'a signature alone',
      'image/png',
      () => Buffer.from('\x89PNG\r\n\x1a\n\0\0\0\0', 'latin1'),
      400,
      'validation-error',
    ],
    ['half a JPEG', 'image/jpeg', ({ jpeg }) => jpeg.subarray(0, jpeg.length - 100), 400, 'validation-error'],
    [
      'a broken PNG',
      'image/png',
      ({ png }) => Buffer.concat([png.subarray(0, 60), Buffer.alloc(60)]),
      400,
      'validation-error',
    ],
    [
      'HTML behind a signature',
      'text/html',
      () => Buffer.from('GIF89a<script>alert(1)</script>'),
      400,
      'validation-error',
    ],
    ['50 million pixels and more', 'image/png', () => pixelBomb('png', 7_100, 7_100), 400, 'validation-error'],
    [
      'one frame of 16 million pixels and more',
      'image/gif',
      () => pixelBomb('gif', 4_097, 4_096),
      400,
      'validation-error',
    ],
    ['501 frames', 'image/gif', () => animated(501, 2, 2).gif({ loop: 0 }).toBuffer(), 400, 'validation-error'],
  ])('%s', async (_what, contentType, content, status, code) => {
    const bytes = await content(images);
    const other = await prepare(manager, bytes.length, { contentType });
    const response = await upload(manager, other, bytes);
    expect(response).toEqual(problem(status, code, API + pathOf(other)));
    if (status === 400) expect(faults(response)).toEqual(['content']);
    expect((await manager.get(pathOf(other))).status).toBe(404);
  });

  it('keeps nothing of an upload whose client disconnects', async () => {
    const other = await prepare(manager, MAX_BYTES);
    const sending = request(deployment.url + API + pathOf(other), {
      method: 'PUT',
      headers: { ...manager.headers, 'content-length': MAX_BYTES },
    });
    sending.on('error', () => undefined);
    sending.write(Buffer.alloc(MAX_BYTES / 2));
    await expect.poll(async () => (await storedIn(deployment.filesFolder)).uploads).toHaveLength(1);
    sending.destroy();
    await expect.poll(async () => (await storedIn(deployment.filesFolder)).uploads).toHaveLength(0);
    expect((await manager.get(pathOf(other))).status).toBe(404);
  });
});
