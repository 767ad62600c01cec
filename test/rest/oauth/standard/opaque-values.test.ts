// Values that the provider does not read: they come back as they were sent, byte by byte.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rememberPasswords } from '../../../support/argon2.ts';
import { authorizedBy, createParty, someoneAt, type Parameters, type Party } from '../../../support/oauth/party.ts';
import { PROVIDERS } from '../../../support/oauth/providers.ts';
import type { Browser, Provider, User } from '../../../support/oauth/provider.ts';

rememberPasswords();

const repeat = (text: string): string => text.repeat(Math.ceil(1_024 / text.length)).slice(0, 1_024);

/** 1,024 characters each. */
const VALUES = {
  Japanese: repeat('状態は不透明な値です。'),
  'Arabic and Hebrew': repeat('حالة مصون מצב '),
  'pairs of surrogates': '😀🏳️‍🌈👩‍👩‍👧‍👦'.padEnd(1_024, '🚀'),
  'composed and decomposed characters': repeat('é e\u0301 Å A\u030a ﬁ '),
  'characters of forms and URLs': repeat('a+b%20c=d&e?f#g;h/i\\j:@"\'<>'),
  'base64 with padding': `${'A+/'.repeat(340)}AB==`,
  'a URL': repeat('https://evil.test/?code=a&state=b#c'),
  JSON: repeat('{"a":["b",null]},'),
  'percent signs': repeat('%00%zz%25%'),
  'control characters': repeat('\t\r\n\u0001\u007f'),
  'the edges of Unicode': repeat('\ufffd\ufeff\u2028\u0080\u07ff\ud7ff\ue000'),
};

describe.each(PROVIDERS)('opaque values: $name', ({ open }) => {
  let provider: Provider;
  let party: Party;
  let known: { readonly user: User; readonly browser: Browser };
  beforeAll(async () => {
    provider = await open();
    party = await createParty(provider);
    known = await someoneAt(party);
  });
  afterAll(() => provider?.close());

  const silently = async (more: Parameters, method: 'GET' | 'POST' = 'GET') => {
    const { request, ...outcome } = await party.authorize(known.browser, more, method);
    return authorizedBy(outcome, request);
  };

  it.each(Object.entries(VALUES))('state of 1,024 characters: %s', async (_, state) => {
    expect(state).toHaveLength(1_024);
    for (const method of ['GET', 'POST'] as const) {
      const { callback } = await silently({ state, nonce: undefined }, method);
      expect(Buffer.from(callback.get('state')!)).toEqual(Buffer.from(state));
    }
  });

  it.each(Object.entries(VALUES))('nonce of 1,024 characters: %s', async (_, nonce) => {
    const authorized = await silently({ nonce });
    const { claims } = await party.tokensOf(await party.redeem(authorized));
    expect(Buffer.from(claims['nonce'] as string)).toEqual(Buffer.from(nonce));
  });

  it('state comes back through the pages, and with an error', async () => {
    const state = VALUES.Japanese;
    const { browser } = known;
    const { request, ...outcome } = await party.authorize(browser, { state, prompt: 'login' });
    const { callback } = authorizedBy(await browser.finish(outcome, known.user), request);
    expect(callback.get('state')).toBe(state);
    const refused = await party.authorize(browser, { state, prompt: 'none login' });
    expect(refused.kind === 'callback' && refused.parameters.get('state')).toBe(state);
  });

  it('a redirect URI with a query keeps it', async () => {
    const redirectUri = 'https://app.example.com/callback?tenant=acme';
    const other = await createParty(provider, { redirectUris: [redirectUri] });
    const { request, ...outcome } = await other.authorize(known.browser);
    const reached = await known.browser.finish(outcome, known.user);
    expect(reached.kind === 'callback' && reached.location.startsWith(`${redirectUri}&`)).toBe(true);
    await other.tokensOf(await other.redeem(authorizedBy(reached, request)), request.nonce);
  });
});
