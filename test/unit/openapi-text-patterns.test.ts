// The text patterns of the OpenAPI document match the same characters as the core.
import { describe, expect, it } from 'vitest';
import {
  EMAIL,
  FILE_NAME,
  IDENTIFIER,
  MEDIA_TYPE,
  NAME,
  NEW_PASSWORD,
  NOT_BLANK,
  TEXT,
} from '../../src/platform/rpc/contract/text-patterns.ts';
import { FieldRule, Format } from '../../proto/gen/authservice/rule/v1/rule.ts';
import { hasForbiddenCharacters } from '../../src/platform/formats/characters.ts';
import { createPasswordPolicy } from '../../src/auth/identity/users/password-policy.ts';
import { TEXT_FORMATS } from '../../src/platform/rpc/contract/formats.ts';
import { createMessage } from '../../src/platform/rpc/message.ts';

/** Whether a text of at most 100 characters has a format of the core. */
const hasFormat = (format: Format, text: string): boolean => {
  const { normalize, check } = TEXT_FORMATS[format]!;
  return check(normalize(text), createMessage(FieldRule, { format, max: 100 })) === undefined;
};
const CORE: Readonly<Record<string, readonly [pattern: string, accepts: (text: string) => boolean]>> = {
  IDENTIFIER: [IDENTIFIER, (text) => text.trim() !== '' && !hasForbiddenCharacters(text)],
  TEXT: [TEXT, (text) => hasFormat(Format.FORMAT_TEXT, text)],
  FILE_NAME: [FILE_NAME, (text) => hasFormat(Format.FORMAT_FILE_NAME, text)],
  NAME: [NAME, (text) => hasFormat(Format.FORMAT_NAME, text)],
  NOT_BLANK: [NOT_BLANK, (text) => text.trim() !== ''],
};

describe.each(Object.entries(CORE))('the pattern of %s', (_name, [pattern, isAccepted]) => {
  const matches = new RegExp(pattern);

  it("equals the core's rule for every character of the first plane", () => {
    const differing: string[] = [];
    for (let code = 0; code <= 0xffff; code += 1) {
      if (code >= 0xd800 && code <= 0xdfff) continue;
      const text = `a${String.fromCodePoint(code)}b`;
      if (matches.test(text) !== isAccepted(text)) differing.push(code.toString(16));
    }
    expect(differing).toEqual([]);
  });

  it('matches no character of other planes that the core rejects', () => {
    const refused = [0xe0001, 0xf0000, 0x10fffd].map((code) => `a${String.fromCodePoint(code)}`);
    expect(refused.filter((text) => matches.test(text) && !isAccepted(text))).toEqual([]);
  });

  it.each(['', ' ', ' \t', ' a ', 'a'])("equals the core's rule for %j", (text) => {
    expect(matches.test(text)).toBe(isAccepted(text));
  });
});

describe('the pattern of EMAIL', () => {
  it("equals the core's rule for every character of the first plane", () => {
    const differing: string[] = [];
    for (let code = 0; code <= 0xffff; code += 1) {
      if (code >= 0xd800 && code <= 0xdfff) continue;
      const text = `a${String.fromCodePoint(code)}b@c.test`;
      if (new RegExp(EMAIL).test(text) !== hasFormat(Format.FORMAT_EMAIL, text)) differing.push(code.toString(16));
    }
    expect(differing).toEqual([]);
  });
});

describe('the pattern of MEDIA_TYPE', () => {
  it.each(['image/png', 'text/plain; charset=utf-8', 'a/b;c=d; e=f', "!#$%&'*+.^_`|~-/x"])('matches %s', (type) => {
    expect(type).toMatch(new RegExp(MEDIA_TYPE));
    expect(hasFormat(Format.FORMAT_MEDIA_TYPE, type)).toBe(true);
  });

  it.each(['', '0', 'image', 'image/', 'a b/c', 'a/b;'])('does not match %j', (type) => {
    expect(type).not.toMatch(new RegExp(MEDIA_TYPE));
  });
});

describe('the pattern of NEW_PASSWORD', () => {
  const check = createPasswordPolicy({ refuseSamples: false });
  it.each(['a'.repeat(12), ' '.repeat(40), '\n'.repeat(12), '\u{1F600}'.repeat(12), 'é'.repeat(1024)])(
    'rejects %j, as the policy does',
    async (password) => {
      expect(password).not.toMatch(new RegExp(NEW_PASSWORD, 'u'));
      expect(await check('password', password, { username: 'ann' })).toBeDefined();
    },
  );

  it('matches a password that the policy accepts', async () => {
    for (const password of [`${'a'.repeat(11)}b`, `b${'a'.repeat(1023)}`, `\n${' '.repeat(11)}`]) {
      expect(password).toMatch(new RegExp(NEW_PASSWORD, 'u'));
      expect(await check('password', password, { username: 'ann' })).toBeUndefined();
    }
  });
});
