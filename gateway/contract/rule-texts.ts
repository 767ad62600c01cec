// Sentences that describe the rules of fields, for the OpenAPI document.
import { Format, type FieldRule } from '../../proto/gen/authservice/rule/v1/rule.ts';

// toLocaleString would load the language's data for each number.
const NUMBERS = new Intl.NumberFormat('en');

/** Returns the sentences that describe the rules of a field, to be added to its comment. */
export function ruleTexts(rule: FieldRule): string[] {
  const { format, max, defaultValue } = rule;
  const most = NUMBERS.format(max);
  const texts: Partial<Record<Format, string>> = {
    [Format.FORMAT_TEXT]: `1-${most} characters, not all of them blank.`,
    [Format.FORMAT_NAME]: `1-${most} characters, not all of them blank.`,
    [Format.FORMAT_FILE_NAME]: `1-${most} characters, not all of them blank.`,
    [Format.FORMAT_MEDIA_TYPE]: `1-${most} characters.`,
    [Format.FORMAT_USERNAME]: `1-${most} characters. Surrounding blanks are removed. Case-insensitive.`,
    [Format.FORMAT_LABEL]: `1-${most} characters, not all of them blank.`,
    [Format.FORMAT_PASSWORD]: `${Math.max(rule.min, 1)}-${most} characters.`,
    [Format.FORMAT_SLUG]: '1-63 lower-case letters, digits and hyphens.',
    [Format.FORMAT_EMAIL]: `${rule.min}-${most} characters.`,
    [Format.FORMAT_PHONE]: `1-${most} characters.`,
    [Format.FORMAT_SEARCH]: `1-${most} characters. There are no wildcards.`,
    [Format.FORMAT_SORT]:
      `One or more of ${rule.allowed.join(', ')}, separated by commas, each at most once. ` +
      'A leading minus sorts in descending order. Default -createdAt.',
    [Format.FORMAT_DATE]: 'YYYY-MM-DD.',
    [Format.FORMAT_CURRENCY]: 'Currency code of ISO 4217.',
    [Format.FORMAT_VISIBLE_ASCII]: `1-${most} visible characters.`,
  };
  return [texts[format] ?? '', defaultValue === '' ? '' : `Default ${defaultValue}.`].filter((text) => text !== '');
}
