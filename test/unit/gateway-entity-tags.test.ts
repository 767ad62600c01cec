import { describe, expect, it } from 'vitest';
import { ifNoneMatchContains, matchesIfNoneMatch, parseIfMatch } from '../../gateway/http/entity-tags.ts';

describe('parseIfMatch', () => {
  it.each<[header: string | undefined, versions: number[] | undefined]>([
    [undefined, undefined],
    ['*', undefined],
    [' * ', undefined],
    ['"2"', [2]],
    ['"1", "2"', [1, 2]],
    ['"2","7"', [2, 7]],
    ['"999999999999999"', [999_999_999_999_999]],
    // Proxies that compress change the tag: nginx, HAProxy and Cloudflare weaken it, Caddy and Apache add the coding, Jetty too.
    ['W/"2"', [2]],
    ['W/"2", "3"', [2, 3]],
    ['"2-gzip"', [2]],
    ['"2-zstd", "3-br"', [2, 3]],
    ['W/"2-gzip"', [2]],
    ['"2--gzip"', [2]],
    ['"2-deflate"', [2]],
    ['"2-other"', []],
    ['"2-"', []],
    ['"-gzip"', []],
    ['"2gzip"', []],
    ['w/"2"', []],
    ['W/2', []],
    ['W/W/"2"', []],
    ['W/ "2"', []],
    ['garbage, "2"', [2]],
    ['garbage', []],
    ['2', []],
    ["'2'", []],
    ['"2', []],
    ['2"', []],
    ['""', []],
    ['"*"', []],
    ['"1", *', [1]],
    ['"02"', []],
    ['"0"', []],
    ['"-2"', []],
    ['"+2"', []],
    ['"2.0"', []],
    ['" 2"', []],
    ['"2e0"', []],
    ['"\u0662"', []],
    ['"9999999999999999"', []],
    [',', []],
    ['', []],
  ])('parses %j as %j', (header, versions) => {
    expect(parseIfMatch({ headers: { 'if-match': header } })?.versions).toEqual(versions);
  });
});

describe('matchesIfNoneMatch', () => {
  it.each<[header: string | undefined, known: boolean]>([
    [undefined, false],
    ['*', true],
    ['"2"', true],
    ['W/"2"', true],
    ['"1", W/"2"', true],
    ['"1","2","3"', true],
    ['"2-gzip"', true],
    ['W/"2-br"', true],
    ['"1-gzip", "2-gzip"', true],
    ['"2-other"', false],
    ['"1-gzip"', false],
    ['"1"', false],
    ['"02"', false],
    ['2', false],
    ['w/"2"', false],
    ['"22"', false],
    ['garbage', false],
    ['', false],
  ])('returns for %j: %j', (header, known) => {
    expect(matchesIfNoneMatch({ headers: { 'if-none-match': header } }, 2)).toBe(known);
  });
});

describe('ifNoneMatchContains', () => {
  it('finds a tag that itself ends like the name of a coding', () => {
    for (const known of ['"hash-br"', 'W/"hash-br"', '"hash-br-gzip"'])
      expect(ifNoneMatchContains({ headers: { 'if-none-match': known } }, '"hash-br"')).toBe(true);
    expect(ifNoneMatchContains({ headers: { 'if-none-match': '"hash"' } }, '"hash-br"')).toBe(false);
  });
});
