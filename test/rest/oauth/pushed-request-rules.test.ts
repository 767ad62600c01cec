// Pushed requests of this service: how long, how often, and that nothing beside them counts.
import { beforeAll, describe, expect, it } from 'vitest';
import { rememberPasswords } from '../../support/argon2.ts';
import { DIAGONAL } from '../../support/deployment.ts';
import { formOf, openBrowser } from '../../support/oauth/browser.ts';
import {
  authorizedBy,
  basic,
  expectErrorPage,
  expectTokenError,
  random,
  WITHOUT_PKCE,
  type Parameters,
} from '../../support/oauth/party.ts';
import type { Browser } from '../../support/oauth/provider.ts';
import { openedServices, signedIn, type ServiceParty, type ServiceUser } from '../../support/oauth/service.ts';
import { seedClient } from '../m2m/clients.ts';
import { formError } from '../m2m/oauth-errors.ts';

rememberPasswords();

/** Each disclosure mode once, and each engine and transport once: no test depends on both. */
const CASES = (['maximal', 'minimal'] as const).map((mode, index) => ({ mode, ...DIAGONAL[index % DIAGONAL.length]! }));

describe.each(CASES)('pushed requests, $mode disclosure, $engine over $transport', ({ mode, ...kind }) => {
  const [service, second] = openedServices({ ...kind, settings: { 'app.api.error-disclosure.mode': mode } });
  let party: ServiceParty;
  let user: ServiceUser;
  let browser: Browser;
  beforeAll(async () => {
    party = await service.party({ firstParty: true, requirePar: true });
    user = await service.user();
    browser = await signedIn(service, user);
  });

  const endpoint = () => service.metadata['pushed_authorization_request_endpoint'] as string;
  const push = async (more: Parameters = {}, by = party) => {
    const request = by.request(more);
    const names = [...new Set(request.parameters.keys())];
    const form = Object.fromEntries(names.map((name) => [name, request.parameters.getAll(name)]));
    return { request, response: await by.token(form, undefined, endpoint()) };
  };
  const go = (requestUri: string, more: Record<string, string> = {}, by = browser) =>
    by.visit(
      party.urlOf({
        parameters: new URLSearchParams({ client_id: party.client.id, request_uri: requestUri, ...more }),
      }),
    );

  it('201 with a URI that lives 90 s', async () => {
    const { response } = await push();
    expect([response.status, response.body]).toEqual([
      201,
      { request_uri: expect.stringMatching(/^urn:ietf:params:oauth:request_uri:[\w-]{20,}$/), expires_in: 90 },
    ]);
    const [inTime, late] = [(await push()).response.body.request_uri, response.body.request_uri];
    service.advance(89_999);
    expect((await go(inTime)).kind).toBe('callback');
    service.advance(1);
    expectErrorPage(await go(late));
  });

  it('parameters beside the URI are ignored', async () => {
    const { request, response } = await push();
    const more = {
      state: 'other',
      scope: 'openid email',
      redirect_uri: 'https://evil.test/',
      prompt: 'x',
      request: 'x',
    };
    const authorized = authorizedBy(await go(response.body.request_uri, more), request);
    expect(authorized.callback.get('state')).toBe(request.state);
  });

  it('may be opened again until a code was issued, not after', async () => {
    const { request, response } = await push();
    const stranger = openBrowser(service);
    const [first, again] = [
      await go(response.body.request_uri, {}, stranger),
      await go(response.body.request_uri, {}, stranger),
    ];
    expect([first.kind, again.kind]).toEqual(['page', 'page']);
    authorizedBy(await stranger.finish(again, user), request);
    expectErrorPage(await go(response.body.request_uri, {}, stranger));
    expectErrorPage(await go(response.body.request_uri));
  });

  it('may be opened again after a refusal, within the 90 s', async () => {
    const own = await service.party({ requirePar: true });
    const { request, response } = await push({}, own);
    const parameters = new URLSearchParams({ client_id: own.client.id, request_uri: response.body.request_uri });
    const open = () => browser.visit(own.urlOf({ parameters }));
    const denied = await browser.finish(await open(), user, 'DENY');
    expect(denied.kind === 'callback' && denied.parameters.get('error')).toBe('access_denied');
    authorizedBy(await browser.finish(await open(), user), request);
    expectErrorPage(await open());
  });

  it('is taken by POST, too', async () => {
    const { request, response } = await push();
    const parameters = new URLSearchParams({ client_id: party.client.id, request_uri: response.body.request_uri });
    const url = service.metadata['authorization_endpoint'] as string;
    authorizedBy(await browser.visit(url, formOf(parameters)), request);
  });

  it('keeps characters that the client has not encoded, as long as the form may be', async () => {
    const state = 'é😀'.repeat(500);
    const { parameters } = party.request({ state });
    parameters.delete('state');
    const sent = `${parameters.toString()}&state=${state}&extra=`;
    const form = sent + '€'.repeat(16_384 - [...sent].length);
    const response = await service.send('POST', endpoint(), {
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        authorization: basic(party.client.id, party.client.secret!),
      },
      body: form,
    });
    expect([response.status, response.text]).toEqual([201, expect.any(String)]);
    const outcome = await go(response.body.request_uri);
    expect(outcome.kind === 'callback' && outcome.parameters.get('state')).toBe(state);
  });

  it('is good at another process', async () => {
    const { request, response } = await push();
    const there = await signedIn(second, user);
    authorizedBy(await go(response.body.request_uri, {}, there), request);
  });

  it('of another client, unknown or malformed shows a page', async () => {
    const other = await service.party({ firstParty: true });
    const { response } = await push({}, other);
    const prefix = 'urn:ietf:params:oauth:request_uri:';
    for (const uri of [response.body.request_uri, `${prefix}${random()}`, prefix, `${prefix}%00`])
      expectErrorPage(await go(uri));
  });

  it('is not for a request that is not a pushed one of ours', async () => {
    const { response } = await push();
    const parameters = new URLSearchParams({ request_uri: response.body.request_uri });
    expectErrorPage(await browser.visit(party.urlOf({ parameters })));
  });

  it.each<[what: string, more: Parameters, error: string]>([
    ['another redirect URI', { redirect_uri: 'https://evil.test/' }, 'invalid_request'],
    ['no redirect URI', { redirect_uri: undefined }, 'invalid_request'],
    ['a parameter twice', { nonce: ['a', 'b'] }, 'invalid_request'],
    ['a doubled state', { state: ['a', 'b'] }, 'invalid_request'],
    ['a long state', { state: 's'.repeat(4_097) }, 'invalid_request'],
    ['request', { request: 'x' }, 'request_not_supported'],
    ['request_uri', { request_uri: 'https://app.example.com/' }, 'request_uri_not_supported'],
    ['registration', { registration: '{}' }, 'registration_not_supported'],
    ['response_type', { response_type: 'token' }, 'unsupported_response_type'],
    ['no PKCE', WITHOUT_PKCE, 'invalid_request'],
    ['prompt', { prompt: 'none login' }, 'invalid_request'],
    ['max_age', { max_age: 'x' }, 'invalid_request'],
    ['id_token_hint', { id_token_hint: 'x' }, 'invalid_request'],
    ['resource', { resource: 'https://other.example.com' }, 'invalid_target'],
  ])('400 for %s', async (_, more, error) => {
    const { response } = await push(more);
    expect(response).toEqual(formError(400, error, mode === 'minimal' ? error : expect.any(String)));
    expect(response.headers.has('location')).toBe(false);
  });

  it('a service account is unauthorized_client', async () => {
    const machine = await seedClient(service.deployment.database);
    const own = {
      client_id: machine.id,
      client_secret: machine.secret,
      redirect_uri: 'https://app.example.com/callback',
    };
    expectTokenError(await party.token(own, null, endpoint()), 'unauthorized_client');
  });

  it('a client without its secret is 401 invalid_client, and a public one needs none', async () => {
    const form = { client_id: party.client.id, redirect_uri: party.client.redirectUri, response_type: 'code' };
    expectTokenError(await party.token(form, null, endpoint()), 'invalid_client', 401);
    const spa = await service.party({ type: 'SPA', firstParty: true });
    expect((await push({}, spa)).response.status).toBe(201);
  });
});
