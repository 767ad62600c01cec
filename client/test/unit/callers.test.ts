// Machine clients, API keys, targets, errors and operations over a made-up service.
import { afterEach, describe, expect, it, vi } from 'vitest';
import { readError } from '../../src/api-error.ts';
import { createAnonymousCaller, createApiKeyCaller, createMachineClient, items, pages } from '../../src/index.ts';
import * as api from '../../src/operations.ts';
import { accessToken, fakeFetch, json, turnsUntil, type Sent } from './helpers.ts';

const NOW = Date.UTC(2026, 0, 1);
const BASE = 'https://service.test';

afterEach(() => void vi.useRealTimers());

describe('a machine client', () => {
  const SECRET = 'sécret:+ %';
  function client(authentication?: 'basic' | 'form' | 'json', expiresIn = 300) {
    let status = 200;
    let issued = 0;
    let held = Promise.resolve();
    const { fetch, sent } = fakeFetch(async ({ path }) => {
      if (!path.endsWith('/token')) return json([], status);
      await held;
      issued += 1;
      return json({ access_token: accessToken(), token_type: 'Bearer', expires_in: expiresIn });
    });
    const options = { baseUrl: BASE, clientId: 'acme:sync', clientSecret: SECRET, fetch };
    const caller = createMachineClient({ ...options, ...(authentication && { authentication }) });
    /** Holds the responses with tokens until the returned function is called. */
    const hold = () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      held = promise;
      return resolve;
    };
    const tokens = () => sent.filter(({ path }) => path.endsWith('/token'));
    return { caller, sent, tokens, issued: () => issued, respondWith: (next: number) => void (status = next), hold };
  }

  it('fetches one token for many calls at once', async () => {
    const { caller, tokens, hold } = client();
    const release = hold();
    const calls = Array.from({ length: 20 }, () => caller.fetch('/api/v1/products'));
    await turnsUntil(() => tokens().length > 0);
    release();
    await Promise.all(calls);
    await caller.fetch('/api/v1/products');
    expect(tokens()).toHaveLength(1);
  });

  it.each(['basic', 'form', 'json'] as const)('authenticates by %s', async (authentication) => {
    const { caller, tokens } = client(authentication);
    await caller.fetch('/api/v1/products');
    const { headers, init } = tokens()[0]!;
    const credentials = { grant_type: 'client_credentials', client_id: 'acme:sync', client_secret: SECRET };
    const basic = `Basic ${btoa('acme%3Async:s%C3%A9cret%3A%2B+%25')}`;
    const expected = {
      basic: [basic, new URLSearchParams({ grant_type: 'client_credentials' })],
      form: [null, new URLSearchParams(credentials)],
      json: [null, JSON.stringify(credentials)],
    }[authentication];
    expect([headers.get('authorization'), init.body]).toEqual(expected);
  });

  it('fetches the next token in the background when a fifth of the lifetime is left', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: NOW });
    const { caller, tokens, issued, hold } = client('form', 100);
    await caller.fetch('/api/v1/products');
    vi.setSystemTime(NOW + 85_000);
    const release = hold();
    await caller.fetch('/api/v1/products');
    expect([tokens().length, issued()]).toEqual([2, 1]);
    release();
    await turnsUntil(() => issued() === 2);
  });

  it('gets one new token after a 401', async () => {
    const { caller, tokens, respondWith } = client();
    respondWith(401);
    expect((await caller.fetch('/api/v1/products')).status).toBe(401);
    expect(tokens()).toHaveLength(2);
  });

  it('does not ask again before Retry-After has passed', async () => {
    const { fetch, sent } = fakeFetch(() => json({ error: 'temporarily_unavailable' }, 429, { 'retry-after': '60' }));
    const caller = createMachineClient({ baseUrl: BASE, clientId: 'a', clientSecret: 'b', fetch });
    for (const _ of [1, 2])
      await expect(caller.accessToken()).rejects.toMatchObject({
        code: 'temporarily_unavailable',
        retryAfterMs: 60_000,
      });
    expect(sent).toHaveLength(1);
  });
});

it('sends an API key in a header, and fetches no token', async () => {
  const { fetch, sent } = fakeFetch(() => json([]));
  await createApiKeyCaller({ baseUrl: BASE, apiKey: 'k', fetch }).fetch('/api/v1/products');
  expect(sent.map(({ path, headers }) => [path, headers.get('x-api-key'), headers.get('authorization')])).toEqual([
    ['/api/v1/products', 'k', null],
  ]);
});

