import { createTexts } from '../i18n.ts';

export const confirmTexts = createTexts({
  en: {
    title: 'Confirm your address',
    text: 'If you confirm, your account uses this e-mail address: for links to a new password, and for notices.',
    action: 'Confirm the address',
    doneTitle: 'Your address is confirmed',
    doneText: 'If it is a new one, the earlier address gets a notice.',
    invalidTitle: 'This link is not valid',
    askAgain:
      'If the address is not confirmed in your account, ask for a new link there, and stay logged in until you have used it.',
  },
  de: {
    title: 'Adresse bestätigen',
    text: 'Wenn Sie bestätigen, benutzt Ihr Konto diese E-Mail-Adresse: für Links zu einem neuen Passwort und für Hinweise.',
    action: 'Adresse bestätigen',
    doneTitle: 'Ihre Adresse ist bestätigt',
    doneText: 'Ist sie neu, bekommt die bisherige Adresse einen Hinweis.',
    invalidTitle: 'Dieser Link gilt nicht',
    askAgain:
      'Ist die Adresse in Ihrem Konto nicht bestätigt, fordern Sie dort einen neuen Link an und bleiben Sie angemeldet, bis Sie ihn benutzt haben.',
  },
});

export const stopTexts = createTexts({
  en: {
    title: 'Stop the change of your address',
    text: 'If you stop the change, your account keeps its present e-mail address. The link that the other address got stops working.',
    action: 'Stop the change',
    doneTitle: 'The change is stopped',
    doneText:
      'Your account keeps its address. If you did not ask for the change, choose a new password: that ends all sessions.',
    invalidTitle: 'This link is not valid',
    askAgain: 'A link works once, for 30 minutes. If your account has another address already, ask your administrator.',
  },
  de: {
    title: 'Adressänderung abbrechen',
    text: 'Wenn Sie die Änderung abbrechen, behält Ihr Konto seine bisherige E-Mail-Adresse. Der Link an die andere Adresse gilt dann nicht mehr.',
    action: 'Änderung abbrechen',
    doneTitle: 'Die Änderung ist abgebrochen',
    doneText:
      'Ihr Konto behält seine Adresse. Falls Sie die Änderung nicht verlangt haben, wählen Sie ein neues Passwort: Das beendet alle Sitzungen.',
    invalidTitle: 'Dieser Link gilt nicht',
    askAgain:
      'Ein Link gilt einmal, 30 Minuten lang. Hat Ihr Konto schon eine andere Adresse, fragen Sie Ihren Administrator.',
  },
});
