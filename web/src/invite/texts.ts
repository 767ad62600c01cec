import { createTexts } from '../i18n.ts';

export const inviteTexts = createTexts({
  en: {
    title: 'Choose your password',
    text: 'You were invited, and your account is almost ready. With this password you log in.',
    action: 'Set password',
    doneTitle: 'Your account is ready',
    doneText: 'Log in with your username, which is in the mail, and your password.',
    invalidTitle: 'This invitation is not valid',
    askAgain: 'Log in if you have chosen your password already. Otherwise ask your administrator to invite you again.',
  },
  de: {
    title: 'Wählen Sie Ihr Passwort',
    text: 'Sie wurden eingeladen, und Ihr Konto ist fast fertig. Mit diesem Passwort melden Sie sich an.',
    action: 'Passwort setzen',
    doneTitle: 'Ihr Konto ist bereit',
    doneText: 'Melden Sie sich mit Ihrem Benutzernamen, der in der E-Mail steht, und Ihrem Passwort an.',
    invalidTitle: 'Diese Einladung gilt nicht',
    askAgain:
      'Melden Sie sich an, wenn Sie Ihr Passwort schon gewählt haben. Sonst bitten Sie Ihren Administrator, Sie noch einmal einzuladen.',
  },
});
