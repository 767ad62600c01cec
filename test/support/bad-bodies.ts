// Bodies that no endpoint accepts.

/** Values that are not strings. */
export const NO_STRINGS = [0, 1.5, true, false, null, [], ['x'], {}, { $ne: null }, { length: 9 }];

/** JSON bodies that are not objects. */
export const NO_OBJECTS = ['[]', '[{}]', '"text"', '1', '0', 'true', 'false', 'null', ''];

/** Bodies that are not interoperable JSON. `pair` returns a valid body with additional members. */
export const malformedOf = (pair: (rest: string) => string): [what: string, body: string | Buffer][] => [
  ['a doubled key', pair(',"x":1,"x":1')],
  ['a doubled key, once escaped', pair(',"x":1,"\\u0078":1')],
  ['a doubled key deep down', pair(',"x":{"y":[{"z":1,"z":2}]}')],
  ['__proto__', pair(',"__proto__":{}')],
  ['constructor, escaped', pair(',"c\\u006fnstructor":1')],
  ['a lone surrogate', pair(',"x":"\\ud800"')],
  ['60,000 open arrays', '['.repeat(60_000)],
  ['8,000 nested objects in a member', pair(`,"x":${'{"a":'.repeat(8_000)}1${'}'.repeat(8_000)}`)],
  ['white space alone', ' \n\t'],
  ['half an object', pair('').slice(0, -1)],
  ['something after the object', `${pair('')}x`],
  ['two objects', pair('').repeat(2)],
  ['a comma too many', pair(',')],
  ['a raw NUL', pair(',"x":"\0"')],
  ['a byte order mark', Buffer.from(`\ufeff${pair('')}`)],
  ['UTF-16', Buffer.from(pair(''), 'utf16le')],
  ['latin1', Buffer.from(pair(',"x":"\xe9"'), 'latin1')],
  ['a form', 'grant_type=refresh_token&refresh_token=x'],
];
