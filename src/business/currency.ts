const CURRENCIES: ReadonlySet<string> = new Set(Intl.supportedValuesOf('currency'));

/** Whether a text is a currency's code: three capital letters of ISO 4217. */
export function isCurrency(text: string): boolean {
  return CURRENCIES.has(text);
}
