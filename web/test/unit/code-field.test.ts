// What the field of a code accepts. Browsers read its pattern with the flag v, and for the whole value.
import { expect, it } from 'vitest';
import { normalizeCode } from '../../../src/platform/formats/code.ts';
import { tagOf } from '../../src/service.ts';
import { CODE_PATTERN } from '../../src/ui/code-field.tsx';

const PATTERN = new RegExp(`^(?:${CODE_PATTERN})$`, 'v');

it.each(['123456', ' 123 456\n', '123-456', '１２３４５６', '١٢٣ ٤٥٦', '\u200f۱۲۳۴۵۶\u200e', '१२३४५६'])(
  '%j is a code, as for the service',
  (text) => {
    expect([PATTERN.test(text), normalizeCode(text)]).toEqual([true, '123456']);
  },
);

it.each(['', '12345', '1234567', '12345a', '123.456', '①②③④⑤⑥'])('%j is none', (text) => {
  expect(PATTERN.test(text)).toBe(false);
});

it('a record whose tag a proxy has removed is changed in any version', () => {
  expect(tagOf(new Headers({ etag: 'W/"7"' }))).toBe('W/"7"');
  expect(tagOf(new Headers())).toBe('*');
});
