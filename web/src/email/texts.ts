import { createTexts } from '../i18n.ts';

export const emailTexts = createTexts({
  en: {
    title: 'Confirm your address',
    text: 'Your account uses this e-mail address from now on: for links to a new password, and for notices.',
    action: 'Confirm the address',
    doneTitle: 'Your address is confirmed',
    doneText: 'If it is a new one, the earlier address gets a notice.',
    invalidTitle: 'This link is not valid',
    askAgain: 'If the address is not confirmed in your account, ask for a new link there.',
  },
  de: {
    title: 'Adresse bestätigen',
    text: 'Ihr Konto benutzt von nun an diese E-Mail-Adresse: für Links zu einem neuen Passwort und für Hinweise.',
    action: 'Adresse bestätigen',
    doneTitle: 'Ihre Adresse ist bestätigt',
    doneText: 'Ist sie neu, bekommt die bisherige Adresse einen Hinweis.',
    invalidTitle: 'Dieser Link gilt nicht',
    askAgain: 'Ist die Adresse in Ihrem Konto nicht bestätigt, fordern Sie dort einen neuen Link an.',
  },
});
