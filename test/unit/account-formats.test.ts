// The formats of usernames, names, labels, passwords, tenant ids and JSON objects: accepted, normalized and rejected texts.
import { expect, it } from 'vitest';
import { FieldRule, Format } from '../../proto/gen/authservice/rule/v1/rule.ts';
import { TEXT_FORMATS } from '../../src/platform/rpc/contract/formats.ts';
import { createMessage } from '../../src/platform/rpc/message.ts';

const { FORMAT_USERNAME, FORMAT_NAME, FORMAT_LABEL, FORMAT_PASSWORD, FORMAT_SLUG, FORMAT_TENANT, FORMAT_EMAIL } =
  Format;
const { FORMAT_JSON_OBJECT } = Format;

it.each<[format: Format, text: string, fault: string | undefined, handled?: string]>([
  [FORMAT_USERNAME, '  Ann@Acme.Test ', undefined, 'ann@acme.test'],
  [FORMAT_USERNAME, 'e\u0301', undefined, '\u00e9'],
  [FORMAT_USERNAME, ' ', 'length'],
  [FORMAT_USERNAME, 'x'.repeat(21), 'length'],
  [FORMAT_USERNAME, '\ud800', 'length'],
  [FORMAT_USERNAME, 'x'.repeat(100_000), 'length'],
  [FORMAT_USERNAME, `${' '.repeat(100)}x`, undefined, 'x'],
  [FORMAT_USERNAME, 'a\u200cb', 'characters'],
  [FORMAT_NAME, ' Ann ', undefined, 'Ann'],
  [FORMAT_NAME, 'a\u200cb\u200dc', undefined],
  [FORMAT_NAME, 'a\u202eb', 'characters'],
  [FORMAT_NAME, 'a\tb', 'characters'],
  [FORMAT_NAME, '', 'length'],
  [FORMAT_LABEL, ' as given ', undefined, ' as given '],
  [FORMAT_LABEL, ' \u00a0 ', 'length'],
  [FORMAT_LABEL, 'a\u200cb', 'characters'],
  [FORMAT_PASSWORD, ' blanks count ', undefined, ' blanks count '],
  [FORMAT_PASSWORD, 'elevenchars', 'length'],
  [FORMAT_PASSWORD, 'x'.repeat(21), 'length'],
  [FORMAT_SLUG, 'acme-1', undefined],
  [FORMAT_SLUG, 'Acme', 'pattern'],
  [FORMAT_SLUG, 'acme\n', 'pattern'],
  [FORMAT_SLUG, 'x'.repeat(64), 'pattern'],
  [FORMAT_TENANT, '', 'tenant'],
  [FORMAT_TENANT, 'acme', undefined],
  [FORMAT_EMAIL, 'a\u200bb@c.test', 'characters'],
  [FORMAT_EMAIL, ' a@b.test ', undefined, 'a@b.test'],
  [FORMAT_EMAIL, "o'a+b@b.test", undefined],
  [FORMAT_EMAIL, 'ü.ä@bü.test', undefined],
  [FORMAT_EMAIL, 'a@localhost', undefined],
  ...[
    'a b@c.test|<a@c.test>|a"b@c.test|"a"@c.test|a,b@c.test|a;b@c.test|a:b@c.test|(a)b@c.test|a\\b@c.test|.a@c.test',
    'a.@c.test|a..b@c.test|a@b@c.test|@c.test|a@|a@c test|a@c..test|a@-c.test|a@c_d.test|a@%63.test|a@[127.0.0.1]',
    'a@127.0.0.1|a@0x7f.1|a@c.test.',
  ].flatMap((texts) => texts.split('|').map((text) => [FORMAT_EMAIL, text, 'email'] as [Format, string, string])),
  [FORMAT_JSON_OBJECT, '{}', undefined, '{}'],
  [FORMAT_JSON_OBJECT, '{"id":"a","n":[1]}', undefined, '{"id":"a","n":[1]}'],
  [FORMAT_JSON_OBJECT, '', 'length'],
  [FORMAT_JSON_OBJECT, `{"a":"${'x'.repeat(20)}"}`, 'length'],
  [FORMAT_JSON_OBJECT, '[]', 'type'],
  [FORMAT_JSON_OBJECT, 'null', 'type'],
  [FORMAT_JSON_OBJECT, '"{}"', 'type'],
  [FORMAT_JSON_OBJECT, '{', 'type'],
])('the format of %s: %j is %s', (format, text, fault, handled) => {
  const { normalize, check } = TEXT_FORMATS[format]!;
  const rule = createMessage(FieldRule, { format, max: 20, min: format === FORMAT_PASSWORD ? 12 : 0 });
  expect(check(normalize(text), rule)?.format).toBe(fault);
  if (handled !== undefined) expect(normalize(text)).toBe(handled);
});
