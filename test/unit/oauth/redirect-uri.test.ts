// Redirect URIs: which can be registered, and which of them a request means.
import { describe, expect, it } from 'vitest';
import { findRedirectUriProblem, isRegisteredUri } from '../../../src/auth/oauth/applications/redirect-uri.ts';

const REGISTERED = 'https://app.example.com/callback';

describe('registration', () => {
  it.each([
    [REGISTERED, 'WEB'],
    ['https://app.example.com', 'WEB'],
    ['https://app.example.com/callback?tenant=a', 'SPA'],
    ['https://app.example.com:8443/callback', 'SPA'],
    ['http://localhost:3000/callback', 'WEB'],
    ['http://127.0.0.1/callback', 'NATIVE'],
    ['http://[::1]:8080/callback', 'NATIVE'],
    ['com.example.app:/callback', 'NATIVE'],
    ['com.example.app://callback', 'NATIVE'],
  ] as const)('accepts %s of %s', (uri, type) => {
    expect(findRedirectUriProblem(uri, type)).toBeUndefined();
  });

  it.each([
    ['/callback', 'WEB'],
    ['callback', 'WEB'],
    ['//app.example.com/callback', 'WEB'],
    ['https:/app.example.com/callback', 'WEB'],
    ['https:app.example.com', 'WEB'],
    ['https://', 'WEB'],
    ['https:///callback', 'WEB'],
    ['http://app.example.com/callback', 'WEB'],
    ['http://localhost.example.com/', 'WEB'],
    ['http://localhost./callback', 'WEB'],
    ['https://user@app.example.com/', 'WEB'],
    ['https://user:password@app.example.com/', 'WEB'],
    ['https://@app.example.com/', 'WEB'],
    ['https://app.example.com/#fragment', 'WEB'],
    ['https://app.example.com/#', 'WEB'],
    ['https://app.example.com\\callback', 'WEB'],
    ['https://app.example.com/\tcallback', 'WEB'],
    ['https://app.example.com/\u0000', 'WEB'],
    ['https://app.example.com/ callback', 'WEB'],
    ['https://äpp.example.com/', 'WEB'],
    ['com.example.app:/callback', 'WEB'],
    ['com.example.app:/callback', 'SPA'],
    ['app:/callback', 'NATIVE'],
    ['javascript:alert(1)', 'NATIVE'],
    ['data:text/html,x', 'NATIVE'],
    ['COM.example.app:/callback', 'NATIVE'],
    ['com.example.app://user@callback', 'NATIVE'],
    ['https://*.example.com/callback', 'WEB'],
    ['https://app.example.com/*', 'WEB'],
    ['https:\\\\app.example.com/', 'WEB'],
    ['https://app.example.com:99999/', 'WEB'],
    ['https://app.example.com%2f@evil.example/', 'WEB'],
    ['https://app.example.com%40evil.example/', 'WEB'],
    ['HTTPS://app.example.com/', 'WEB'],
    ['http://127.0.0.1.evil.example/', 'NATIVE'],
    ['http://localhost@evil.example/', 'NATIVE'],
    ['http:///127.0.0.1/', 'NATIVE'],
    ['file:///etc/passwd', 'NATIVE'],
    ['ftp://app.example.com/', 'WEB'],
    ['urn:ietf:wg:oauth:2.0:oob', 'NATIVE'],
    [' https://app.example.com/', 'WEB'],
    ['', 'WEB'],
    [`https://app.example.com/${'a'.repeat(2_000)}`, 'WEB'],
  ] as const)('refuses %j of %s', (uri, type) => {
    expect(findRedirectUriProblem(uri, type)).toEqual(expect.any(String));
  });
});

describe('a request', () => {
  it('means the registered text alone', () => {
    expect(isRegisteredUri(REGISTERED, [REGISTERED], 'WEB')).toBe(true);
  });

  it.each([
    'https://app.example.com/callback/',
    'https://app.example.com/callback?',
    'https://app.example.com/callback#',
    'https://app.example.com/callback?x=1',
    'https://app.example.com/callback/..',
    'https://app.example.com/x/../callback',
    'https://app.example.com/./callback',
    'https://app.example.com//callback',
    'https://app.example.com/%63allback',
    'https://app.example.com/callback%2f',
    'https://app.example.com/callback%00',
    'https://app.example.com/callback%0d%0a',
    'https://app.example.com/Callback',
    'https://APP.example.com/callback',
    'HTTPS://app.example.com/callback',
    'https://app.example.com:443/callback',
    'https://app.example.com:/callback',
    'https://app.example.com:8443/callback',
    'https://app.example.com./callback',
    'https://app.example.com@evil.example/callback',
    'https://evil.example@app.example.com/callback',
    'https://app.example.com:443@evil.example/callback',
    'https://evil.example#@app.example.com/callback',
    'https://evil.example/https://app.example.com/callback',
    'https://evil.example?https://app.example.com/callback',
    'https://app.example.com.evil.example/callback',
    'https://evilapp.example.com/callback',
    'https://app-example.com/callback',
    'https://xn--pp-xka.example.com/callback',
    'https://äpp.example.com/callback',
    'https://app。example。com/callback',
    'https://app.example.com\\callback',
    'https:\\\\app.example.com\\callback',
    'https:/app.example.com/callback',
    'https:app.example.com/callback',
    '//app.example.com/callback',
    '/callback',
    'callback',
    'http://app.example.com/callback',
    'ftp://app.example.com/callback',
    'javascript:https://app.example.com/callback',
    ' https://app.example.com/callback',
    'https://app.example.com/callback ',
    'https://app.example.com/call\tback',
    'https://app.example.com/call\nback',
    'https://app.example.com/callback\u0000',
    '\u0000https://app.example.com/callback',
    '\ufeffhttps://app.example.com/callback',
    'https://app.example.com/callback;x',
    'https://app.example.com/callback,https://evil.example',
    'https://app.example.com/callback https://evil.example',
    'https://app.example.com/callback&x=1',
    'https://*.example.com/callback',
    'https://app.example.com/*',
    'https://[::1]/callback',
    'https://127.0.0.1/callback',
    'http://localhost/callback',
    'https://app.example.com/callbac',
    'https://app.example.com/callbackx',
    'https://app.example.com',
  ])('does not mean it by %j', (uri) => {
    for (const type of ['WEB', 'SPA', 'NATIVE'] as const) expect(isRegisteredUri(uri, [REGISTERED], type)).toBe(false);
  });

  it.each(['http://127.0.0.1', 'http://localhost', 'http://[::1]'])(
    'of a native application has any port of %s',
    (host) => {
      const registered = [`${host}/callback`, `${host}:1234/other`];
      for (const port of ['', ':1', ':49152', ':65535'])
        for (const path of ['/callback', '/other'])
          expect(isRegisteredUri(`${host}${port}${path}`, registered, 'NATIVE')).toBe(true);
      expect(isRegisteredUri(`${host}:1/callback`, registered, 'WEB')).toBe(false);
      expect(isRegisteredUri(`${host}:1/callback`, registered, 'SPA')).toBe(false);
      for (const path of [
        ':99999/callback',
        ':1/Callback',
        ':1/callback?x',
        ':1@evil.example/callback',
        ':1.evil.example/callback',
      ])
        expect(isRegisteredUri(host + path, registered, 'NATIVE')).toBe(false);
    },
  );

  it('of one loopback host does not mean another', () => {
    expect(isRegisteredUri('http://127.0.0.1:1/cb', ['http://localhost/cb'], 'NATIVE')).toBe(false);
  });
});
