// Patterns of texts for the OpenAPI document: what the core's checks of characters accept, in the syntax that ECMAScript, Java, Python and
// Rust share. They match from the first character to the last, because some clients match from the beginning.

const range = (first: number, last: number) => `${String.fromCodePoint(first)}-${String.fromCodePoint(last)}`;

/** Unicode's category Cc, but not tab and the ends of lines. */
const CONTROLS_IN_TEXT = String.raw`\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F-\u009F`;
/** Categories Cc, Cf and Co; JSON in UTF-8 holds no Cs. */
const FORBIDDEN =
  String.raw`\u0000-\u001F\u007F-\u009F\u00AD\u0600-\u0605\u061C\u06DD\u070F\u0890\u0891\u08E2\u180E\u200B-\u200F` +
  String.raw`\u202A-\u202E\u2060-\u2064\u2066-\u206F\uE000-\uF8FF\uFEFF\uFFF9-\uFFFB` +
  // Beyond the first plane as themselves: there is no escape that all of them know.
  [
    [0x110bd, 0x110bd],
    [0x110cd, 0x110cd],
    [0x13430, 0x1343f],
    [0x1bca0, 0x1bca3],
    [0x1d173, 0x1d17a],
    [0xe0001, 0xe0001],
    [0xe0020, 0xe007f],
    [0xf0000, 0xffffd],
    [0x100000, 0x10fffd],
  ]
    .map(([first, last]) => range(first!, last!))
    .join('');

/** Texts of these characters, not all of them blank. */
const notBlank = (excluded: string) => `^[^${excluded}]*[^\\s${excluded}][^${excluded}]*$`;

/** Any text that is not blank. */
export const NOT_BLANK = '^[\\s\\S]*\\S[\\s\\S]*$';
/** A text of several lines. */
export const TEXT = notBlank(CONTROLS_IN_TEXT);
/** A text of several lines without slashes of either kind. */
export const FILE_NAME = notBlank(`${CONTROLS_IN_TEXT}/\\\\`);
/** A name that people read, such as a label. */
export const IDENTIFIER = notBlank(FORBIDDEN);

const TOKEN = "[!#$%&'*+.^_`|~A-Za-z0-9-]+";
/** A media type (RFC 9110 section 8.3.1) with plain parameters. */
export const MEDIA_TYPE = `^${TOKEN}/${TOKEN}(?:; ?${TOKEN}=${TOKEN})*$`;
