import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkDigests, parseContentDigest, type DigestAlgorithm } from '../../src/business/files/content-digest.ts';
import { ServiceError } from '../../src/platform/errors.ts';

const parsed = (field: string) =>
  Object.fromEntries([...parseContentDigest(field)].map(([name, digest]) => [name, digest.toString('base64')]));

const base64 = fc.uint8Array({ maxLength: 64 }).map((bytes) => Buffer.from(bytes).toString('base64'));
const key = fc.stringMatching(/^[a-z*][a-z0-9_.*-]{0,9}$/);
const parameter = fc.stringMatching(
  /^; {0,2}[a-z*][a-z0-9_.*-]{0,5}(=(-?\d{1,15}|\d{1,12}\.\d{1,3}|"([ !#-[\]-~]|\\["\\]){0,9}"|[A-Za-z*][\w:/%.]{0,9}|\?[01]|:[A-Za-z0-9+/]{0,8}:|@\d{1,10}))?$/,
);
const member = fc.record({
  key: fc.oneof(key, fc.constantFrom('sha-256', 'sha-512')),
  base64,
  parameters: fc.array(parameter, { maxLength: 3 }),
});
const separator = fc.constantFrom(',', ', ', ' ,', '\t,\t ');

describe('parseContentDigest', () => {
  it.each<[string, Record<string, string>]>([
    ['', {}],
    ['  ', {}],
    ['sha-256=:YWI=:', { 'sha-256': 'YWI=' }],
    ['sha-512=:YWI=:, sha-256=:YWM=:', { 'sha-512': 'YWI=', 'sha-256': 'YWM=' }],
    ['sha-256=:YWI=:,sha-256=:YWM=:', { 'sha-256': 'YWM=' }],
    ['md5=:YWI=:', {}],
    ['sha-256=::', { 'sha-256': '' }],
    [' sha-256=:YWI=:;a;b=1;c="\\",:x:" ', { 'sha-256': 'YWI=' }],
  ])('parses %j', (field, expected) => expect(parsed(field)).toEqual(expected));

  it.each([
    'sha-256',
    'sha-256=',
    'sha-256=YWI=',
    'sha-256=:YWI=',
    'sha-256=:YW I=:',
    'sha-256=:YWI-:',
    'sha-256=:Y===:',
    'sha-256 =:YWI=:',
    'sha-256=:YWI=:,',
    ',sha-256=:YWI=:',
    'sha-256=:YWI=: sha-512=:YWI=:',
    'sha-256=:YWI=:;',
    'sha-256=:YWI=: ;a',
    'SHA-256=:YWI=:',
    'sha-256="YWI="',
    'unixsum=30637',
    'sha-256=(:YWI=:)',
    'é=:YWI=:',
    `sha-256=:${'A'.repeat(1_024)}:`,
  ])('rejects %j', (field) => {
    expect(() => parseContentDigest(field)).toThrow(ServiceError);
  });

  it('parses every dictionary of byte sequences, and uses the last of duplicate keys', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(member, separator), { maxLength: 6 }), (members) => {
        const texts = members.map(
          ([{ key: name, base64: value, parameters }]) => `${name}=:${value}:${parameters.join('')}`,
        );
        const field = texts.map((text, index) => (index === 0 ? text : members[index]![1] + text)).join('');
        fc.pre(field.length <= 1_024);
        const expected = members.filter(([{ key: name }]) => name === 'sha-256' || name === 'sha-512');
        expect(parsed(field)).toEqual(
          Object.fromEntries(expected.map(([{ key: name, base64: value }]) => [name, value])),
        );
      }),
    );
  });

  it('throws VALIDATION_ERROR for any other text', () => {
    const noise = fc.string({ unit: fc.constantFrom(...'ash-256=:;,. \t"\\?@%A1()'), maxLength: 1_024 });
    fc.assert(
      fc.property(noise, (field) => {
        try {
          parseContentDigest(field);
        } catch (error) {
          expect(error).toMatchObject({ reason: 'VALIDATION_ERROR' });
        }
      }),
    );
  });
});

describe('checkDigests', () => {
  it('accepts the hashes of the content only', () => {
    fc.assert(
      fc.property(fc.uint8Array(), fc.uint8Array(), (content, other) => {
        const hash = (name: string, bytes: Uint8Array) => createHash(name).update(bytes).digest();
        const hashes = new Map<DigestAlgorithm, Buffer>([
          ['sha-256', hash('sha256', content)],
          ['sha-512', hash('sha512', content)],
        ]);
        checkDigests(hashes, hashes);
        const isSame = Buffer.compare(content, other) === 0;
        for (const [algorithm, name] of [
          ['sha-256', 'sha256'],
          ['sha-512', 'sha512'],
        ] as const) {
          const check = () => checkDigests(new Map([...hashes, [algorithm, hash(name, other)]]), hashes);
          if (isSame) check();
          else expect(check).toThrow(ServiceError);
        }
      }),
    );
  });

  it('rejects a digest of another length and of an unsupported algorithm', () => {
    const digests = parseContentDigest('sha-256=:YWI=:');
    expect(() => checkDigests(digests, new Map([['sha-256', Buffer.from('abc')]]))).toThrow(ServiceError);
    expect(() => checkDigests(digests, new Map())).toThrow(ServiceError);
  });
});
