// The family of a client by its User-Agent header, which clients choose. A new version of a browser is the same family.

/** In this order: most browsers name others too, for compatibility. */
const FAMILIES: readonly (readonly [name: string, pattern: RegExp])[] = [
  ['Edge', /\bEdg(?:e|A|iOS)?\//],
  ['Opera', /\b(?:OPR|Opera|OPiOS)\//],
  ['Samsung Internet', /\bSamsungBrowser\//],
  ['Firefox', /\b(?:Firefox|FxiOS)\//],
  ['Chrome', /\b(?:Chrome|CriOS|Chromium)\//],
  ['Safari', /\bSafari\//],
];

/** Returns the family of a browser, else the first product of the header: `curl` of `curl/8.5.0`. Empty without a header. */
export function browserFamily(userAgent: string | undefined): string {
  if (userAgent === undefined) return '';
  const known = FAMILIES.find(([, pattern]) => pattern.test(userAgent));
  return known?.[0] ?? userAgent.split(/[/ ]/)[0]!;
}
