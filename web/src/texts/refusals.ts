// What stands in the way of a change of one's own account, by the codes of the service. Parameters are in braces.
import type { Violation } from '../../../client/src/index.ts';
import { formatNumber, formatZoned } from '../format.ts';
import { createTexts } from '../i18n.ts';
import { fillTemplate } from '../template.ts';

export const ownRefusalTexts = createTexts({
  en: {
    lastFactor: 'Your tenant requires a second factor, and this is your last one. Create another one first.',
    factorMissing: 'Recovery codes need an authenticator app or a passkey. Create one of them first.',
    passkeyRegistered: 'This passkey is registered already.',
    tooManyPasskeys: 'You have {maximum} passkeys, which is the most. Delete one first.',
    totpNotPending: 'This set-up took too long. Begin again.',
  },
  de: {
    lastFactor:
      'Ihr Mandant verlangt einen zweiten Faktor, und das ist Ihr letzter. Legen Sie vorher einen anderen an.',
    factorMissing:
      'Wiederherstellungscodes brauchen eine Authenticator-App oder einen Passkey. Legen Sie vorher eines davon an.',
    passkeyRegistered: 'Dieser Passkey ist schon angelegt.',
    tooManyPasskeys: 'Sie haben {maximum} Passkeys, mehr gehen nicht. Löschen Sie vorher einen.',
    totpNotPending: 'Das Einrichten hat zu lange gedauert. Beginnen Sie noch einmal.',
  },
});

/** Returns how the value of a parameter reads. */
export function textOfParameter(name: string, value: unknown): string {
  if (name === 'until' && typeof value === 'string') return formatZoned(value);
  if (typeof value === 'number') return formatNumber(value);
  if (Array.isArray(value)) return value.join(', ');
  return typeof value === 'string' ? value : '';
}

export const textOfOwnRefusal = ({ format = '', params = {} }: Violation): string | undefined => {
  const text = (ownRefusalTexts() as Readonly<Record<string, string>>)[format];
  return text && fillTemplate(text, (name) => textOfParameter(name, params[name]));
};
