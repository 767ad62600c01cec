// Pushed authorization requests (RFC 9126).
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rememberPasswords } from '../../../support/argon2.ts';
import { openBrowser } from '../../../support/oauth/browser.ts';
import {
  authorizedBy,
  createParty,
  expectErrorPage,
  expectTokenError,
  someoneAt,
  type Parameters,
  type Party,
} from '../../../support/oauth/party.ts';
import { PROVIDERS } from '../../../support/oauth/providers.ts';
import type { Browser, Provider, User } from '../../../support/oauth/provider.ts';

rememberPasswords();

describe.each(PROVIDERS)('pushed requests: $name', ({ open }) => {
  let provider: Provider;
  let web: Party;
  let spa: Party;
  let known: { readonly user: User; readonly browser: Browser };
  beforeAll(async () => {
    provider = await open();
    web = await createParty(provider);
    spa = await createParty(provider, { type: 'SPA' });
    known = await someoneAt(web);
    await spa.logIn(known.browser, known.user);
  });
  afterAll(() => provider?.close());

  const push = async (by: Party, more: Parameters = {}) => {
    const request = by.request(more);
    const form = Object.fromEntries(request.parameters);
    const response = await by.token(form, undefined, provider.metadata['pushed_authorization_request_endpoint']);
    return { request, response };
  };
  const go = (by: Party, requestUri: string, browser = known.browser, more: Parameters = {}) => {
    const parameters = new URLSearchParams({ client_id: by.client.id, request_uri: requestUri, ...more });
    return browser.visit(by.urlOf({ parameters }));
  };

  it('a pushed request gets a code, with the parameters that were pushed', async () => {
    for (const party of [web, spa]) {
      const { request, response } = await push(party);
      expect([response.status, response.body]).toEqual([
        201,
        { request_uri: expect.stringMatching(/^urn:ietf:params:oauth:request_uri:/), expires_in: expect.any(Number) },
      ]);
      expect(response.headers.get('cache-control')).toBe('no-store');
      const authorized = authorizedBy(await go(party, response.body.request_uri), request);
      expect(authorized.callback.get('state')).toBe(request.state);
      await party.tokensOf(await party.redeem(authorized), request.nonce);
    }
  });

  it('a pushed request goes through the pages', async () => {
    const { request, response } = await push(web);
    const browser = openBrowser(provider);
    const outcome = await go(web, response.body.request_uri, browser);
    expect(outcome.kind).toBe('page');
    const authorized = authorizedBy(await browser.finish(outcome, await provider.user()), request);
    await web.tokensOf(await web.redeem(authorized), request.nonce);
  });

  it('a request of another client shows an error page', async () => {
    const { response } = await push(web);
    expectErrorPage(await go(spa, response.body.request_uri));
  });

  it('an unknown request shows an error page', async () => {
    expectErrorPage(await go(web, 'urn:ietf:params:oauth:request_uri:unknown'));
  });

  it('a client has to authenticate', async () => {
    const { parameters } = web.request();
    const url = provider.metadata['pushed_authorization_request_endpoint'];
    expectTokenError(await web.token(Object.fromEntries(parameters), null, url), 'invalid_client', 401);
  });

  it.each<[what: string, more: Parameters, error: string]>([
    ['a request inside a request', { request_uri: 'urn:ietf:params:oauth:request_uri:a' }, 'request_uri_not_supported'],
    ['no response type', { response_type: undefined }, 'invalid_request'],
    ['no challenge', { code_challenge: undefined, code_challenge_method: undefined }, 'invalid_request'],
    ['an unregistered redirect URI', { redirect_uri: 'https://evil.test/' }, 'invalid_request'],
    ['none beside another prompt', { prompt: 'none login' }, 'invalid_request'],
  ])('%s is refused at once', async (_, more, error) => {
    const { response } = await push(web, more);
    expectTokenError(response, error);
    expect(response.headers.get('content-type')).toMatch(/^application\/json/);
  });
});
