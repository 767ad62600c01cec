// The images of products: staged and then named by a body, or uploaded in one go.
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../../src/db/ids.ts';
import { deploy, DEPLOYMENTS, type Deployment } from '../../support/deployment.ts';
import { testImages, type Images } from '../../support/images.ts';
import { problem } from '../../support/problems.ts';
import { exchangeRaw, rawRequest } from '../../support/raw-http.ts';
import { API, caller, callerWith, comparable, etagOf, faults, type Caller } from '../../support/callers.ts';
import {
  transportOf,
  namedObjects,
  pathOf,
  prepare,
  sendForm,
  stage,
  storedIn,
  sweep,
  type FileName,
} from '../../support/shop/files.ts';
import { addProduct, newProduct } from '../../support/shop/products.ts';

const FORM = '/products/upload-image';
const hashOf = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
const digestOf = (bytes: Buffer, algorithm: string) =>
  `${algorithm}=:${createHash(algorithm.replace('-', '')).update(bytes).digest('base64')}:`;
const MAX_BYTES = 20_000;

describe.each(DEPLOYMENTS)('$engine over $transport', (kind) => {
  let deployment: Deployment;
  let manager: Caller;
  let stranger: Caller;
  let images: Images;

  beforeAll(async () => {
    images = await testImages();
    deployment = await deploy({ ...kind, settings: { 'app.files.max-bytes': String(MAX_BYTES) } });
    manager = await caller(deployment);
    stranger = await caller(deployment, { tenantId: 'other', roles: ['ADMIN'] });
  });
  afterAll(() => deployment?.close());

  const stagePng = () => stage(manager, images.png, { contentType: 'image/png' });
  const stageGif = () => stage(manager, images.gif, { contentType: 'image/gif' });
  const show = async ({ id }: { id: string }) => (await manager.get(`/products/${id}`)).body;

  describe('named by a body', () => {
    it('become images of a new product, in the order given, and are no staged files any more', async () => {
      const files = [await stageGif(), await stagePng()];
      const product = await addProduct(manager, { images: files });
      const url = `${API}/products/${product.id}/images`;
      expect(product.images).toEqual([
        { index: 0, url: `${url}/0`, contentType: 'image/gif', size: expect.any(Number) },
        { index: 1, url: `${url}/1`, contentType: 'image/png', size: expect.any(Number) },
      ]);
      expect(await show(product)).toEqual(product);
      const listed = (await manager.get('/products?perPage=100')).body.find(({ id }: any) => id === product.id);
      expect(listed).toEqual(product);
      for (const file of files) expect((await manager.get(pathOf(file))).status).toBe(404);

      const answer = await manager.get(`/products/${product.id}/images/1`);
      expect([answer.status, answer.headers.get('content-type'), answer.headers.get('content-length')]).toEqual([
        200,
        'image/png',
        String(product.images[1].size),
      ]);
      const etag = etagOf(answer)!;
      expect((await manager.get(`/products/${product.id}/images/1`, { 'if-none-match': etag })).status).toBe(304);
      const part = await manager.get(`/products/${product.id}/images/1`, { range: 'bytes=0-7', 'if-range': etag });
      expect([part.status, part.headers.get('content-length')]).toEqual([206, '8']);
      // Who may read products may see them, but not change them.
      const reader = await caller(deployment, { roles: ['TENANT_USER'] });
      expect((await reader.get(`/products/${product.id}/images/0`)).status).toBe(200);
      const carrier = await caller(deployment, { roles: ['DELIVERY'] });
      expect((await carrier.get(`/products/${product.id}/images/0`)).status).toBe(403);
    });

    it('replace those of a product; what they replace, and what a deletion leaves, is freed', async () => {
      const product = await addProduct(manager, { images: [await stagePng(), await stagePng()] });
      const changed = await manager.patch(`/products/${product.id}`, { images: [await stageGif()] });
      expect(changed.body.images).toMatchObject([{ index: 0, contentType: 'image/gif' }]);
      expect(etagOf(changed)).toBe('"2"');
      expect((await manager.get(`/products/${product.id}/images/1`)).status).toBe(404);
      const put = await manager.put(`/products/${product.id}`, newProduct({ images: [] }));
      expect([put.status, put.body.images.length]).toEqual([200, 1]);
      const other = await addProduct(manager, { images: [await stagePng()] });
      expect((await manager.patch(`/products/${product.id}`, { images: null })).body.images).toEqual([]);
      expect((await manager.delete(`/products/${other.id}`)).status).toBe(204);
      expect((await manager.get(`/products/${other.id}/images/0`)).status).toBe(404);
      expect((await namedObjects(deployment)).loose).toHaveLength(4);

      deployment.clock.advance(60_000);
      await sweep(deployment);
      const { files, loose } = await namedObjects(deployment);
      expect(loose).toEqual([]);
      expect((await storedIn(deployment.filesFolder)).objects).toEqual(files);
    });

    it('stay where they are when a change fails, and stay staged', async () => {
      const product = await addProduct(manager, { images: [await stagePng()] });
      const file = await stageGif();
      const body = { images: [file], sku: 'taken' };
      await addProduct(manager, { sku: 'taken' });
      expect((await manager.patch(`/products/${product.id}`, body)).status).toBe(409);
      expect((await manager.patch(`/products/${product.id}`, body, { 'if-match': '"7"' })).status).toBe(412);
      expect(await show(product)).toEqual(product);
      expect((await manager.get(pathOf(file))).status).toBe(200);
    });

    it('must be staged images, each named once: whatever else is one and the same violation', async () => {
      const good = await stagePng();
      const bad: Record<string, FileName> = {
        unknown: { date: good.date, uuid: newId() },
        'of another day': { date: '2020-01-01', uuid: good.uuid },
        'no name at all': { date: '..', uuid: '../../etc' },
        "another tenant's": await stage(stranger, images.png, { contentType: 'image/png' }),
        'no image': await stage(manager, Buffer.from('text')),
        'never uploaded': await prepare(manager, 5, { contentType: 'image/png' }),
        attached: await stagePng().then(async (file) => {
          await addProduct(manager, { images: [file] });
          return file;
        }),
        'named twice': good,
      };
      const product = await addProduct(manager);
      for (const [what, file] of Object.entries(bad)) {
        const body = { images: [good, file] };
        const answers = [
          await manager.post('/products', newProduct(body)),
          await manager.patch(`/products/${product.id}`, body),
        ];
        for (const answer of answers) {
          expect([what, answer.status, answer.body.violations]).toEqual([
            what,
            400,
            [{ message: 'names no record', format: 'reference', props: ['images', '1'] }],
          ]);
        }
      }
      expect(faults(await manager.post('/products', newProduct({ images: Array(21).fill(good) })))).toEqual(['images']);
      expect((await manager.get(pathOf(good))).status).toBe(200);
    });

    it('go to one of two that want them at once', async () => {
      const files = [await stagePng(), await stagePng()];
      const bodies = [files, files.toReversed(), files, files.toReversed()].map((named) =>
        newProduct({ images: named }),
      );
      const answers = await Promise.all(bodies.map((body) => manager.post('/products', body)));
      expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 400, 400, 400]);
    });
  });

  describe('that are not there', () => {
    it('are told alike, to the byte', async () => {
      const product = await addProduct(manager, { images: [await stagePng()] });
      const expected = comparable(await manager.get(`/products/${newId()}/images/0`));
      expect(expected).toMatchObject({ status: 404 });
      expect(comparable(await stranger.get(`/products/${product.id}/images/0`))).toEqual(expected);
      for (const index of ['1', '20', '-1', '00', '0.0', '1e0', '%30%00', 'x', '..%2f0', '9'.repeat(400)])
        expect(comparable(await manager.get(`/products/${product.id}/images/${index}`))).toEqual(expected);
      expect((await manager.get(`/products/${product.id}/images/%30`)).status).toBe(200);
    });
  });

  describe('uploaded in one go', () => {
    type Parts = Parameters<typeof sendForm>[1];

    it.each(['before', 'behind'])('become images of the product that is named %s the file', async (where) => {
      const product = await addProduct(manager, { images: [await stagePng()] });
      const parts = [['productId', product.id] as const, ['file', images.jpeg, 'rose.txt'] as const];
      const answer = await sendForm(manager, where === 'before' ? parts : parts.toReversed());
      const url = `${API}/products/${product.id}/images/1`;
      expect(answer.status).toBe(201);
      expect(answer.body).toEqual({
        date: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
        uuid: expect.any(String),
        tenantId: 'acme',
        url,
        contentType: 'image/jpeg',
        size: expect.any(Number),
        sha256: etagOf(answer)!.slice(1, -1),
        receivedSize: images.jpeg.length,
        receivedSha256: hashOf(images.jpeg),
        index: 1,
      });
      expect(answer.headers.get('location')).toBe(url);
      const shown = await manager.get(`/products/${product.id}/images/1`);
      expect([shown.status, shown.headers.get('content-disposition')]).toEqual([200, 'inline; filename="rose.txt"']);
      expect(etagOf(answer)).toBe(etagOf(shown));
      expect((await manager.get(pathOf(answer.body))).status).toBe(404);
      const { images: list, updatedAt } = await show(product);
      expect([list.length, updatedAt]).toEqual([2, new Date(deployment.clock.now()).toISOString()]);
      expect(etagOf(await manager.get(`/products/${product.id}`))).toBe('"2"');
    });

    it('are staged files without a product', async () => {
      const answer = await sendForm(manager, [['file', images.webp, 'C:\\photos\\rose.webp']]);
      expect(answer.body).toEqual({
        date: expect.any(String),
        uuid: expect.any(String),
        tenantId: 'acme',
        url: API + pathOf(answer.body),
        contentType: 'image/webp',
        size: expect.any(Number),
        sha256: etagOf(answer)!.slice(1, -1),
        receivedSize: images.webp.length,
        receivedSha256: hashOf(images.webp),
      });
      const file = await manager.get(pathOf(answer.body));
      expect(file.headers.get('content-disposition')).toBe('inline; filename="rose.webp"');
      const { date, uuid } = answer.body;
      const product = await addProduct(manager, { images: [{ date, uuid }] });
      expect(product.images).toHaveLength(1);
    });

    it.each(['before', 'behind'])('may name the own tenant %s the file', async (where) => {
      const product = await addProduct(manager);
      const file = ['file', images.png] as const;
      const names = [['tenantId', 'acme'] as const, ['productId', product.id] as const];
      const answer = await sendForm(manager, where === 'before' ? [...names, file] : [file, ...names]);
      expect([answer.status, answer.body.index]).toEqual([201, 0]);
    });

    it.each(['other', 'nowhere', '', 'x'.repeat(9_000)])('may name no other tenant: "%.10s"', async (tenantId) => {
      const before = { ...(await storedIn(deployment.filesFolder)), uploads: [] };
      const file = ['file', images.png] as const;
      const name = ['tenantId', tenantId] as const;
      for (const parts of [
        [name, file],
        [file, name],
      ])
        expect(await sendForm(manager, parts)).toEqual(problem(403, 'tenant-mismatch', API + FORM));
      await expect.poll(() => storedIn(deployment.filesFolder)).toEqual(before);
    });

    it('tell the parameters of the rule that is broken', async () => {
      const file = ['file', images.png] as const;
      const violationOf = async (...parts: Parts) => (await sendForm(manager, parts)).body.violations[0];
      expect(await violationOf()).toMatchObject({ format: 'required', params: { missingProperty: 'file' } });
      expect(await violationOf(['productId', newId()])).toMatchObject({ params: { missingProperty: 'file' } });
      expect(await violationOf(file, ['title', 'x'])).toMatchObject({ params: { additionalProperty: 'title' } });
      expect(await violationOf(file, file)).toMatchObject({ format: 'form', params: { maximum: 1 } });
      expect(await violationOf(file, ['productId', newId()])).toEqual({
        message: 'names no record',
        format: 'reference',
        props: ['productId'],
        params: { record: 'product' },
      });
      const half = images.png.subarray(0, 80);
      expect(await violationOf(['file', half])).toMatchObject({ params: { contentType: 'image/png' } });
    });

    it('number 20 at most', async () => {
      const staged: FileName[] = [];
      while (staged.length < 19) staged.push(await stagePng());
      const product = await addProduct(manager, { images: staged });
      const answers = await Promise.all(
        Array.from({ length: 3 }, () =>
          sendForm(manager, [
            ['file', images.png],
            ['productId', product.id],
          ]),
        ),
      );
      expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 400, 400]);
      const refused = answers.find(({ status }) => status === 400)!;
      expect(refused.body.violations).toEqual([
        { message: 'has 20 images', format: 'maxItems', props: ['productId'], params: { limit: 20 } },
      ]);
      expect((await show(product)).images).toHaveLength(20);
    });

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
        'a product that is none',
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
    ])('are refused with %s, and nothing is kept', async (_what, parts, status, fields) => {
      // An upload of a request before this one may still be on its way out.
      const before = { ...(await storedIn(deployment.filesFolder)), uploads: [] };
      const answer = await sendForm(manager, parts(images));
      expect([answer.status, faults(answer)]).toEqual([status, fields]);
      expect(answer.body.instance).toBe(API + FORM);
      for (const violation of answer.body.violations ?? []) expect(violation.params).toEqual(expect.any(Object));
      await expect.poll(() => storedIn(deployment.filesFolder)).toEqual(before);
    });

    it('are judged by credential and role first', async () => {
      const nobody = callerWith(deployment.url, manager.account, {});
      const florist = await caller(deployment, { roles: ['FLORIST'] });
      const forms: Parts[] = [[['file', images.png]], [['title', 'x']], []];
      for (const parts of forms) {
        const answers = [await sendForm(nobody, parts), await sendForm(florist, parts)];
        expect(answers.map(({ status }) => status)).toEqual([401, 403]);
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
    ])('are no %s', async (_what, headers, body, status) => {
      const before = { ...(await storedIn(deployment.filesFolder)), uploads: [] };
      const answer = await manager.send('POST', FORM, Buffer.from(body, 'latin1'), headers);
      expect(answer).toEqual(
        problem(status, status === 415 ? 'unsupported-media-type' : 'validation-error', API + FORM),
      );
      await expect.poll(() => storedIn(deployment.filesFolder)).toEqual(before);
    });

    it.each<[string, (form: Buffer) => string, number]>([
      ['the whole form', (form) => digestOf(form, 'sha-512'), 201],
      ['the image alone', () => digestOf(images.png, 'sha-256'), 400],
      ['what cannot be read', () => 'sha-256', 400],
    ])('are kept with a Content-Digest of %s, or nothing of them is', async (_what, digest, status) => {
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
      const answer = await manager.send('POST', FORM, form, headers);
      expect([answer.status, (await show({ id })).images.length]).toEqual([status, status === 201 ? 1 : 0]);
      if (status === 201) return;
      expect(answer.body.violations).toMatchObject([{ format: 'content-digest', props: ['Content-Digest'] }]);
      await expect.poll(() => storedIn(deployment.filesFolder)).toEqual(before);
    });

    it('end with the first part too many of an endless form', async () => {
      const head = rawRequest(`POST ${API}${FORM} HTTP/1.1`, [
        `Authorization: ${manager.headers['authorization']}`,
        'Content-Type: multipart/form-data; boundary=a',
        'Transfer-Encoding: chunked',
      ]);
      const part = '--a\r\nContent-Disposition: form-data; name="x"\r\n\r\n1\r\n'.repeat(100);
      const chunk = `${part.length.toString(16)}\r\n${part}\r\n`;
      const [answer] = await exchangeRaw(deployment.url, Buffer.concat([head, Buffer.from(chunk.repeat(20))]), {
        answers: 1,
      });
      expect([answer?.status, answer?.body.violations?.[0].props]).toEqual([400, ['x']]);
    });
  });
});
