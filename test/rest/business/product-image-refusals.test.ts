// Forms that POST /products/upload-image refuses, and the order of its checks.
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../../src/platform/db/ids.ts';
import { deploy, ON_SQLITE, type Deployment } from '../../support/deployment.ts';
import { testImages, type Images } from '../../support/images.ts';
import { problem } from '../../support/problems.ts';
import { exchangeRaw, rawRequest } from '../../support/raw-http.ts';
import { API, caller, callerWith, faults, type Caller } from '../../support/callers.ts';
import { transportOf, sendForm, storedIn } from '../../support/shop/files.ts';
import { addProduct } from '../../support/shop/products.ts';

const FORM = '/products/upload-image';
const digestOf = (bytes: Buffer, algorithm: string) =>
  `${algorithm}=:${createHash(algorithm.replace('-', '')).update(bytes).digest('base64')}:`;
const MAX_BYTES = 20_000;

describe.each(ON_SQLITE)('$engine over $transport', (kind) => {
  let deployment: Deployment;
  let manager: Caller;
  let images: Images;

  beforeAll(async () => {
    images = await testImages();
    deployment = await deploy({ ...kind, settings: { 'app.files.max-bytes': String(MAX_BYTES) } });
    manager = await caller(deployment);
  });
  afterAll(() => deployment?.close());

  const show = async ({ id }: { id: string }) => (await manager.get(`/products/${id}`)).body;

  describe('rejected images', () => {
    type Parts = Parameters<typeof sendForm>[1];

    it.each<[string, (images: Images) => Parts, number, string[]]>([
      ['no part', () => [], 400, ['file']],
      ['no file', () => [['productId', newId()]], 400, ['file']],
      ['a file that is a field', () => [['file', 'text']], 400, ['file']],
      [
        'two files',
        ({ png }) => [
          ['file', png],
          ['file', png],
        ],
        400,
        ['file'],
      ],
      [
        'three files',
        ({ png }) => [
          ['file', png],
          ['file', png],
          ['file', png],
        ],
        400,
        ['file'],
      ],
      [
        'another file',
        ({ png }) => [
          ['file', png],
          ['photo', png],
        ],
        400,
        ['photo'],
      ],
      [
        'an unknown field',
        ({ png }) => [
          ['title', 'x'],
          ['file', png],
        ],
        400,
        ['title'],
      ],
      [
        'an unknown field behind',
        ({ png }) => [
          ['file', png],
          ['title', 'x'],
        ],
        400,
        ['title'],
      ],
      [
        'many fields',
        ({ png }) => [...Array.from({ length: 50 }, () => ['productId', 'x'] as const), ['file', png]],
        400,
        ['productId'],
      ],
      [
        'two tenants',
        ({ png }) => [
          ['file', png],
          ['tenantId', 'acme'],
          ['tenantId', 'acme'],
        ],
        400,
        ['tenantId'],
      ],
      [
        'two products',
        ({ png }) => [
          ['productId', 'a'],
          ['productId', 'b'],
          ['file', png],
        ],
        400,
        ['productId'],
      ],
      [
        'an invalid product id',
        ({ png }) => [
          ['file', png],
          ['productId', newId()],
        ],
        400,
        ['productId'],
      ],
      [
        'a product that is no id',
        ({ png }) => [
          ['productId', '../1'],
          ['file', png],
        ],
        400,
        ['productId'],
      ],
      [
        'an empty product',
        ({ png }) => [
          ['productId', ''],
          ['file', png],
        ],
        400,
        ['productId'],
      ],
      [
        'an endless product',
        ({ png }) => [
          ['productId', 'x'.repeat(9_000)],
          ['file', png],
        ],
        400,
        ['productId'],
      ],
      [
        'a prototype',
        ({ png }) => [
          ['__proto__', 'x'],
          ['file', png],
        ],
        400,
        [],
      ],
      [
        'a huge name of a field',
        ({ png }) => [
          ['x'.repeat(20_000), 'x'],
          ['file', png],
        ],
        400,
        ['x'.repeat(100)],
      ],
      ['a huge name of a file', ({ png }) => [['file', png, 'x'.repeat(256)]], 400, ['fileName']],
      ['HTML', () => [['file', Buffer.from('<html></html>'), 'rose.png']], 415, []],
      ['an empty file', () => [['file', Buffer.alloc(0), 'rose.png']], 415, []],
      ['half an image', ({ png }) => [['file', png.subarray(0, 80)]], 400, ['content']],
      ['too large an image', ({ png }) => [['file', Buffer.concat([png, Buffer.alloc(MAX_BYTES)])]], 413, []],
      ['far too large an image', ({ png }) => [['file', Buffer.concat([png, Buffer.alloc(200_000)])]], 413, []],
    ])('are rejected with %s, and nothing is stored', async (_what, parts, status, fields) => {
      // An upload of a request before this one may still be on its way out.
      const before = { ...(await storedIn(deployment.filesFolder)), uploads: [] };
      const response = await sendForm(manager, parts(images));
      expect([response.status, faults(response)]).toEqual([status, fields]);
      expect(response.body.instance).toBe(API + FORM);
      for (const violation of response.body.violations ?? []) expect(violation.params).toEqual(expect.any(Object));
      await expect.poll(() => storedIn(deployment.filesFolder)).toEqual(before);
    });

    it('are checked after the credential and the role', async () => {
      const nobody = callerWith(deployment.url, manager.account, {});
      const florist = await caller(deployment, { roles: ['FLORIST'] });
      const forms: Parts[] = [[['file', images.png]], [['title', 'x']], []];
      for (const parts of forms) {
        const responses = [await sendForm(nobody, parts), await sendForm(florist, parts)];
        expect(responses.map(({ status }) => status)).toEqual([401, 403]);
      }
    });

    it.each<[string, Record<string, string>, string, number]>([
      ['JSON', { 'content-type': 'application/json' }, '{}', 415],
      ['a form of another kind', { 'content-type': 'application/x-www-form-urlencoded' }, 'file=x', 415],
      ['no boundary', { 'content-type': 'multipart/form-data' }, '--x--', 400],
      ['another boundary', { 'content-type': 'multipart/form-data; boundary=a' }, '--b\r\n\r\n', 400],
      [
        'half a form',
        { 'content-type': 'multipart/form-data; boundary=a' },
        '--a\r\nContent-Disposition: form-da',
        400,
      ],
      [
        'half a file',
        { 'content-type': 'multipart/form-data; boundary=a' },
        '--a\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n\x89PNG\r\n\x1a\n0123456789',
        400,
      ],
      ['nothing at all', {}, '', 400],
    ])('cannot be %s', async (_what, headers, body, status) => {
      const before = { ...(await storedIn(deployment.filesFolder)), uploads: [] };
      const response = await manager.send('POST', FORM, Buffer.from(body, 'latin1'), headers);
      expect(response).toEqual(
        problem(status, status === 415 ? 'unsupported-media-type' : 'validation-error', API + FORM),
      );
      await expect.poll(() => storedIn(deployment.filesFolder)).toEqual(before);
    });

    it.each<[string, (form: Buffer) => string, number]>([
      ['the whole form', (form) => digestOf(form, 'sha-512'), 201],
      ['the image alone', () => digestOf(images.png, 'sha-256'), 400],
      ['an invalid header', () => 'sha-256', 400],
    ])('are stored only if the Content-Digest of %s matches', async (_what, digest, status) => {
      const { id } = await addProduct(manager);
      const before = { ...(await storedIn(deployment.filesFolder)), uploads: [] };
      const body = new Response(
        transportOf([
          ['productId', id],
          ['file', images.png],
        ]),
      );
      const type = body.headers.get('content-type')!;
      const form = Buffer.from(await body.arrayBuffer());
      const headers = { 'content-type': type, 'content-digest': digest(form) };
      const response = await manager.send('POST', FORM, form, headers);
      expect([response.status, (await show({ id })).images.length]).toEqual([status, status === 201 ? 1 : 0]);
      if (status === 201) return;
      expect(response.body.violations).toMatchObject([{ format: 'content-digest', props: ['Content-Digest'] }]);
      await expect.poll(() => storedIn(deployment.filesFolder)).toEqual(before);
    });

    it('are rejected at the first surplus part of an endless form', async () => {
      const head = rawRequest(`POST ${API}${FORM} HTTP/1.1`, [
        `Authorization: ${manager.headers['authorization']}`,
        'Content-Type: multipart/form-data; boundary=a',
        'Transfer-Encoding: chunked',
      ]);
      const part = '--a\r\nContent-Disposition: form-data; name="x"\r\n\r\n1\r\n'.repeat(100);
      const chunk = `${part.length.toString(16)}\r\n${part}\r\n`;
      const [response] = await exchangeRaw(deployment.url, Buffer.concat([head, Buffer.from(chunk.repeat(20))]), {
        responses: 1,
      });
      expect([response?.status, response?.body.violations?.[0].props]).toEqual([400, ['x']]);
    });
  });
});
