// The content of staged files: uploads, downloads, ranges and digests.
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deploy, DIAGONAL, type Deployment } from '../../support/deployment.ts';
import { metadataOf, SECRET, testImages, type Images } from '../../support/images.ts';
import { problem } from '../../support/problems.ts';
import { API, caller, type Caller } from '../../support/callers.ts';
import { namedObjects, pathOf, prepare, stage, storedIn, sweep, upload } from '../../support/shop/files.ts';

const TEXT = Buffer.from('0123456789');
const hashOf = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

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

  describe('content', () => {
    it('is stored unchanged and sent as an attachment', async () => {
      const page = Buffer.from('<script>alert(1)</script>');
      const fields = { fileName: 'Größe "1".html', contentType: 'text/html; charset=utf-8' };
      const file = await prepare(manager, page.length, fields);
      const stored = await upload(manager, file, page, { 'content-type': 'image/png' });
      expect(stored.status).toBe(200);
      expect(stored.body).toEqual({
        ...file,
        tenantId: 'acme',
        contentType: fields.contentType,
        size: page.length,
        sha256: hashOf(page),
        receivedSize: page.length,
        receivedSha256: hashOf(page),
      });
      const response = await manager.get(pathOf(file));
      expect([response.status, response.text]).toEqual([200, page.toString()]);
      expect(Object.fromEntries(response.headers)).toMatchObject({
        'content-type': fields.contentType,
        'content-length': String(page.length),
        'content-disposition': `attachment; filename="Gr__e _1_.html"; filename*=UTF-8''Gr%C3%B6%C3%9Fe%20%221%22.html`,
        'x-content-type-options': 'nosniff',
        'content-security-policy': "default-src 'none'; sandbox",
        'cache-control': 'private, no-cache',
        'accept-ranges': 'bytes',
        etag: `"${hashOf(page)}"`,
      });
    });

    it.each(['', '///', 'text', 'multipart/form-data', 'application/json; charset=utf-16'])(
      'has the prepared media type, independent of the upload\'s: "%s"',
      async (contentType) => {
        const file = await prepare(manager, TEXT.length, { contentType: 'a/b' });
        const stored = await upload(manager, file, TEXT, { 'content-type': contentType });
        expect([stored.status, stored.body.contentType]).toEqual([200, 'a/b']);
      },
    );

    it('can be uploaded again until the file is attached, and replaces the earlier content', async () => {
      const file = await stage(manager, TEXT);
      const before = await namedObjects(deployment);
      expect((await upload(manager, file, Buffer.from('abcdefghij'))).status).toBe(200);
      expect((await manager.get(pathOf(file))).text).toBe('abcdefghij');
      const after = await namedObjects(deployment);
      expect(after.files).toHaveLength(before.files.length);
      expect(after.loose).toHaveLength(before.loose.length + 1);
      deployment.clock.advance(60_000);
      await sweep(deployment);
      expect((await storedIn(deployment.filesFolder)).objects).toEqual((await namedObjects(deployment)).files);
    });

    it('supports HEAD and If-None-Match', async () => {
      const file = await stage(manager, TEXT);
      const etag = `"${hashOf(TEXT)}"`;
      const head = await manager.send('HEAD', pathOf(file), null);
      expect([head.status, head.headers.get('content-length'), head.headers.get('etag'), head.text]).toEqual([
        200,
        '10',
        etag,
        '',
      ]);
      for (const tags of [etag, `W/${etag}`, `"${hashOf(TEXT)}-gzip"`, `"x", ${etag}`, '*']) {
        const response = await manager.get(pathOf(file), { 'if-none-match': tags });
        expect([response.status, response.text, response.headers.get('etag')]).toEqual([304, '', etag]);
      }
      expect((await manager.get(pathOf(file), { 'if-none-match': '"x"' })).status).toBe(200);
      const known = await manager.send('HEAD', pathOf(file), null, { 'if-none-match': etag });
      expect([known.status, known.headers.get('content-length'), known.headers.get('etag')]).toEqual([304, null, etag]);
    });

    // RFC 9110 section 13.2.2.
    it('is checked for If-None-Match before Range', async () => {
      const file = await stage(manager, TEXT);
      const etag = `"${hashOf(TEXT)}"`;
      const ask = async (range: string, tag: string) => {
        const response = await manager.get(pathOf(file), { range, 'if-none-match': tag });
        return [response.status, response.headers.get('content-range'), response.headers.get('etag')];
      };
      for (const range of ['bytes=0-1', 'bytes=10-', 'bytes=-0'])
        expect(await ask(range, etag)).toEqual([304, null, etag]);
      expect(await ask('bytes=0-1', '"x"')).toEqual([206, 'bytes 0-1/10', etag]);
      expect(await ask('bytes=10-', '"x"')).toEqual([416, 'bytes */10', null]);
    });

    it.each<[string, number, string, string | undefined]>([
      ['bytes=0-3', 206, '0123', 'bytes 0-3/10'],
      ['bytes=8-', 206, '89', 'bytes 8-9/10'],
      ['bytes=0-', 206, '0123456789', 'bytes 0-9/10'],
      ['bytes=9-99', 206, '9', 'bytes 9-9/10'],
      ['bytes=-3', 206, '789', 'bytes 7-9/10'],
      ['bytes=-99', 206, '0123456789', 'bytes 0-9/10'],
      ['BYTES=5-5', 206, '5', 'bytes 5-5/10'],
      ['bytes=3-99999999999999999999', 206, '3456789', 'bytes 3-9/10'],
      ['bytes=10-', 416, '', 'bytes */10'],
      ['bytes=99999999999999999999-', 416, '', 'bytes */10'],
      ['bytes=-0', 416, '', 'bytes */10'],
      ['bytes=5-2', 200, '0123456789', undefined],
      ['bytes=0-1,3-4', 200, '0123456789', undefined],
      ['bytes=a-b', 200, '0123456789', undefined],
      ['bytes=-', 200, '0123456789', undefined],
      ['pages=1-2', 200, '0123456789', undefined],
    ])('Range %s: returns %i', async (range, status, text, contentRange) => {
      const file = await stage(manager, TEXT);
      const response = await manager.get(pathOf(file), { range });
      expect([response.status, response.headers.get('content-range') ?? undefined]).toEqual([status, contentRange]);
      if (status === 416) expect(response).toEqual(problem(416, 'range-not-satisfiable', API + pathOf(file)));
      else expect([response.text, response.headers.get('content-length')]).toEqual([text, String(text.length)]);
    });

    it('is sent as a range only if If-Range matches', async () => {
      const file = await stage(manager, TEXT);
      const ask = (condition: string) => manager.get(pathOf(file), { range: 'bytes=0-1', 'if-range': condition });
      expect((await ask(`"${hashOf(TEXT)}"`)).status).toBe(206);
      for (const other of [
        `W/"${hashOf(TEXT)}"`,
        `"${hashOf(TEXT)}-gzip"`,
        `"${hashOf(Buffer.from('x'))}"`,
        '"x"',
        new Date(deployment.clock.now()).toUTCString(),
      ])
        expect(await ask(other)).toMatchObject({ status: 200, text: '0123456789' });
    });

    it.each(['png', 'jpeg', 'webp', 'gif'] as const)('of a %s is the image without metadata, upright', async (type) => {
      const bytes = images[type];
      expect(bytes.includes(SECRET)).toBe(true);
      // What it is, the bytes tell, not what was said.
      const file = await prepare(manager, bytes.length, { fileName: 'x.html', contentType: 'text/html' });
      const stored = await upload(manager, file, bytes);
      expect(stored.body).toMatchObject({
        contentType: `image/${type}`,
        sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
        receivedSize: bytes.length,
        receivedSha256: hashOf(bytes),
      });
      expect(stored.body.sha256).not.toBe(hashOf(bytes));
      const response = await manager.get(pathOf(file));
      expect(response.headers.get('content-type')).toBe(`image/${type}`);
      expect(response.headers.get('content-disposition')).toMatch(/^inline; /);
      const served = await manager.bytes(pathOf(file));
      expect([served.length, hashOf(served)]).toEqual([stored.body.size, stored.body.sha256]);
      expect(served.includes('Secret')).toBe(false);
      const { width, height, exif, xmp, icc, iptc, orientation, comments, pages } = await metadataOf(served);
      expect({ exif, xmp, icc, iptc, orientation, comments }).toEqual({});
      expect([width, height, pages]).toEqual(
        { png: [40, 30, undefined], webp: [40, 30, undefined], jpeg: [30, 40, undefined], gif: [40, 90, 3] }[type],
      );
    });
  });

  describe('a Content-Digest', () => {
    const digest = (bytes: Buffer, algorithm = 'sha-256') =>
      `${algorithm}=:${createHash(algorithm.replace('-', '')).update(bytes).digest('base64')}:`;
    const OTHER = Buffer.from('9876543210');

    it.each<[string, string]>([
      ['of SHA-256', digest(TEXT)],
      ['of SHA-512', digest(TEXT, 'sha-512')],
      ['of both, and another', `${digest(TEXT)}, ${digest(TEXT, 'sha-512')};q=1, md5=:YWI=:`],
      ['of nothing that is known', 'md5=:YWI=:'],
    ])('%s is accepted', async (_what, header) => {
      const file = await prepare(manager, TEXT.length);
      expect((await upload(manager, file, TEXT, { 'content-digest': header })).status).toBe(200);
    });

    it('is compared with the image as sent', async () => {
      const bytes = images.jpeg;
      const file = await prepare(manager, bytes.length, { contentType: 'image/jpeg' });
      const stored = await upload(manager, file, bytes, { 'content-digest': digest(bytes) });
      expect(stored.status).toBe(200);
      const served = await manager.bytes(pathOf(file));
      const again = await upload(manager, file, bytes, { 'content-digest': digest(served) });
      expect([again.status, (await manager.bytes(pathOf(file))).equals(served)]).toEqual([400, true]);
    });

    it.each<[string, string, Record<string, unknown>]>([
      ['of other bytes', digest(OTHER), { algorithm: 'sha-256' }],
      ['of other bytes by SHA-512', digest(OTHER, 'sha-512'), { algorithm: 'sha-512' }],
      ['of which one is wrong', `${digest(TEXT)}, ${digest(OTHER, 'sha-512')}`, { algorithm: 'sha-512' }],
      ['that is cut short', digest(TEXT).replace(/.{8}:$/, ':'), { algorithm: 'sha-256' }],
      ['that cannot be read', hashOf(TEXT), {}],
      ['without colons', digest(TEXT).replaceAll(':', ''), {}],
    ])('%s is rejected, and an earlier upload is kept', async (_what, header, params) => {
      const file = await stage(manager, OTHER);
      const before = await storedIn(deployment.filesFolder);
      const response = await upload(manager, file, TEXT, { 'content-digest': header });
      expect(response).toEqual(problem(400, 'validation-error', API + pathOf(file)));
      expect(response.body.violations).toEqual([
        { message: expect.any(String), format: 'content-digest', props: ['Content-Digest'], params },
      ]);
      expect((await manager.get(pathOf(file))).text).toBe(OTHER.toString());
      await expect.poll(() => storedIn(deployment.filesFolder)).toEqual(before);
    });

    it('is checked after the file', async () => {
      const file = { ...(await prepare(manager, TEXT.length)), uuid: '01890000-0000-7000-8000-000000000000' };
      expect((await upload(manager, file, TEXT, { 'content-digest': 'x' })).status).toBe(404);
    });
  });
});
