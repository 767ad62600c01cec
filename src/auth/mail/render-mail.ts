import type { Template } from './template.ts';

/** A mail without its addresses. */
export interface RenderedMail {
  /** Name of the sender: that of the tenant. */
  readonly senderName: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** Values are data of users and administrators: one line without control characters, and never markup. */
type Values = Readonly<Record<string, string>>;
type Lists = Readonly<Record<string, readonly string[]>>;

const MAX_VALUE_CHARACTERS = 200;

/** Renders a template. */
export function renderMail(template: Template, language: string, values: Values, lists: Lists = {}): RenderedMail {
  const shown = Object.fromEntries(Object.entries(values).map(([name, value]) => [name, toLine(value)]));
  const link = values['link'] ?? '';
  const fill = (line: Template['subject']): string =>
    line.map((part) => ('text' in part ? part.text : (shown[part.value] ?? ''))).join('');
  const subject = fill(template.subject);
  const blocks = template.paragraphs.map((paragraph) => {
    if ('list' in paragraph) return listBlock((lists[paragraph.list] ?? []).map(toLine));
    return paragraph.isLink ? linkBlock(fill(paragraph.line), link) : textBlock(fill(paragraph.line));
  });
  return {
    senderName: shown['tenant'] ?? '',
    subject,
    text: `${blocks.map(({ text }) => text).join('\n\n')}\n`,
    html: toDocument(language, subject, blocks.map(({ html }) => html).join('\n')),
  };
}

/** Format characters could reverse the direction of the text around them. */
function toLine(value: string): string {
  const line = value.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ').trim();
  return [...line].slice(0, MAX_VALUE_CHARACTERS).join('');
}

/** A paragraph in both forms. */
interface Block {
  readonly text: string;
  readonly html: string;
}

const textBlock = (content: string): Block => ({ text: content, html: `<p>${escape(content)}</p>` });

const linkBlock = (content: string, link: string): Block => ({
  text: `${content}:\n${link}`,
  html: `<p><a href="${escape(link)}">${escape(content)}</a></p>\n<p style="word-break:break-all">${escape(link)}</p>`,
});

const listBlock = (items: readonly string[]): Block => ({
  text: items.map((item) => `- ${item}`).join('\n'),
  html: `<ul>\n${items.map((item) => `<li>${escape(item)}</li>`).join('\n')}\n</ul>`,
});

/** Without images and with the colours of the reader, so that it is readable in dark mode. */
function toDocument(language: string, title: string, body: string): string {
  return `<!doctype html>
<html lang="${escape(language)}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<title>${escape(title)}</title>
</head>
<body style="font-family:sans-serif;line-height:1.5;max-width:36em;margin:1em auto;padding:0 1em">
${body}
</body>
</html>
`;
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escape(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => ENTITIES[character]!);
}
