import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { authPath } from '../../gateway/api-path.ts';
import { cookieValues } from '../../gateway/auth/profile-a/refresh-cookie.ts';

const NAME = 'SERVICE_REFRESH';
const token = fc.stringMatching(/^[\w!#$%&'*+.^`|~-]{1,12}$/);
const value = fc.stringMatching(/^[\w!#$%&'()*+./:<=>?@[\]^`{|}~-]{0,20}$/);

describe('cookieValues', () => {
  it('returns all values of its name in order, beside any other cookies', () => {
    const pair = fc.record({ name: fc.oneof(token, fc.constant(NAME)), value });
    fc.assert(
      fc.property(fc.array(pair), fc.constantFrom('; ', ';', ' ;\t'), (pairs, separator) => {
        const header = pairs.map((cookie) => `${cookie.name}=${cookie.value}`).join(separator);
        const expected = pairs.filter((cookie) => cookie.name === NAME).map((cookie) => cookie.value);
        expect(cookieValues(header, NAME)).toEqual(expected);
      }),
    );
  });

  it('accepts any text without an error', () => {
    fc.assert(fc.property(fc.string(), (header) => Array.isArray(cookieValues(header, NAME))));
  });

  it.each([
    ['', []],
    ['SERVICE_REFRESH', []],
    ['SERVICE_REFRESH=', ['']],
    ['service_refresh=a', []],
    ['XSERVICE_REFRESH=a; SERVICE_REFRESHX=b', []],
    ['SERVICE_REFRESH="a"', ['"a"']],
    ['SERVICE_REFRESH=a%3D=b', ['a%3D=b']],
    ['SERVICE_REFRESH = a ', ['a']],
  ])('parses %j as %j', (header, expected) => {
    expect(cookieValues(header, NAME)).toEqual(expected);
  });
});

describe('authPath', () => {
  it.each([
    ['any', '/api/v1/auth'],
    ['/shop', '/shop/api/v1/auth'],
  ])('is under the context path %s', (contextPath, path) => {
    expect(authPath({ 'app.http.context-path': contextPath })).toBe(path);
  });
});
