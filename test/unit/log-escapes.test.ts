// Log lines contain no control sequences for the terminal.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createLogger, escapeJsonLine, showEscapes } from '../../src/platform/process/log.ts';
import { anyText } from '../support/texts.ts';

const HOSTILE = 'a\u001b[2J\u009b31m\u007f\u202eb\u200bc\u2028d';
// oxlint-disable-next-line no-control-regex -- They are what it looks for.
const SPEAKS = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\p{Cf}\u2028\u2029]/u;

describe.each(['json', 'pretty'] as const)('the format %s', (format) => {
  it('escapes control and format characters, in messages and fields', () => {
    const lines: string[] = [];
    const destination = { write: (line: string) => void lines.push(line), isTerminal: false };
    const log = createLogger({ level: 'info', format, name: 'test', destination } as never);
    log.info({ username: HOSTILE }, `failed login of ${HOSTILE}`);
    const text = lines.join('');
    expect(text).not.toMatch(SPEAKS);
    expect(text).toContain('\\u009b31m');
    expect(text).toContain('\\u202eb');
    expect(text).toContain('\\u001b[2J');
  });
});

it('log escapes keep the value of every line of JSON', () => {
  fc.assert(
    fc.property(anyText(), (text) => {
      const line = JSON.stringify({ text });
      expect(JSON.parse(escapeJsonLine(line))).toEqual({ text });
      const shown = (JSON.parse(showEscapes(line)) as { text: string }).text;
      expect(shown).not.toMatch(SPEAKS);
    }),
  );
});
