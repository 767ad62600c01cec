// Access checks of invalid requests, and the paging headers, with a fake core.
import { beforeEach, describe, expect, it } from 'vitest';
import { refused } from '../support/fake-core.ts';
import { sharedGateway, type GatewayUnderTest } from './gateway.ts';

const PATH = '/api/v1/service-accounts/some-id/api-keys';
const ISSUE = 'authservice.apikey.v1.ApiKeyService/IssueApiKey';
const LIST = 'authservice.apikey.v1.ApiKeyService/ListApiKeys';

let under: GatewayUnderTest;
beforeEach(async () => {
  under = await sharedGateway();
});

const post = (payload: string, headers: Record<string, string> = {}) =>
  under.app.inject({
    method: 'POST',
    url: PATH,
    headers: { 'content-type': 'application/json', authorization: 'Bearer t', ...headers },
    payload,
  });

describe('an invalid request', () => {
  it('is sent to the core with its record id, its credentials and the access-check flag only', async () => {
    under.core.respond(ISSUE, refused('VALIDATION_ERROR'));
    await post('{"label":1,"more":2}', { 'x-api-key': 'k' });
    expect(under.core.calls).toEqual([
      {
        rpc: ISSUE,
        input: { serviceAccountId: 'some-id', label: '', expiresAt: undefined },
        options: expect.objectContaining({ accessCheckOnly: true, authorization: ['Bearer t'], apiKey: ['k'] }),
      },
    ]);
  });

  it.each(['TOKEN_MISSING', 'PERMISSION_DENIED', 'NOT_FOUND', 'AUTHENTICATION_SERVICE_UNAVAILABLE'] as const)(
    "gets the error of the core's access check: %s",
    async (reason) => {
      under.core.respond(ISSUE, refused(reason));
      const expected = (await post('{"label":"good"}')).statusCode;
      for (const payload of ['{', '{"label":1}', '{"label":"a","expiresAt":"2999-12-31T23:59:60Z"}'])
        expect((await post(payload)).statusCode).toBe(expected);
      expect((await post('x', { 'content-type': 'text/plain' })).statusCode).toBe(expected);
    },
  );

  it.each([
    ['agrees', refused('VALIDATION_ERROR')],
    ['is older than the mark and saw nothing wrong', { key: undefined, apiKey: 'secret' }],
  ])("gets the gateway's violations if the core %s", async (_what, response) => {
    under.core.respond(ISSUE, response);
    const { statusCode, body } = await post('{"label":1,"more":2}');
    expect(statusCode).toBe(400);
    expect(JSON.parse(body).violations).toEqual([
      expect.objectContaining({ format: 'additionalProperties', props: ['more'] }),
      expect.objectContaining({ format: 'type', props: ['label'] }),
    ]);
    expect(body).not.toContain('secret');
  });

  it('is not assumed if a valid request fails: the core is called once', async () => {
    for (const response of [refused('INTERNAL_ERROR'), refused('VALIDATION_ERROR'), { key: undefined, apiKey: '' }]) {
      under.core.respond(ISSUE, response);
      await post('{"label":"good"}');
    }
    expect(under.core.calls.map(({ options }) => options.accessCheckOnly)).toEqual([undefined, undefined, undefined]);
  });
});

describe('paging', () => {
  it('requests the page from the core and links the pages before and after it', async () => {
    under.core.respond(LIST, { keys: [], page: { page: 3, perPage: 7, total: 29 } });
    const { headers } = await under.app.inject({ url: `${PATH}?perPage=007&page=3` });
    expect(under.core.calls[0]!.input).toEqual({ serviceAccountId: 'some-id', page: { page: 3, perPage: 7 } });
    const link = (page: number, relation: string) => `<${PATH}?page=${page}&perPage=7>; rel="${relation}"`;
    expect(headers).toMatchObject({
      'x-total-count': '29',
      'x-page': '3',
      'x-per-page': '7',
      link: [link(1, 'first'), link(2, 'prev'), link(4, 'next'), link(5, 'last')].join(', '),
    });
  });

  it('links no previous page that a list of administration would refuse', async () => {
    for (const [page, isLinked] of [
      [10_002, true],
      [10_003, false],
    ] as const) {
      under.core.respond(LIST, { keys: [], page: { page, perPage: 100, total: 10_000, totalIsMinimum: true } });
      const { headers } = await under.app.inject({ url: `${PATH}?after=x` });
      expect([page, headers['link']?.includes('rel="prev"')]).toEqual([page, isLinked]);
    }
  });

  it('links no page beyond the maximum page number', async () => {
    under.core.respond(LIST, { keys: [], page: { page: 1_000_000, perPage: 1, total: 5_000_000 } });
    const { headers } = await under.app.inject({ url: PATH });
    expect(headers['link']).toContain('page=1000000&perPage=1>; rel="last"');
    expect(headers['link']).not.toContain('next');
  });
});
