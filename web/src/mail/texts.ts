import { createTexts } from '../i18n.ts';

export const mailTexts = createTexts({
  en: {
    refused: 'Choose a longer or less usual password, and neither your username nor your e-mail address.',
    logIn: 'Log in',
    toLogin: 'To the login',
    toAccount: 'To your account',
    openLink: 'Open this page by the link in the mail.',
    off: 'This service sends no mails. Ask your administrator.',
  },
  de: {
    refused:
      'Wählen Sie ein längeres oder weniger übliches Passwort, und weder Ihren Benutzernamen noch Ihre E-Mail-Adresse.',
    logIn: 'Anmelden',
    toLogin: 'Zur Anmeldung',
    toAccount: 'Zu Ihrem Konto',
    openLink: 'Öffnen Sie diese Seite mit dem Link in der E-Mail.',
    off: 'Dieser Dienst sendet keine E-Mails. Fragen Sie Ihren Administrator.',
  },
});
