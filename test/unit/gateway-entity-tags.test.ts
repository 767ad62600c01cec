import { describe, expect, it } from 'vitest';
import { matchesIfNoneMatch, parseIfMatch } from '../../gateway/http/entity-tags.ts';

describe('parseIfMatch', () => {
  it.each<[header: string | undefined, versions: number[] | undefined]>([
    [undefined, undefined],
    ['*', undefined],
    [' * ', undefined],
    ['"2"', [2]],
    ['"1", "2"', [1, 2]],
    ['"2","7"', [2, 7]],
    ['"999999999999999"', [999_999_999_999_999]],
    // A weak tag is never the same strongly (RFC 9110 section 8.8.3.2); what is no tag of ours is no version.
    ['W/"2"', []],
    ['W/"2", "3"', [3]],
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
