import { createTexts } from '../i18n.ts';

export const logoutTexts = createTexts({
  en: {
    title: 'Log out?',
    text: 'An application asks to log you out here. Applications that you use with this login may log you out, too.',
    stay: 'Stay logged in',
    doneTitle: 'You are logged out',
    doneText: 'You can close this page.',
    overTitle: 'This request has expired',
    overText: 'You had ten minutes for it, or it was answered already, perhaps in another tab.',
    leavingTitle: 'Back to the application',
    leavingText: 'You are logged out. Your browser opens the application now. Then you can close this page.',
    goOn: 'Continue to the application',
  },
  de: {
    title: 'Abmelden?',
    text: 'Eine Anwendung bittet, Sie hier abzumelden. Anwendungen, die Sie mit dieser Anmeldung benutzen, melden Sie vielleicht auch ab.',
    stay: 'Angemeldet bleiben',
    doneTitle: 'Sie sind abgemeldet',
    doneText: 'Sie können diese Seite schließen.',
    overTitle: 'Diese Anfrage ist abgelaufen',
    overText: 'Sie hatten zehn Minuten Zeit, oder sie wurde schon beantwortet, vielleicht in einem anderen Tab.',
    leavingTitle: 'Zurück zur Anwendung',
    leavingText:
      'Sie sind abgemeldet. Ihr Browser öffnet jetzt die Anwendung. Danach können Sie diese Seite schließen.',
    goOn: 'Weiter zur Anwendung',
  },
});
