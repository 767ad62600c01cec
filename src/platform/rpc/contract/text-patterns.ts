// Patterns of texts for the OpenAPI document. They describe the characters that the core accepts, in the syntax common to
// ECMAScript, Java, Python and Rust. They match whole texts, because some clients anchor patterns at the start.

/** Unicode category Cc, except tab, line feed and carriage return. */
const CONTROLS_IN_TEXT = String.raw`\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F-\u009F`;
/**
 * Visible characters of the Basic Multilingual Plane, without the categories Cc, Cf, Co and Cs. The core also accepts other planes,
 * but these languages share no escape for them.
 */
const VISIBLE =
  String.raw`!-~\u00A1-\u00AC\u00AE-\u05FF\u0606-\u061B\u061D-\u06DC\u06DE-\u070E\u0710-\u088F\u0892-\u08E1\u08E3-\u167F` +
  String.raw`\u1681-\u180D\u180F-\u1FFF\u2010-\u2027\u2030-\u205E\u2065\u2070-\u2FFF\u3001-\uD7FF\uF900-\uFEFE\uFF00-\uFFF8` +
  String.raw`\uFFFC-\uFFFF`;
const BLANK = String.raw` \u00A0\u1680\u2000-\u200A\u2028\u2029\u202F\u205F\u3000`;

/** Returns the pattern of texts without the excluded characters, not all blank. */
const notBlank = (excluded: string) => `^[^${excluded}]*[^\\s${excluded}][^${excluded}]*$`;

/** Returns the pattern of texts of visible characters and blanks, not all blank. */
const notBlankOf = (visible: string) => `^[${BLANK}${visible}]*[${visible}][${BLANK}${visible}]*$`;

/** A text that is not blank. */
export const NOT_BLANK = '^[\\s\\S]*\\S[\\s\\S]*$';
/** A text of several lines. */
export const TEXT = notBlank(CONTROLS_IN_TEXT);
/** A text with a digit. */
export const PHONE = `^[^${CONTROLS_IN_TEXT}]*[0-9][^${CONTROLS_IN_TEXT}]*$`;
/** An identifier, such as a username or a label. */
export const IDENTIFIER = notBlankOf(VISIBLE);
/** A display name: an identifier that may contain zero-width joiners. */
export const NAME = notBlankOf(String.raw`${VISIBLE}\u200C\u200D`);
/** A display name without slashes of either kind. */
export const FILE_NAME = notBlankOf(String.raw`${VISIBLE.replace('!-~', String.raw`!-.0-\[\]-~`)}\u200C\u200D`);
/** A character of the local part of an e-mail address, but the dot. */
const OF_LOCAL_PART = `[${VISIBLE.replace('!-~', String.raw`!#-'*+\-/-9=?A-Z\^-~`)}]`;
const AFTER_FIRST = '(?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?';
/** The core also accepts domains in Unicode. */
const DOMAIN = String.raw`(?:[A-Za-z0-9]${AFTER_FIRST}\.)*[A-Za-z]${AFTER_FIRST}`;
/** An e-mail address that mails can be sent to. */
export const EMAIL = String.raw`^${OF_LOCAL_PART}+(?:\.${OF_LOCAL_PART}+)*@${DOMAIN}$`;

/** A new password: not one repeated character. The only pattern with a backreference, which Go and Rust do not have. */
export const NEW_PASSWORD = '^(?!([\\s\\S])\\1*$)[\\s\\S]+$';

const TOKEN = "[!#$%&'*+.^_`|~A-Za-z0-9-]+";
/** A media type (RFC 9110 section 8.3.1) with plain parameters. */
export const MEDIA_TYPE = `^${TOKEN}/${TOKEN}(?:; ?${TOKEN}=${TOKEN})*$`;
