import { createTexts } from '../i18n.ts';

export const ownEmailTexts = createTexts({
  en: {
    none: 'None',
    verified: 'confirmed',
    unverified: 'not confirmed',
    prove: 'Confirm',
    add: 'Add e-mail address',
    change: 'Change e-mail address',
    changeText:
      'The new address gets a mail with a link. The account keeps the present one until you confirm the link.',
    newAddress: 'New e-mail address',
    format: 'An address is like name@example.com.',
    send: 'Send the link',
    sentTo: 'Confirm by the mail that we sent to',
    sentText: 'Its link is valid for 30 minutes and works once. Then reload this page.',
  },
  de: {
    none: 'Keine',
    verified: 'bestätigt',
    unverified: 'nicht bestätigt',
    prove: 'Bestätigen',
    add: 'E-Mail-Adresse eintragen',
    change: 'E-Mail-Adresse ändern',
    changeText:
      'Die neue Adresse bekommt eine E-Mail mit einem Link. Bis Sie ihn bestätigen, behält das Konto die bisherige.',
    newAddress: 'Neue E-Mail-Adresse',
    format: 'Eine Adresse sieht aus wie name@example.com.',
    send: 'Link senden',
    sentTo: 'Bestätigen Sie mit der E-Mail, die wir gesendet haben an',
    sentText: 'Ihr Link gilt 30 Minuten und nur einmal. Laden Sie danach diese Seite neu.',
  },
});
