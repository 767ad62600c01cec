// Templates of mails: one source for text and HTML. Pure functions.
// A template is a line with the subject, and paragraphs separated by blank lines. A paragraph `[label]({{link}})` is a link.
// A paragraph `{{factors}}` is a list. `{{name}}` stands for a value. All other text is shown as it is.

/** The values that each template can show. */
export const TEMPLATE_VALUES = {
  recovery: ['tenant', 'username', 'link'],
  'email-confirmation': ['tenant', 'username', 'link'],
  'email-change-requested': ['tenant', 'username', 'time', 'link'],
  invitation: ['tenant', 'username', 'link'],
  'email-changed': ['tenant', 'username', 'time'],
  'password-changed': ['tenant', 'username', 'time'],
  // A mailbox is enough for a recovery, so its owner should see which factors still protect the account.
  'recovery-used': ['tenant', 'username', 'time', 'factors'],
  'factor-added': ['tenant', 'username', 'time'],
  'factor-removed': ['tenant', 'username', 'time'],
  'factor-locked': ['tenant', 'username', 'time'],
  'access-code': ['tenant', 'username', 'time'],
  'session-replayed': ['tenant', 'username', 'time'],
  'application-access': ['tenant', 'username', 'time', 'application'],
  'webhook-failing': ['tenant', 'username', 'time', 'webhook'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

export type TemplateName = keyof typeof TEMPLATE_VALUES;
export const TEMPLATE_NAMES = Object.keys(TEMPLATE_VALUES) as readonly TemplateName[];

/** The values of a mail. */
export type MailValues<Name extends TemplateName = TemplateName> = Readonly<
  Record<(typeof TEMPLATE_VALUES)[Name][number], string>
>;

/** A part of a line: text, or the name of a value. */
type Part = { readonly text: string } | { readonly value: string };
type Line = readonly Part[];

/** A paragraph; with a link if it leads to the link of the mail, or a list of values. */
export type Paragraph = { readonly line: Line; readonly isLink: boolean } | { readonly list: string };

export interface Template {
  readonly subject: Line;
  readonly paragraphs: readonly Paragraph[];
}

const SUBJECT = /^Subject: (.+)$/;
const LINK = /^\[([^\]]+)\]\(\{\{link\}\}\)$/;
/** The values that are lists. */
const LISTS: readonly string[] = ['factors'];
const LIST = /^\{\{(\w+)\}\}$/;
const MAX_CHARACTERS = 10_000;

/** Parses a template. Throws an Error with the reason. */
export function parseTemplate(source: string, allowed: readonly string[]): Template {
  if (source.length > MAX_CHARACTERS) throw new Error(`a template has at most ${MAX_CHARACTERS} characters`);
  const [first = '', ...paragraphs] = source
    .replaceAll('\r\n', '\n')
    .trim()
    .split(/\n[ \t]*\n\s*/);
  const [, subject] = SUBJECT.exec(first) ?? [];
  if (subject === undefined) throw new Error('a template begins with `Subject: …` and a blank line');
  const inText = allowed.filter((name) => name !== 'link' && !LISTS.includes(name));
  const parsed = paragraphs.map((paragraph): Paragraph => {
    const [, list = ''] = LIST.exec(paragraph) ?? [];
    if (LISTS.includes(list) && allowed.includes(list)) return { list };
    const [, label] = LINK.exec(paragraph) ?? [];
    return { line: parseLine(label ?? paragraph, inText), isLink: label !== undefined };
  });
  if (parsed.some((paragraph) => 'isLink' in paragraph && paragraph.isLink) !== allowed.includes('link'))
    throw new Error(
      allowed.includes('link') ? 'a paragraph must be `[label]({{link}})`' : 'this mail has no link to show',
    );
  return { subject: parseLine(subject, inText), paragraphs: parsed };
}

function parseLine(text: string, allowed: readonly string[]): Line {
  return text
    .split(/(\{\{.*?\}\})/)
    .filter((part) => part !== '')
    .map((part) => {
      const [, value] = /^\{\{(.*)\}\}$/.exec(part) ?? [];
      if (value === undefined) return { text: part.replaceAll(/\s+/g, ' ') };
      if (!allowed.includes(value))
        throw new Error(`unknown value {{${value}}}; there are ${allowed.map((name) => `{{${name}}}`).join(', ')}`);
      return { value };
    });
}