describe('the URL of a call', () => {
  const urls: string[] = [];
  const fetch: typeof globalThis.fetch = async (input) => {
    urls.push(input as string);
    return new Response();
  };
  const caller = (baseUrl: string) => createAnonymousCaller({ baseUrl, fetch });

  it.each([
    ['https://a.test', '/api/v1/x?y=1', 'https://a.test/api/v1/x?y=1'],
    ['https://a.test/', '/api/v1/x', 'https://a.test/api/v1/x'],
    ['https://a.test/shop', '/api/v1/x', 'https://a.test/shop/api/v1/x'],
    ['https://a.test/shop/', '/shop/api/v1/x', 'https://a.test/shop/api/v1/x'],
    ['https://a.test/shop', 'https://a.test/shop/api', 'https://a.test/shop/api'],
  ])('joins %s and %s to %s', async (base, path, expected) => {
    await caller(base).fetch(path);
    expect(urls.at(-1)).toBe(expected);
  });

  it.each([
    ['https://a.test', 'https://b.test/api'],
    ['https://a.test', '//b.test/api'],
    ['https://a.test', 'http://a.test/api'],
    ['https://a.test/shop', 'https://a.test/admin'],
    ['https://a.test/shop', '/../admin'],
    ['https://a.test/shop', '/shop/../admin'],
  ])('base URL %s rejects %s', async (base, path) => {
    const before = urls.length;
    await expect(caller(base).fetch(path)).rejects.toThrow(TypeError);
    expect(urls.length).toBe(before);
  });
});

describe('an error of the service', () => {
  it.each([
    [{ errorCode: 'conflict', detail: 'Taken', violations: [{ message: 'm' }] }, 'conflict', 'Taken'],
    [{ error: 'invalid_client', error_description: 'No' }, 'invalid_client', 'No'],
    [{ error: 'AUTH_TOKEN_INVALID', message: 'Bad' }, 'AUTH_TOKEN_INVALID', 'Bad'],
    ['<html>', 'http-409', 'The service responded with 409'],
  ])('is read from %j', async (body, code, message) => {
    const headers = { 'x-request-id': 'r-1', 'retry-after': '2' };
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    const error = await readError(new Response(text, { status: 409, headers }));
    expect(error).toMatchObject({ status: 409, code, message, requestId: 'r-1', retryAfterMs: 2_000, body });
    expect(error.violations).toEqual(typeof body === 'object' && 'violations' in body ? body.violations : []);
  });
});

