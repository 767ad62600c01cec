// Texts with parameters in braces: `locked until {until}`.

/** A part of a text: the name of a parameter, or what stands between two. */
export type Part = { readonly name: string } | { readonly text: string };

/** Splits a text at its parameters. */
export const partsOf = (template: string): readonly Part[] =>
  template
    .split(/\{(\w+)\}/)
    .map((text, index) => (index % 2 === 1 ? { name: text } : { text }))
    .filter((part) => !('text' in part) || part.text !== '');

/** Replaces each parameter by the text that is returned for its name. */
export const fillTemplate = (template: string, textOf: (name: string) => string): string =>
  partsOf(template)
    .map((part) => ('text' in part ? part.text : textOf(part.name)))
    .join('');
