import fc from 'fast-check';
import { expect, it } from 'vitest';
import { withEscapedOutput } from '../../cli/terminal/terminal.ts';
import { processTerminal } from '../../cli/terminal/process-terminal.ts';
import { CODE_POINT } from '../support/code-points.ts';

function written(text: string): string {
  let out = '';
  const base = processTerminal(new AbortController().signal);
  withEscapedOutput({ ...base, out: (part) => (out += part) }).out(text);
  return out;
}

it('prints tabs and ends of lines unchanged', () => {
  expect(written('a\tb\nc')).toBe('a\tb\nc');
});

it('escapes all other control and format characters', () => {
  expect(written('\u001B[2J\u009B31m\u202Ex\r\u2028\u{E0001}')).toBe(
    '\\u001b[2J\\u009b31m\\u202ex\\u000d\\u2028\\udb40\\udc01',
  );
});

it('keeps the value of any JSON', () => {
  fc.assert(
    fc.property(fc.json({ stringUnit: CODE_POINT }), (json) => {
      const out = written(json);
      expect(JSON.parse(out)).toEqual(JSON.parse(json));
      expect(out).not.toMatch(/(?![\t\n])[\p{Cc}\p{Cf}]/u);
    }),
  );
});
