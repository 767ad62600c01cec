import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { originMatcher } from '../../src/platform/formats/origins.ts';
import { requestId } from '../../gateway/http/server.ts';
import { requestPath } from '../../src/platform/problem/request-path.ts';
import { anyText } from '../support/texts.ts';

describe('requestPath', () => {
  it.each([
    ['/api/v1/auth/me', '/api/v1/auth/me'],
    ['/a?b=/c#d', '/a'],
    ['/a#b?c', '/a'],
    ['/%7Ea/%zz/%C3%A9', '/%7Ea/%zz/%C3%A9'],
    ['/a<b>"c"\\', '/a%3Cb%3E%22c%22%5C'],
    ['/\u00e9', '/%E9'],
    ['http://user@host:8080/a/b?c', '/a/b'],
    ['http://host', '/'],
    ['?a', '/'],
    ['//evil/x', '//evil/x'],
    ['*', '*'],
  ])('of %j returns %j', (target, path) => {
    expect(requestPath(target)).toBe(path);
  });

  it('contains only characters of a path, for any input', () => {
    fc.assert(fc.property(anyText(), (target) => /^[\w\-.~!$&'()*+,;=:@/%]+$/.test(requestPath(target))));
  });
});

describe('requestId', () => {
  it.each(['a', 'A-b.c:d_9', 'x'.repeat(64)])('keeps the valid %j', (own) => {
    expect(requestId({ headers: { 'x-request-id': own } })).toBe(own);
  });

  it.each(['', 'x'.repeat(65), 'a b', 'a\tb', 'é', 'a,b', ['a', 'b'], undefined])('replaces %j', (own) => {
    const headers = { 'x-request-id': own } as Record<string, string>;
    expect(requestId({ headers })).toMatch(/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/);
  });
});

describe('originMatcher', () => {
  const listed = originMatcher({ origins: ['https://shop.test'], anyLoopbackPort: false });
  const loopback = originMatcher({ origins: [], anyLoopbackPort: true });

  it.each([
    ['https://shop.test', true],
    ['https://shop.test:443', false],
    ['https://SHOP.test', false],
    ['https://shop.test/', false],
    ['http://shop.test', false],
    ['https://shop.test.evil.test', false],
    ['http://localhost:3000', false],
    ['null', false],
  ])('matches %s: %s', (origin, expected) => {
    expect(listed(origin)).toBe(expected);
  });

  it.each([
    ['http://localhost', true],
    ['http://localhost:5173', true],
    ['http://127.0.0.1:1', true],
    ['https://localhost:5173', false],
    ['http://localhost.evil.test', false],
    ['http://localhost:5173.evil.test', false],
    ['http://127.0.0.2:80', false],
  ])('treats %s as loopback: %s', (origin, expected) => {
    expect(loopback(origin)).toBe(expected);
  });
});
