// The parameters of authorization requests, and the redirects with the response, by example and by property.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  createParameters,
  formatParameters,
  parseParameters,
  withoutParameters,
  type Parameter,
} from '../../../src/auth/oauth/authorize/parameters.ts';
import { redirectTo } from '../../../src/auth/oauth/authorize/redirect.ts';
import { anyText } from '../../support/texts.ts';

const text = anyText();
const pairs = fc.array(fc.tuple(text, text));
const ISSUER = 'https://login.example.com';

describe('formatted parameters', () => {
  it('are parsed to the same ones', () => {
    fc.assert(
      fc.property(pairs, (given) => {
        expect(parseParameters(formatParameters(given))).toEqual(given);
      }),
    );
  });

  it('are read by browsers and applications in the same way', () => {
    fc.assert(
      fc.property(pairs, (given) => {
        expect([...new URLSearchParams(formatParameters(given))]).toEqual(given);
      }),
    );
  });

  it('consist of characters that need no escape in a header, in HTML and in a log', () => {
    fc.assert(
      fc.property(pairs, (given) => {
        expect(formatParameters(given)).toMatch(/^[\w.!~*'()%&=-]*$/);
      }),
    );
  });
});

describe('parsed parameters', () => {
  it('are those that browsers send', () => {
    fc.assert(
      fc.property(pairs, (given) => {
        const sent = new URLSearchParams(given).toString();
        expect(parseParameters(sent)).toEqual(given);
      }),
    );
  });

  it.each<[string, readonly Parameter[]]>([
    ['', []],
    ['&&', []],
    ['a', [['a', '']]],
    ['a=', [['a', '']]],
    ['=b', [['', 'b']]],
    ['a=b=c', [['a', 'b=c']]],
    ['a+b=c+d', [['a b', 'c d']]],
    [
      'a=1&a=2',
      [
        ['a', '1'],
        ['a', '2'],
      ],
    ],
    ['a=%2B%26%3D', [['a', '+&=']]],
    [
      'a=x\ny&b=%0A',
      [
        ['a', 'x\ny'],
        ['b', '\n'],
      ],
    ],
    ['%00=%00', [['\0', '\0']]],
    ['a=%F0%9F%98%80', [['a', '😀']]],
    ['a=ä', [['a', 'ä']]],
  ])('of %j', (sent, expected) => {
    expect(parseParameters(sent)).toEqual(expected);
  });

  it.each([
    'a=%',
    'a=%2',
    'a=%zz',
    'a=%u0041',
    '%=a',
    'a=%ff',
    'a=%C3',
    'a=%C0%80',
    'a=%ED%A0%80',
    'a=%F4%90%80%80',
    'a=b&c=%E2%82',
  ])('of %j say that they are malformed', (sent) => {
    expect(createParameters(parseParameters(sent)).malformed).not.toEqual([]);
  });

  it('name those that are malformed, as far as their names can be read', () => {
    const { malformed, doubled } = createParameters(parseParameters('%73tate=%zz&%ff=a&state=b&nonce=c'));
    expect([malformed, doubled]).toEqual([['state', '%ff'], ['state']]);
  });

  it('are malformed if one of them is', () => {
    fc.assert(
      fc.property(pairs, fc.nat(), fc.constantFrom('%', '%g0', '%80', '%fe'), (given, position, wrong) => {
        const parts = formatParameters(given).split('&');
        const at = position % (parts.length + 1);
        const sent = [...parts.slice(0, at), wrong, ...parts.slice(at)].join('&');
        expect(createParameters(parseParameters(sent)).malformed).not.toEqual([]);
      }),
    );
  });
});

describe('parameters without some of them', () => {
  it.each([
    ['a=1&b=2&a=3', 'b=2'],
    ['%61=1&b=%7e+x&&c', 'b=%7e+x&c'],
    ['a=%zz&b=ä%C3%A4', 'b=ä%C3%A4'],
    ['a', ''],
  ])('of %j stay as they came', (sent, expected) => {
    expect(withoutParameters(sent, ['a', 'other'])).toBe(expected);
  });
});

describe('a parameter', () => {
  const parameters = createParameters([
    ['one', '1'],
    ['empty', ''],
    ['twice', 'a'],
    ['twice', 'b'],
    ['half', ''],
    ['half', 'c'],
  ]);

  it('has the value that was sent', () => {
    expect(parameters.get('one')).toBe('1');
    expect(parameters.getAll('one')).toEqual(['1']);
  });

  it('is absent if it is empty, or was not sent', () => {
    for (const name of ['empty', 'other', '__proto__', 'constructor', 'toString']) {
      expect(parameters.get(name)).toBeUndefined();
      expect(parameters.getAll(name)).toEqual([]);
    }
  });

  it('has its first value if it was sent twice', () => {
    expect(parameters.get('twice')).toBe('a');
    expect(parameters.getAll('twice')).toEqual(['a', 'b']);
    expect(parameters.get('half')).toBe('c');
  });

  it('is doubled if it was sent twice, also if it is then empty', () => {
    expect(parameters.doubled).toEqual(['twice', 'half']);
    expect(['one', 'empty', 'twice', 'half', 'other'].filter(parameters.isDoubled)).toEqual(['twice', 'half']);
  });
});

describe('a redirect', () => {
  it('adds the issuer and the given parameters to the query, in their order', () => {
    expect(redirectTo('https://app.example.com/callback', { code: 'a/b', state: 'x y' }, { issuer: ISSUER })).toBe(
      'https://app.example.com/callback?code=a%2Fb&state=x%20y&iss=https%3A%2F%2Flogin.example.com',
    );
    expect(
      redirectTo('com.example.app:/done?x=1', { error: 'login_required', state: undefined }, { issuer: ISSUER }),
    ).toBe('com.example.app:/done?x=1&error=login_required&iss=https%3A%2F%2Flogin.example.com');
  });

  it.each(['https://app.example.com/?', 'https://app.example.com/?x=1&'])('to %s adds no empty parameter', (uri) => {
    expect(redirectTo(uri, { code: 'c' }, { issuer: ISSUER })).toBe(`${uri}code=c&iss=https%3A%2F%2Flogin.example.com`);
  });

  it.each([
    'https://app.example.com/callback',
    'https://app.example.com/callback?tenant=acme&empty=',
    'https://app.example.com/?a=%20b',
    'http://127.0.0.1:1234/cb',
    'com.example.app:/done',
  ])('to %s returns any state as it came, and changes nothing else', (uri) => {
    fc.assert(
      fc.property(text, (state) => {
        const url = new URL(redirectTo(uri, { code: 'c', state }, { issuer: ISSUER }));
        const expected = [...new URL(uri).searchParams, ['code', 'c'], ['state', state], ['iss', ISSUER]];
        expect([...url.searchParams]).toEqual(expected);
        expect(`${url.protocol}${url.host}${url.pathname}${url.hash}`).toBe(
          `${new URL(uri).protocol}${new URL(uri).host}${new URL(uri).pathname}`,
        );
      }),
    );
  });
});
