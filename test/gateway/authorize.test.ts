// The authorization endpoint over a fake core: what reaches the core, byte by byte, and what is refused with a page.
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { refused } from '../support/fake-core.ts';
import { gateway, type GatewayUnderTest } from './gateway.ts';
import { exchange, lastly, type RawResponse } from './raw-client.ts';

const PATH = '/api/v1/auth/oauth2/authorize';
const SERVICE = 'authservice.oauth.v1.AuthorizationService';
const FORM = 'Content-Type: application/x-www-form-urlencoded';

let under: GatewayUnderTest;

beforeAll(async () => {
  under = await gateway();
  await under.app.listen({ host: '127.0.0.1', port: 0 });
});
beforeEach(() => under.core.reset());
afterAll(() => under?.app.close());

/** The bytes of a text as a string of Latin-1, which the connection sends byte by byte. */
const bytes = (text: string): string => Buffer.from(text).toString('latin1');

async function send(message: string): Promise<RawResponse> {
  const [response] = await exchange(under.app, message);
  return response!;
}
const get = (query: string, ...headers: string[]) => send(lastly(`GET ${PATH}${query}`, ...headers));
const post = (body: string, ...headers: string[]) =>
  send(lastly(`POST ${PATH}`, ...headers, `Content-Length: ${body.length}`) + body);

const inputs = () => under.core.calls.map(({ input }) => input);

function expectPage({ status, headers, body }: RawResponse, expected: number, part: string): void {
  expect([status, headers['content-type'], headers['cache-control'], headers['referrer-policy']]).toEqual([
    expected,
    'text/html; charset=utf-8',
    'no-store',
    'no-referrer',
  ]);
  expect(headers['content-security-policy']).toContain("frame-ancestors 'none'");
  expect(body).toContain(part);
}

describe('the core gets', () => {
  it.each([
    ['', ''],
    ['?', ''],
    ['?a=%zz&&b?c=d', 'a=%zz&&b?c=d'],
  ])('the query of %j as it came', async (query, parameters) => {
    under.core.respond(`${SERVICE}/Authorize`, { redirectTo: 'https://app.test/cb?code=c', fault: 0 });
    const { status, headers } = await get(query);
    expect([status, headers['location']]).toEqual([303, 'https://app.test/cb?code=c']);
    expect(inputs()).toEqual([{ parameters, refreshTokens: [] }]);
  });

  it('the form as it came', async () => {
    under.core.respond(`${SERVICE}/StoreAuthorizationRequest`, { parameters: 'posted=p' });
    const { status, headers } = await post(bytes('state=é&a=%zz'), FORM);
    expect([status, headers['location']]).toEqual([303, `${PATH}?posted=p`]);
    expect(inputs()).toEqual([{ parameters: 'state=é&a=%zz' }]);
  });

  it('where the browser wants the response, and all refresh tokens, each once', async () => {
    under.core.respond(`${SERVICE}/Authorize`, { loginRequest: 'id', fault: 0 });
    const cookie = 'Cookie: SERVICE_REFRESH=a; SERVICE_REFRESH=b; SERVICE_REFRESH=a';
    const { headers } = await get('', cookie, 'Sec-Fetch-Dest: document', 'Sec-Fetch-Dest: document');
    expect(headers['location']).toBe('/login?request=id');
    expect(inputs()).toEqual([{ parameters: '', refreshTokens: ['a', 'b'], fetchDestination: 'document, document' }]);
  });
});

describe('a page refuses', () => {
  it.each<[what: string, respond: () => Promise<RawResponse>, status: number]>([
    ['a query with bytes that no URL has', () => get(`?state=${bytes('é')}`), 400],
    ['a form that is not UTF-8', () => post('state=\xff', FORM), 400],
    ['a form in another charset', () => post('a=b', `${FORM}; charset=latin1`), 400],
    ['a compressed form', () => post('a=b', FORM, 'Content-Encoding: gzip'), 400],
    ['JSON', () => post('{}', 'Content-Type: application/json'), 400],
    ['a body without a type', () => post('a=b'), 400],
    ['a form above 16 kB', () => post('a'.repeat(16_385), FORM), 414],
    ['a form far above it', () => post('a'.repeat(60_000), FORM), 414],
    ['a form above the limit of all bodies', () => post('a'.repeat(70_000), FORM), 413],
    ['a query above 16 kB', () => get(`?a=${'a'.repeat(16_384)}`), 414],
    ['a query beyond what arrives at once', () => get(`?a=${'a'.repeat(70_000)}`), 414],
  ])('%s, without a call of the core', async (_what, respond, status) => {
    expectPage(await respond(), status, '<h1');
    expect(under.core.calls).toEqual([]);
  });

  it.each(['GET', 'POST'])('a %s while too many requests are open', async (method) => {
    for (const rpc of ['Authorize', 'StoreAuthorizationRequest'])
      under.core.respond(`${SERVICE}/${rpc}`, refused('TOO_MANY_REQUESTS'));
    const response = method === 'GET' ? await get('') : await post('', FORM);
    expectPage(response, 429, 'app.oauth.pending-requests');
    expect(response.headers['retry-after']).toBe('60');
  });

  it.each(['AUTHENTICATION_SERVICE_UNAVAILABLE', 'SERVICE_UNAVAILABLE', 'DEADLINE_EXCEEDED'] as const)(
    'a request during an outage: %s',
    async (reason) => {
      under.core.respond(`${SERVICE}/Authorize`, refused(reason));
      const response = await get('', 'Accept-Language: de');
      expectPage(response, 503, 'Die Anmeldung ist im Moment nicht möglich'.replace('ö', '\xc3\xb6'));
      expect(response.headers['retry-after']).toBe('2');
    },
  );

  it('a request that the core fails at', async () => {
    under.core.respond(`${SERVICE}/Authorize`, refused('INTERNAL_ERROR'));
    const response = await get('', 'Accept-Language: de');
    expectPage(response, 500, '<p lang="de">');
    const [, style = ''] = /<style>([^<]+)<\/style>/.exec(response.body) ?? [];
    const hash = createHash('sha256').update(style).digest('base64');
    expect(response.headers['content-security-policy']).toContain(`default-src 'none'; style-src 'sha256-${hash}';`);
  });

  it('another method', async () => {
    expectPage(await send(lastly(`PUT ${PATH}`)), 405, '<h1');
  });
});
