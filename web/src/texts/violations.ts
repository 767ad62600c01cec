// What the service says of fields, as sentences.
import type { Violation } from '../../../client/src/index.ts';
import { createTexts } from '../i18n.ts';

const violationTexts = createTexts({
  en: {
    length: (minimum: number, maximum: number) => `Use ${minimum} to ${maximum} characters.`,
    maximum: (maximum: number) => `Use at most ${maximum} characters.`,
    'must not be the username': 'Do not use your username.',
    'must not be the e-mail address': 'Do not use your e-mail address.',
    'must not be the current password': 'Use another password than the current one.',
    'must not be one of the most common passwords':
      'Many people use this password, so it is guessed first. Choose another one.',
    'must not repeat a single character': 'Use different characters.',
    'must not be a sample of the documentation': 'This password is in the documentation. Choose another one.',
    other: (message: string) => `This value ${message}.`,
  },
  de: {
    length: (minimum: number, maximum: number) => `Nehmen Sie ${minimum} bis ${maximum} Zeichen.`,
    maximum: (maximum: number) => `Nehmen Sie höchstens ${maximum} Zeichen.`,
    'must not be the username': 'Nehmen Sie nicht Ihren Benutzernamen.',
    'must not be the e-mail address': 'Nehmen Sie nicht Ihre E-Mail-Adresse.',
    'must not be the current password': 'Nehmen Sie ein anderes Passwort als das aktuelle.',
    'must not be one of the most common passwords':
      'Viele benutzen dieses Passwort, deshalb wird es zuerst geraten. Wählen Sie ein anderes.',
    'must not repeat a single character': 'Nehmen Sie verschiedene Zeichen.',
    'must not be a sample of the documentation': 'Dieses Passwort steht in der Dokumentation. Wählen Sie ein anderes.',
    other: (message: string) => `Der Dienst lehnt diesen Wert ab: ${message}.`,
  },
});

/** Returns what to change. Violations without a text are in the service's words. */
export function textOfViolation({ message, format, params = {} }: Violation): string {
  const texts = violationTexts();
  const { minimum, maximum } = params;
  if (format === 'length' && typeof maximum === 'number')
    return typeof minimum === 'number' ? texts.length(minimum, maximum) : texts.maximum(maximum);
  const text = (texts as Readonly<Record<string, unknown>>)[message];
  return typeof text === 'string' ? text : texts.other(message);
}
