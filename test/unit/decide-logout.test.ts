import { describe, expect, it } from 'vitest';
import { createParameters, parseParameters } from '../../src/auth/oauth/authorize/parameters.ts';
import { decideLogout, type LogoutFacts } from '../../src/auth/oauth/logout/decide-logout.ts';

const URI = 'https://app.example.com/bye';
const WIKI = { clientId: 'wiki', type: 'WEB', postLogoutRedirectUris: [URI] } as const;
const HINT = { aud: 'wiki', liveId: 's1' };

function decide(query: string, facts: Partial<LogoutFacts> = {}) {
  const parameters = createParameters(parseParameters(query));
  return decideLogout({ parameters, application: WIKI, hint: undefined, browser: { liveId: undefined }, ...facts });
}

describe('a logout request', () => {
  it.each<[string, LogoutFacts['hint'], LogoutFacts['browser'], unknown]>([
    ['its session is that of the browser', HINT, { liveId: 's1' }, { kind: 'end', sessionId: 's1' }],
    ['its session is over', { ...HINT, liveId: undefined }, { liveId: undefined }, { kind: 'end' }],
    ['its session lives elsewhere', HINT, { liveId: undefined }, { kind: 'end' }],
    ['the browser has another session', HINT, { liveId: 's2' }, { kind: 'ask' }],
    ['the browser has one, and its own is over', { ...HINT, liveId: undefined }, { liveId: 's2' }, { kind: 'ask' }],
    ['no cookie shows the session, and it lives', HINT, 'unknown', { kind: 'end', sessionId: 's1' }],
    ['no cookie shows the session, and it is over', { ...HINT, liveId: undefined }, 'unknown', { kind: 'end' }],
    ['no hint, and a session', undefined, { liveId: 's1' }, { kind: 'ask' }],
    ['no hint, and no session', undefined, { liveId: undefined }, { kind: 'end' }],
    ['no hint, and no cookie that would show a session', undefined, 'unknown', { kind: 'ask' }],
  ])('%s', (_, hint, browser, expected) => {
    expect(decide('client_id=wiki', { hint, browser })).toEqual(expected);
  });

  it('leads to a registered URI, with the state as it came', () => {
    const query = `client_id=wiki&post_logout_redirect_uri=${encodeURIComponent(URI)}`;
    expect(decide(query)).toEqual({ kind: 'end', target: URI });
    expect(decide(`${query}&state=a+b%26c`)).toEqual({ kind: 'end', target: `${URI}?state=a%20b%26c` });
    expect(decide(`${query}&state=`)).toEqual({ kind: 'end', target: URI });
  });

  it.each<[string, string, Partial<LogoutFacts>]>([
    ['invalid-request', 'client_id=wiki&client_id=wiki', {}],
    ['invalid-request', 'client_id=wiki&state=%FF', {}],
    ['invalid-hint', 'client_id=wiki', { hint: null }],
    ['invalid-hint', 'client_id=shop', { hint: HINT }],
    ['application', 'client_id=gone', { application: undefined }],
    ['application', '', { hint: HINT, application: undefined }],
    ['redirect-uri', `client_id=wiki&post_logout_redirect_uri=${URI}/`, {}],
    ['redirect-uri', `post_logout_redirect_uri=${URI}`, { application: undefined }],
  ])('is refused: %s by %s', (fault, query, facts) => {
    expect(decide(query, { browser: { liveId: 's1' }, ...facts })).toEqual({ kind: 'fault', fault });
  });

  it('ignores unknown parameters, also twice', () => {
    expect(decide('x=1&x=2&y=%FF')).toEqual({ kind: 'end' });
  });
});
