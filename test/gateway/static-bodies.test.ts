// Bodies that never change: encodings, ETags, HEAD, and one body for all responses.
import { createHash } from 'node:crypto';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createStaticBody, keepLatestBody } from '../../gateway/http/static-body.ts';
import { gateway, type GatewayUnderTest } from './gateway.ts';

let under: GatewayUnderTest;

beforeAll(async () => {
  under = await gateway({}, undefined, { management: 'http://127.0.0.1:9090', demo: undefined });
});
afterAll(() => under.app.close());

const get = (url: string, headers: Record<string, string> = {}, method: 'GET' | 'HEAD' = 'GET') =>
  under.app.inject({ method, url, headers: { host: 'shop.test', ...headers } });

const LARGE = ['/openapi.json', '/', '/demo', '/demo/files/src/session.ts'];
const SMALL = ['/docs', '/docs/listUsers', '/demo/config.json', '/.well-known/jwks.json'];

describe.each(LARGE)('%s', (url) => {
  it.each([
    ['gzip, deflate, br', 'br', brotliDecompressSync],
    ['gzip', 'gzip', gunzipSync],
    ['br;q=0.5, gzip', 'gzip', gunzipSync],
    ['gzip;q=0, br;q=0', undefined, (bytes: Buffer) => bytes],
    ['deflate', undefined, (bytes: Buffer) => bytes],
  ])('Accept-Encoding: %s returns the encoding %s', async (accepted, encoding, decode) => {
    const plain = await get(url);
    const encoded = await get(url, { 'accept-encoding': accepted });
    expect(encoded.statusCode).toBe(200);
    expect(encoded.headers['content-encoding']).toBe(encoding);
    expect(encoded.headers.vary).toBe('Origin, Accept-Encoding');
    expect(encoded.headers['content-length']).toBe(String(encoded.rawPayload.length));
    expect(decode(encoded.rawPayload).equals(plain.rawPayload)).toBe(true);
    expect(encoded.headers.etag === plain.headers.etag).toBe(encoding === undefined);
  });
});

describe.each([...LARGE, ...SMALL])('%s', (url) => {
  it('returns 304 for its ETag, with the headers of the 200 that caches need', async () => {
    const { headers, statusCode } = await get(url);
    expect(statusCode).toBe(200);
    expect(headers.etag).toMatch(/^"[\w-]{22}"$/);
    for (const known of [headers.etag!, `W/${headers.etag}`, '*', `"x", ${headers.etag}`]) {
      const response = await get(url, { 'if-none-match': known });
      expect([response.statusCode, response.body]).toEqual([304, '']);
      for (const name of ['etag', 'cache-control', 'vary']) expect(response.headers[name]).toBe(headers[name]);
      expect(response.headers).not.toHaveProperty('content-encoding');
    }
    expect((await get(url, { 'if-none-match': '"other"' })).statusCode).toBe(200);
  });

  it('returns the headers of GET for HEAD', async () => {
    for (const accepted of ['identity', 'br']) {
      const {
        date: _date,
        'x-request-id': _id,
        ...expected
      } = (await get(url, { 'accept-encoding': accepted })).headers;
      const response = await get(url, { 'accept-encoding': accepted }, 'HEAD');
      expect([response.statusCode, response.body]).toEqual([200, '']);
      expect(response.headers).toMatchObject(expected);
    }
  });
});

it('the ETag of one encoding is not that of another', async () => {
  const { headers } = await get('/openapi.json', { 'accept-encoding': 'gzip' });
  expect((await get('/openapi.json', { 'if-none-match': headers.etag as string })).statusCode).toBe(200);
});

it('returns the new key set after a rotation', async () => {
  const rpc = 'authservice.key.v1.KeyService/GetJsonWebKeySet';
  const first = await get('/.well-known/jwks.json');
  under.core.respond(rpc, { json: '{"keys":[{"kty":"OKP","kid":"k2"}]}' });
  const second = await get('/.well-known/jwks.json', { 'if-none-match': first.headers.etag as string });
  expect([second.statusCode, second.json()]).toEqual([200, { keys: [{ kty: 'OKP', kid: 'k2' }] }]);
  under.core.reset();
});

it('unknown paths below the pages are 404', async () => {
  for (const url of ['/docs/static/missing.js', '/docs/api/v1/auth/me', '/demo/files/', '/demo/files/src'])
    expect((await get(url)).statusCode, url).toBe(404);
});

it('keeps only encodings that are smaller', async () => {
  const noise = Buffer.concat(
    Array.from({ length: 128 }, (_, index) => createHash('sha256').update(String(index)).digest()),
  );
  const { representations } = await createStaticBody(noise, 'image/png', { 'cache-control': 'no-cache' });
  expect([...representations.keys()]).toEqual(['identity']);
  const { representations: small } = await createStaticBody('a'.repeat(100), 'text/plain', { 'cache-control': 'x' });
  expect([...small.keys()]).toEqual(['identity']);
});

it('creates the body of a key again after a failure', async () => {
  let isBroken = true;
  const bodyOf = keepLatestBody(async (key) => {
    if (isBroken) throw new Error('broken');
    return createStaticBody(key, 'text/plain', { 'cache-control': 'no-cache' });
  });
  await expect(bodyOf('a')).rejects.toThrow('broken');
  isBroken = false;
  expect((await bodyOf('a')).type).toBe('text/plain');
});

it('creates the body of a key once', async () => {
  const created: string[] = [];
  const bodyOf = keepLatestBody((key) => {
    created.push(key);
    return createStaticBody(key, 'text/plain', { 'cache-control': 'no-cache' });
  });
  const [one, two] = await Promise.all([bodyOf('a'), bodyOf('a')]);
  expect(one).toBe(two);
  await bodyOf('b');
  expect(created).toEqual(['a', 'b']);
});
