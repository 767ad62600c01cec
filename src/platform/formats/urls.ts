const BLANK_OR_CONTROL = /[\s\p{Cc}]/u;
const ASCII = /^[\0-\x7f]*$/;

/** Converts a URL with other characters than ASCII (WHATWG URL): A-labels and percent-encoding. Returns all other texts unchanged. */
export function toAsciiUrl(text: string): string {
  if (ASCII.test(text) || BLANK_OR_CONTROL.test(text)) return text;
  return URL.parse(text)?.href ?? text;
}
