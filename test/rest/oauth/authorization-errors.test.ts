// Faults of authorization requests: those that show a page, then those that the client gets, in their order. In both disclosure modes.
import { beforeAll, describe, expect, it } from 'vitest';
import { rememberPasswords } from '../../support/argon2.ts';
import { DIAGONAL } from '../../support/deployment.ts';
import { formOf, openBrowser } from '../../support/oauth/browser.ts';
import {
  authorizedBy,
  describeOutcome,
  expectError,
  expectErrorPage,
  WITHOUT_PKCE,
  type Parameters,
} from '../../support/oauth/party.ts';
import { ISSUER, openedService, signedIn, type ServiceParty } from '../../support/oauth/service.ts';
import type { Browser, Outcome } from '../../support/oauth/provider.ts';
import { seedClient } from '../m2m/clients.ts';

rememberPasswords();

/** Bytes that no UTF-8 text has. */
const NOT_UTF8 = Buffer.from([0xc3, 0x28, 0xff]);

const MODES = ['maximal', 'minimal'] as const;
/** Each mode once, and each engine and transport once: no test depends on both. */
const CASES = MODES.map((mode, index) => ({ mode, ...DIAGONAL[index % DIAGONAL.length]! }));

/** One fault of each kind, in the order in which they are judged. */
const FAULTS: readonly (readonly [what: string, parameters: Parameters, error: string])[] = [
  ['a parameter twice', { nonce: ['a', 'b'] }, 'invalid_request'],
  ['a long state', { state: 's'.repeat(4_097) }, 'invalid_request'],
  ['a long nonce', { nonce: 'n'.repeat(1_025) }, 'invalid_request'],
  ['request', { request: 'x' }, 'request_not_supported'],
  ['request_uri', { request_uri: 'https://app.example.com/request' }, 'request_uri_not_supported'],
  ['registration', { registration: '{}' }, 'registration_not_supported'],
  ['response_type', { response_type: 'token' }, 'unsupported_response_type'],
  ['response_mode', { response_mode: 'fragment' }, 'invalid_request'],
  ['no PKCE', WITHOUT_PKCE, 'invalid_request'],
  ['prompt', { prompt: 'create' }, 'invalid_request'],
  ['max_age', { max_age: '-1' }, 'invalid_request'],
  ['id_token_hint', { id_token_hint: 'a.b.c' }, 'invalid_request'],
  ['resource', { resource: 'https://other.example.com' }, 'invalid_target'],
];

