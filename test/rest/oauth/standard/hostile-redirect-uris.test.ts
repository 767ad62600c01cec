// Spellings of redirect URIs that a parser may take for the registered one: an error page, never a redirect.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rememberPasswords } from '../../../support/argon2.ts';
import { openBrowser } from '../../../support/oauth/browser.ts';
import { createParty, expectErrorPage, someoneAt, type Parameters, type Party } from '../../../support/oauth/party.ts';
import { PROVIDERS_ON_SQLITE } from '../../../support/oauth/providers.ts';
import type { Browser, Provider } from '../../../support/oauth/provider.ts';

rememberPasswords();

const REGISTERED = 'https://app.example.com/callback';
const NATIVE = ['http://127.0.0.1/callback', 'http://[::1]/callback', 'com.example.app:/callback'];

const OF_WEB = [
  // Other hosts.
  'https://evil.test/callback',
  'https://app.example.com.evil.test/callback',
  'https://evil.test/https://app.example.com/callback',
  'https://evilapp.example.com/callback',
  'https://sub.app.example.com/callback',
  'https://example.com/callback',
  'https://app-example.com/callback',
  'https://app.example.com./callback',
  'https://app.exámple.com/callback',
  'https://xn--app-example-.com/callback',
  'https://app。example。com/callback',
  'https://ａｐｐ.example.com/callback',
  'https://2130706433/callback',
  // User information and backslashes.
  'https://app.example.com@evil.test/callback',
  'https://app.example.com:443@evil.test/callback',
  'https://user@app.example.com/callback',
  'https://user:secret@app.example.com/callback',
  'https://evil.test\\@app.example.com/callback',
  'https://app.example.com\\@evil.test/callback',
  'https://evil.test\\.app.example.com/callback',
  'https:\\\\app.example.com\\callback',
  'https://app.example.com\\callback',
  'https://evil.test#@app.example.com/callback',
  'https://evil.test?@app.example.com/callback',
  'https://evil.test/@app.example.com/callback',
  // Schemes and ports.
  'http://app.example.com/callback',
  'HTTPS://app.example.com/callback',
  'https://APP.example.com/callback',
  'https://app.example.com:443/callback',
  'https://app.example.com:8443/callback',
  'https://app.example.com:/callback',
  '//app.example.com/callback',
  'https:app.example.com/callback',
  'https:/app.example.com/callback',
  'https:///app.example.com/callback',
  'javascript:alert(1)//app.example.com/callback',
  'data:text/html,https://app.example.com/callback',
  'file://app.example.com/callback',
  'com.example.app:/callback',
  '/callback',
  'callback',
  // Paths.
  'https://app.example.com/callback/',
  'https://app.example.com//callback',
  'https://app.example.com/Callback',
  'https://app.example.com/callback/..',
  'https://app.example.com/callback/../evil',
  'https://app.example.com/evil/../callback',
  'https://app.example.com/./callback',
  'https://app.example.com/%63allback',
  'https://app.example.com%2fcallback',
  'https://app.example.com/callback%2f..%2fevil',
  'https://app.example.com/callback%00',
  'https://app.example.com/callback;evil',
  'https://app.example.com/*',
  'https://app.example.com',
  // Queries, fragments, blanks and control characters.
  'https://app.example.com/callback?next=https://evil.test',
  'https://app.example.com/callback?',
  'https://app.example.com/callback#',
  'https://app.example.com/callback#fragment',
  'https://app.example.com/callback&redirect_uri=https://evil.test',
  ' https://app.example.com/callback',
  'https://app.example.com/callback ',
  'https://app.example.com/callback\0',
  'https://app.example.com/call\tback',
  'https://app.example.com/callback\n',
  'https://app.example.com/callback\r\nLocation: https://evil.test',
  'https://app.example.com/callback\u202e',
  `https://app.example.com/callback${'a'.repeat(2_000)}`,
];

/** Of a NATIVE application, only the port of the loopback host is free. */
const OF_NATIVE = [
  'http://127.0.0.1:80@evil.test/callback',
  'http://127.0.0.1.evil.test:8080/callback',
  'http://127.0.0.1:8080/other',
  'http://127.0.0.1:8080/callback/',
  'http://127.0.0.1:99999/callback',
  'http://127.0.0.1:a/callback',
  'http://127.1:8080/callback',
  'http://2130706433/callback',
  'http://0x7f.0.0.1/callback',
  'http://[::ffff:127.0.0.1]/callback',
  'https://127.0.0.1:8080/callback',
  'http://localhost:8080/callback',
  'http://evil.test:8080/callback',
  'com.example.app:/other',
  'com.example.app.evil:/callback',
];

describe.each(PROVIDERS_ON_SQLITE)('hostile redirect URIs: $name', ({ open }) => {
  let provider: Provider;
  let web: Party;
  let native: Party;
  /** Has a session and a consent, so that a wrong redirect URI would get a code. */
  let browser: Browser;
  beforeAll(async () => {
    provider = await open();
    web = await createParty(provider, { redirectUris: [REGISTERED] });
    native = await createParty(provider, { type: 'NATIVE', redirectUris: NATIVE });
    ({ browser } = await someoneAt(web));
  });
  afterAll(() => provider?.close());

  const isRefused = async (party: Party, more: Parameters) => {
    for (const by of [browser, openBrowser(provider)]) {
      const { request: _, ...outcome } = await party.authorize(by, { prompt: 'none', ...more });
      expectErrorPage(outcome);
      if (outcome.kind === 'error-page') expect(outcome.response.text).not.toContain('href="https://evil.test');
    }
  };

  it('has more than 60 of them', () => expect(new Set(OF_WEB).size).toBeGreaterThanOrEqual(60));

  it.each(OF_WEB.map((uri) => [uri]))('%j', (uri) => isRefused(web, { redirect_uri: uri }));

  it.each(OF_NATIVE.map((uri) => [uri]))('native: %j', (uri) => isRefused(native, { redirect_uri: uri }));

  it.each(['http://localhost:3001/callback', 'http://localhost/callback', 'http://127.0.0.1:3000/callback'])(
    'loopback of a web application: %s (kanidm 2390, better-auth 8426)',
    async (uri) => {
      const local = await createParty(provider, { type: 'SPA', redirectUris: ['https://localhost:3000/callback'] });
      await isRefused(local, { redirect_uri: uri });
    },
  );

  it('no redirect URI', () => isRefused(web, { redirect_uri: undefined }));

  it('an empty redirect URI', () => isRefused(web, { redirect_uri: '' }));

  it('an unknown client with a known redirect URI', () => isRefused(web, { client_id: 'unknown' }));

  it('no client', () => isRefused(web, { client_id: undefined }));

  it.each([
    [{ redirect_uri: [REGISTERED, 'https://evil.test/'] }],
    [{ redirect_uri: ['https://evil.test/', REGISTERED] }],
    [{ redirect_uri: [REGISTERED, REGISTERED] }],
  ])('twice: %o', (more) => isRefused(web, more));

  it('is refused before any other fault', () =>
    isRefused(web, { redirect_uri: 'https://evil.test/', response_type: 'token', request: 'x' }));

  it.each([
    'http://127.0.0.1/callback',
    'http://127.0.0.1:1/callback',
    'http://127.0.0.1:65535/callback',
    'http://[::1]:49152/callback',
    'com.example.app:/callback',
  ])('native: %s is right', async (redirectUri) => {
    const user = await provider.user();
    const { callback } = await native.signIn(openBrowser(provider), user, { redirect_uri: redirectUri });
    expect(callback.get('code')).toEqual(expect.any(String));
  });
});