describe('an operation', () => {
  const calls = (response: (sent: Sent) => Response = () => json({})) => {
    const { fetch, sent } = fakeFetch(response);
    return { caller: createAnonymousCaller({ baseUrl: BASE, fetch }), sent };
  };

  it('encodes its path, repeats lists in its query and omits undefined values', async () => {
    const { caller, sent } = calls(() => json([]));
    await api.getProduct(caller, { path: { id: 'a/b ?' } });
    await api.verifyAccess(caller, { query: { permission: ['READ_ORDERS', 'READ_PRODUCTS'] } });
    await api.listProducts(caller, { query: { page: 2, lowStock: false } });
    expect(sent.map(({ path }) => path)).toEqual([
      '/api/v1/products/a%2Fb%20%3F',
      '/api/v1/auth/verify?permission=READ_ORDERS&permission=READ_PRODUCTS',
      '/api/v1/products?page=2&lowStock=false',
    ]);
  });

  it.each(['.', '..', ''])('rejects the path parameter %j, which would call another operation', async (id) => {
    const { caller, sent } = calls();
    await expect(api.listCustomerOrders(caller, { path: { id } })).rejects.toThrow('Path parameter id must not be');
    expect(sent).toEqual([]);
  });

  it('sends dots inside a path parameter', async () => {
    const { caller, sent } = calls();
    for (const id of ['...', '..a', '%2e%2e', '../x', '.\\.']) await api.getProduct(caller, { path: { id } });
    expect(sent.map(({ path }) => path)).toEqual(
      ['...', '..a', '%252e%252e', '..%2Fx', '.%5C.'].map((id) => `/api/v1/products/${id}`),
    );
  });

  it('sends a body as JSON, as a form or as bytes', async () => {
    const { caller, sent } = calls();
    const file = new Blob(['x'], { type: 'image/png' });
    await api.createCustomer(caller, { body: { name: 'A' } });
    await api.uploadProductImage(caller, { body: { file, productId: 'p' } });
    await api.uploadFile(caller, { path: { date: 'd', uuid: 'u' }, body: new Uint8Array([1]) });
    expect(sent.map(({ headers }) => headers.get('content-type'))).toEqual([
      'application/json',
      null,
      'application/octet-stream',
    ]);
    expect(sent[0]!.init.body).toBe('{"name":"A"}');
    const form = sent[1]!.init.body as FormData;
    expect([form.get('productId'), (form.get('file') as File).size]).toEqual(['p', 1]);
  });

  it('returns data, status and headers: bytes as a Blob, and undefined for an empty response', async () => {
    const etag = { etag: '"1"' };
    const { caller } = calls(({ init, path }) => {
      if (init.method === 'DELETE') return new Response(null, { status: 204 });
      return path.includes('images') ? new Response('png') : json({ id: '1' }, 200, etag);
    });
    const reply = await api.getProduct(caller, { path: { id: '1' } });
    expect([reply.data.id, reply.status, reply.headers.get('etag')]).toEqual(['1', 200, '"1"']);
    expect((await api.deleteProduct(caller, { path: { id: '1' } })).data).toBeUndefined();
    const image = await api.downloadProductImage(caller, { path: { productId: '1', index: '0' } });
    expect(await image.data.text()).toBe('png');
  });

  it('throws an ApiError for an error response', async () => {
    const { caller } = calls(() => json({ errorCode: 'precondition-failed' }, 412));
    const call = api.updateProduct(caller, { path: { id: '1' }, headers: { 'if-match': '"1"' }, body: { name: 'x' } });
    await expect(call).rejects.toMatchObject({ name: 'ApiError', code: 'precondition-failed' });
  });

  it('items() reads all pages, from the requested first page on', async () => {
    const response = ({ path }: Sent) => {
      const page = Number(new URL(path, BASE).searchParams.get('page'));
      const next = page < 3 ? `, </products?perPage=2&page=${page + 1}>; rel="next"` : '';
      const link = `</products?page=1&perPage=2>; rel="first"${next}`;
      const headers = { 'x-total-count': '5', 'x-page': String(page), 'x-per-page': '2', link };
      return json(
        page === 3 ? [{ sku: '5' }] : [{ sku: String(2 * page - 1) }, { sku: String(2 * page) }],
        200,
        headers,
      );
    };
    const { caller, sent } = calls(response);
    const skus: string[] = [];
    for await (const { sku } of items(caller, api.listProducts, { query: { perPage: 2 } })) skus.push(sku);
    expect(skus).toEqual(['1', '2', '3', '4', '5']);
    expect(sent).toHaveLength(3);
    for await (const page of pages(caller, api.listProducts, { query: { page: 3, perPage: 2 } }))
      expect(page).toMatchObject({ page: 3, perPage: 2, totalCount: 5, items: [{ sku: '5' }] });
    expect(sent).toHaveLength(4);
  });

  it('pages() follows cursors, also beyond the last counted item', async () => {
    const response = ({ path }: Sent) => {
      const after = Number(new URL(path, BASE).searchParams.get('after'));
      const headers = {
        'x-total-count': '2',
        'x-total-count-relation': 'at-least',
        'x-page': String(after + 1),
        'x-per-page': '2',
        link: after < 2 ? `</audit-records?events=a&after=${after + 1}&perPage=2>; rel="next"` : '',
      };
      return json([{ id: `${after}-1` }, { id: `${after}-2` }], 200, headers);
    };
    const { caller, sent } = calls(response);
    const ids: string[] = [];
    for await (const page of pages(caller, api.listAuditRecords, { query: { events: ['a'], perPage: 2 } })) {
      expect(page).toMatchObject({ totalCount: 2, totalIsMinimum: true });
      ids.push(...page.items.map(({ id }) => id));
    }
    expect(ids).toEqual(['0-1', '0-2', '1-1', '1-2', '2-1', '2-2']);
    expect(sent.map(({ path }) => new URL(path, BASE).searchParams.get('page'))).toEqual(['1', null, null]);
  });
});