describe.each(CASES)('authorization errors, $mode disclosure, $engine over $transport', ({ mode, ...kind }) => {
  const service = openedService({ ...kind, settings: { 'app.api.error-disclosure.mode': mode } });
  let party: ServiceParty;
  let browser: Browser;
  beforeAll(async () => {
    party = await service.party({ resources: ['https://api.example.com', 'https://api2.example.com'] });
    const user = await service.user();
    browser = await signedIn(service, user);
    await party.logIn(browser, user);
  });

  const ask = async (more: Parameters, by = browser) => {
    const { request, ...outcome } = await party.authorize(by, more);
    return { request, outcome: outcome as Outcome };
  };

  describe('shows a page', () => {
    const pageOf = (outcome: Outcome): string => {
      expectErrorPage(outcome);
      const { response } = outcome as Outcome & { kind: 'error-page' };
      expect(response.headers.get('cache-control')).toBe('no-store');
      expect(response.headers.get('referrer-policy')).toBe('no-referrer');
      return response.text;
    };
    const withoutId = (page: string): string => page.replace(/<code>[0-9a-f-]{36}<\/code>/, '');
    const disable = async (more: object) => {
      const disabled = await service.party();
      const changed = await (await service.root()).patch(`/applications/${disabled.client.applicationId}`, more);
      expect(changed.status).toBe(200);
      return disabled;
    };

    it.each<[what: string, party: () => Promise<{ client: { id: string; redirectUri: string } }>]>([
      ['an unknown client', async () => ({ client: { ...party.client, id: 'unknown' } })],
      ['a disabled client', () => disable({ disabled: true })],
      ['a redirect URI that was taken away', () => disable({ redirectUris: ['https://other.example.com/'] })],
      [
        'a service account',
        async () => ({ client: { ...party.client, id: (await seedClient(service.deployment.database)).id } }),
      ],
      ['a username', async () => ({ client: { ...party.client, id: (await service.user()).username } })],
      ['a client id in another case', async () => ({ client: { ...party.client, id: party.client.id.toUpperCase() } })],
      ['a client id with a NUL', async () => ({ client: { ...party.client, id: `${party.client.id}\0` } })],
    ])('for %s', async (what, makeParty) => {
      const { client } = await makeParty();
      for (const prompt of [undefined, 'none']) {
        const { outcome } = await ask({ client_id: client.id, prompt });
        const page = pageOf(outcome);
        // It does not tell why the client is not served.
        if (client.id !== party.client.id && !what.includes('redirect URI')) {
          const { outcome: other } = await ask({ client_id: 'unknown' });
          expect(withoutId(page)).toBe(withoutId(pageOf(other)));
        }
      }
    });

    it('for a client of a suspended tenant', async () => {
      const user = await service.user({ tenantId: 'sleepers' });
      const sleeping = await service.party({ tenantId: 'sleepers' });
      const root = await service.root();
      expect((await root.post('/tenants/sleepers/suspend')).status).toBeLessThan(300);
      const { request: _, ...outcome } = await sleeping.authorize(openBrowser(service));
      pageOf(outcome);
      expect(user.account.tenantId).toBe('sleepers');
    });

    it('for a query above 16 kB, without a redirect', async () => {
      const { parameters } = party.request({ extra: '' });
      // The other headers of a request need room, too.
      const room = 15_000 - parameters.toString().length;
      const withExtra = (length: number) => {
        const longer = new URLSearchParams(parameters);
        longer.set('extra', 'x'.repeat(length));
        return longer;
      };
      const full = { parameters: withExtra(room) };
      expect(describeOutcome(await browser.visit(party.urlOf(full)))).toMatch(/^callback .*[?&]code=/);
      const more = { parameters: withExtra(room + 1_385) };
      const outcome = await browser.visit(party.urlOf(more));
      expect(outcome.kind === 'error-page' && outcome.response.status).toBe(414);
      expect(outcome.response.headers.get('content-type')).toMatch(/^text\/html/);
    });

    it('for a form that is too long, or not a form, without a redirect', async () => {
      const url = service.metadata['authorization_endpoint'] as string;
      const { parameters } = party.request({ extra: 'x'.repeat(20_000) });
      const json = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' };
      for (const init of [formOf(parameters), json]) {
        const { kind: outcome, response } = await browser.visit(url, init);
        expect([outcome, Math.floor(response.status / 100)]).toEqual(['error-page', 4]);
      }
    });
  });

  describe('tells the client', () => {
    it.each(FAULTS.map(([what, , error], index) => [what, error, index] as const))(
      'of %s before all later faults: %s',
      async (_, error, index) => {
        const all = Object.assign(
          {},
          ...FAULTS.slice(index)
            .toReversed()
            .map(([, parameters]) => parameters),
        );
        const { request, outcome } = await ask(all);
        const isReturned = request.parameters.get('state')!.length <= 4_096;
        expectError(outcome, error, isReturned ? request.parameters.get('state') : null);
        if (outcome.kind !== 'callback') return;
        expect(outcome.parameters.get('iss')).toBe(ISSUER);
        expect(outcome.response.status).toBe(303);
        expect(outcome.location.startsWith(`${party.client.redirectUri}?`)).toBe(true);
      },
    );

    it.each<[what: string, parameters: Parameters, error: string]>([
      ['response_type missing', { response_type: undefined }, 'invalid_request'],
      ['response_type empty', { response_type: '' }, 'invalid_request'],
      ['response_type id_token', { response_type: 'id_token' }, 'unsupported_response_type'],
      ['response_type code id_token', { response_type: 'code id_token' }, 'unsupported_response_type'],
      ['response_type none', { response_type: 'none' }, 'unsupported_response_type'],
      ['response_type in another case', { response_type: 'Code' }, 'unsupported_response_type'],
      ['response_mode form_post', { response_mode: 'form_post' }, 'invalid_request'],
      ['PKCE without a method', { code_challenge_method: undefined }, 'invalid_request'],
      ['PKCE by plain', { code_challenge_method: 'plain' }, 'invalid_request'],
      ['PKCE by s256', { code_challenge_method: 's256' }, 'invalid_request'],
      ['PKCE without a challenge', { code_challenge: undefined }, 'invalid_request'],
      ['a challenge that is too short', { code_challenge: 'a'.repeat(42) }, 'invalid_request'],
      ['a challenge that is too long', { code_challenge: 'a'.repeat(44) }, 'invalid_request'],
      ['a challenge with padding', { code_challenge: `${'a'.repeat(42)}=` }, 'invalid_request'],
      ['a challenge in plain base64', { code_challenge: `${'a'.repeat(42)}+` }, 'invalid_request'],
      ['prompt none beside another', { prompt: 'none login' }, 'invalid_request'],
      ['prompt in another case', { prompt: 'None' }, 'invalid_request'],
      ['max_age that is not a number', { max_age: 'soon' }, 'invalid_request'],
      ['max_age with a fraction', { max_age: '1.5' }, 'invalid_request'],
      ['two resources', { resource: ['https://api.example.com', 'https://api2.example.com'] }, 'invalid_target'],
      ['the issuer as a resource', { resource: ISSUER }, 'invalid_target'],
      ['our audience as a resource', { resource: 'my-shop' }, 'invalid_target'],
      ['a resource with a slash more', { resource: 'https://api.example.com/' }, 'invalid_target'],
      ['a doubled unknown parameter', { extra: ['a', 'b'] }, 'invalid_request'],
      ['a doubled scope', { scope: ['openid', 'openid'] }, 'invalid_request'],
    ])('%s', async (_, parameters, error) => {
      for (const prompt of [undefined, 'none']) {
        const { request, outcome } = await ask(prompt ? { prompt, ...parameters } : parameters);
        expectError(outcome, error, request.parameters.get('state'));
      }
    });

    it('a doubled state, and sends none back', async () => {
      for (const state of [
        ['a', 'b'],
        ['a', 'a'],
      ])
        expectError((await ask({ state })).outcome, 'invalid_request', null);
    });

    it('nothing of a state of 4,096 and a nonce of 1,024 characters after decoding', async () => {
      for (const more of [{ state: 's'.repeat(4_096) }, { state: 'ä'.repeat(2_000) }, { nonce: 'ä'.repeat(1_024) }]) {
        const { request, outcome } = await ask(more);
        expect(outcome.kind === 'callback' && outcome.parameters.has('code')).toBe(true);
        if (outcome.kind === 'callback') expect(outcome.parameters.get('state')).toBe(request.parameters.get('state'));
      }
    });

    it('that it must push its requests', async () => {
      const pushing = await service.party({ requirePar: true });
      const { request, ...outcome } = await pushing.authorize(browser);
      expectError(outcome, 'invalid_request', request.state);
    });

    it('the same for a request by POST', async () => {
      const { request, ...outcome } = await party.authorize(browser, { response_type: 'token' }, 'POST');
      expectError(outcome, 'unsupported_response_type', request.state);
      const { request: _, ...page } = await party.authorize(browser, { client_id: 'unknown' }, 'POST');
      expectErrorPage(page);
    });

    it('the same without a session', async () => {
      const { request, outcome } = await ask({ request: 'x' }, openBrowser(service));
      expectError(outcome, 'request_not_supported', request.state);
    });
  });

  it.each<[what: string, id: (party: ServiceParty) => Parameters]>([
    ['a doubled client id', ({ client }) => ({ client_id: [client.id, client.id] })],
    ['a doubled redirect URI', ({ client }) => ({ redirect_uri: [client.redirectUri, client.redirectUri] })],
    ['an empty client id', () => ({ client_id: '' })],
  ])('%s shows a page', async (_, more) => {
    expectErrorPage((await ask(more(party))).outcome);
  });

  it.each([
    'client_id=%zz',
    'client_id=%ff%fe&redirect_uri=%c0%ae',
    '%=%&&&=',
    'client_id[]=a&client_id[a]=b',
    '__proto__=a&constructor=b',
    '',
  ])('the query "%s" shows a page', async (query) => {
    expectErrorPage(await browser.visit(`${service.metadata['authorization_endpoint']}?${query}`));
  });

  it('a form that is not UTF-8 shows a page', async () => {
    const url = service.metadata['authorization_endpoint'] as string;
    const form = Buffer.concat([
      Buffer.from(`${party.request({ state: undefined }).parameters.toString()}&state=`),
      NOT_UTF8,
    ]);
    expectErrorPage(await browser.visit(url, { ...formOf(''), body: form }));
  });

  it('an unknown parameter is ignored, whatever its name is', async () => {
    const more = { posted: 'x', request_id: 'x', loginRequest: 'x', ['__proto__']: 'x', 'a b': '\0', error: 'x' };
    const { request, outcome } = await ask(more);
    authorizedBy(outcome, request);
  });

  it('a malformed parameter is invalid_request, with the state, unless it is the malformed one', async () => {
    const { parameters, state } = party.request();
    const url = party.urlOf({ parameters });
    expectError(await browser.visit(`${url}&extra=100%`), 'invalid_request', state);
    parameters.delete('state');
    expectError(await browser.visit(`${party.urlOf({ parameters })}&state=100%`), 'invalid_request', null);
  });

  it('percent-encoding that is not UTF-8 breaks nothing', async () => {
    const { parameters } = party.request({ state: undefined });
    const outcome = await browser.visit(`${party.urlOf({ parameters })}&state=%ff%zz%c3%28`);
    expect(outcome.kind).toBe('callback');
    expect(outcome.response.status).toBe(303);
  });

  it('no request leaves a row for what it refuses', async () => {
    const count = async () => (await service.deployment.database.query('SELECT id FROM authorization_requests')).length;
    const before = await count();
    await ask({ request: 'x' }, openBrowser(service));
    await ask({ client_id: 'unknown' }, openBrowser(service));
    expect(await count()).toBe(before);
  });
});
