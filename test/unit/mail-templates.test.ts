// Templates of mails: they are complete, and values are never markup.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { describeFactors } from '../../src/auth/mail/factor-lines.ts';
import { loadTemplates } from '../../src/auth/mail/load-templates.ts';
import { renderMail } from '../../src/auth/mail/render-mail.ts';
import { parseTemplate, TEMPLATE_NAMES, TEMPLATE_VALUES } from '../../src/auth/mail/template.ts';
import { LANGUAGES } from '../../src/auth/access/policy/policy-fields.ts';
import { CODE_POINT } from '../support/code-points.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const LINK = 'https://auth.shop.test/recover#token=abc';
const SAMPLE = {
  tenant: 'Acme',
  username: 'ann@acme.test',
  application: 'Wiki',
  webhook: 'hooks.example.com',
  time: '2027-01-31 12:00 UTC',
  link: LINK,
};
const LISTS = { factors: ['Authenticator app', 'Passkey <Phone>'] };
const ALL = LANGUAGES.flatMap((language) => TEMPLATE_NAMES.map((name) => ({ language, name })));
const templates = loadTemplates(undefined);
const render = (language: (typeof LANGUAGES)[number], name: (typeof TEMPLATE_NAMES)[number], values: object = {}) =>
  renderMail(templates(language, name), language, { ...SAMPLE, ...values }, LISTS);

describe.each(ALL)('$name in $language', ({ language, name }) => {
  it('shows all its values in text and HTML, and no images', () => {
    const { subject, text, html } = render(language, name);
    expect(subject).toContain('Acme');
    for (const value of TEMPLATE_VALUES[name]) {
      expect(text).toContain(value === 'factors' ? '\n- Authenticator app\n- Passkey <Phone>\n' : SAMPLE[value]);
      expect(html).toContain(value === 'factors' ? '<li>Passkey &lt;Phone&gt;</li>' : SAMPLE[value]);
    }
    expect(html).toContain(`<html lang="${language}">`);
    expect(html).not.toMatch(/<img|<script|src=|url\(/);
    expect(`${subject}${text}${html}`).not.toMatch(/\{\{|\}\}/);
  });

  it('never shows a value as markup, as a further line, or in another direction', () => {
    fc.assert(
      fc.property(fc.string({ unit: CODE_POINT, maxLength: 400 }), (value) => {
        const { subject, text, html, senderName } = render(language, name, { tenant: value, username: value });
        const tags = (source: string) => source.match(/<[^>]*>/g);
        expect(tags(html)).toEqual(tags(render(language, name).html));
        expect(`${subject}${senderName}`).not.toMatch(/[\p{Cc}\p{Cf}]/u);
        expect(text.split('\n').length).toBe(render(language, name).text.split('\n').length);
      }),
    );
  });

  it.each(['<b>&"\'', '{{link}}', '[label]({{link}})', '\u202Eevil', 'a\r\nBcc: eve@evil.test', 'x'.repeat(1_000)])(
    'shows %j as text of at most 200 characters',
    (value) => {
      const { html, subject } = render(language, name, { tenant: value, username: value });
      expect(html).not.toMatch(/<b>|\u202E/);
      expect(subject).not.toMatch(/[\r\n]/);
      expect(subject.length).toBeLessThan(300);
    },
  );
});

describe('a folder of templates', () => {
  const write = (source: string) => {
    const folder = temporaryFolder('templates-');
    mkdirSync(join(folder, 'en'));
    writeFileSync(join(folder, 'en/recovery.txt'), source);
    return folder;
  };

  it('replaces those that it has', () => {
    const replaced = loadTemplates(write('Subject: Hi {{username}}\r\n\r\n[Go]({{link}})\r\n\r\nBye <you>'));
    const { subject, text, html } = renderMail(replaced('en', 'recovery'), 'en', SAMPLE);
    expect(subject).toBe('Hi ann@acme.test');
    expect(text).toBe(`Go:\n${LINK}\n\nBye <you>\n`);
    expect(html).toContain('<p>Bye &lt;you&gt;</p>');
    expect(replaced('de', 'recovery')).toEqual(templates('de', 'recovery'));
  });

  it.each([
    ['no subject', 'Hello', 'begins with `Subject: …`'],
    ['an unknown value', 'Subject: {{password}}\n\n[Go]({{link}})', 'unknown value {{password}}'],
    ['no link', 'Subject: Hi\n\nHello', 'a paragraph must be `[label]({{link}})`'],
    ['a list in a text', 'Subject: Hi\n\n[Go]({{link}})\n\nYou have {{factors}}', 'unknown value {{factors}}'],
    ['a link in a text', 'Subject: Hi\n\n[Go]({{link}})\n\nHello {{link}}', 'unknown value {{link}}'],
    ['too much text', `Subject: Hi\n\n[Go]({{link}})\n\n${'x'.repeat(10_000)}`, 'at most 10000 characters'],
  ])('with %s stops the start, with the file', (_, source, problem) => {
    const folder = write(source);
    expect(() => loadTemplates(folder)).toThrow(problem);
    expect(() => loadTemplates(folder)).toThrow(join(folder, 'en/recovery.txt'));
  });
});

it.each([
  ['en', ['Authenticator app: since 2027-01-31 12:00 UTC', 'Passkey “A”: since 1970-01-01 00:00 UTC'], ['none']],
  ['de', ['Authentifizierungs-App: seit 2027-01-31 12:00 UTC', 'Passkey „A“: seit 1970-01-01 00:00 UTC'], ['keine']],
] as const)('factors are described in %s', (language, lines, none) => {
  const factors = [
    { method: 'totp', createdAt: Date.UTC(2027, 0, 31, 12) },
    { method: 'passkey', label: 'A', createdAt: 0 },
  ] as const;
  expect(describeFactors(language, factors)).toEqual(lines);
  expect(describeFactors(language, [])).toEqual(none);
});

it('a link belongs to mails that have one', () => {
  expect(() => parseTemplate('Subject: Hi\n\n[Go]({{link}})', ['tenant'])).toThrow('no link');
});
