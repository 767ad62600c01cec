// The texts of what has ended with a secured account.
import { createTexts } from '../../i18n.ts';

export const securedTexts = createTexts({
  en: {
    secured: 'The account is secured',
    securedText: 'Nothing that was known of it opens the account any more.',
    endedSessions: 'Sessions ended',
    endedGrants: 'Access of applications ended',
    voidMails: 'Links of mails that are void',
    voidChallenges: 'Logins that were going on',
    voidCodes: 'Recovery codes that are void',
    newFactors: 'Second factors of the last 7 days',
    newFactorsText: 'Ask the user whether these are theirs. Delete the others on the page of the user.',
    newNetworks: 'New networks of the last 7 days',
    temporaryPasswordOf: 'Temporary password. It is shown only now:',
    mailSent: 'The user gets a mail with a link for a new password.',
  },
  de: {
    secured: 'Das Konto ist gesichert',
    securedText: 'Nichts, was davon bekannt war, öffnet das Konto noch.',
    endedSessions: 'Beendete Sitzungen',
    endedGrants: 'Beendete Zugriffe von Anwendungen',
    voidMails: 'Ungültige Links aus E-Mails',
    voidChallenges: 'Abgebrochene Anmeldungen',
    voidCodes: 'Ungültige Wiederherstellungscodes',
    newFactors: 'Zweite Faktoren der letzten 7 Tage',
    newFactorsText: 'Fragen Sie den Benutzer, ob es seine sind. Löschen Sie die anderen auf der Seite des Benutzers.',
    newNetworks: 'Neue Netze der letzten 7 Tage',
    temporaryPasswordOf: 'Vorläufiges Passwort. Es wird nur jetzt gezeigt:',
    mailSent: 'Der Benutzer bekommt eine E-Mail mit einem Link für ein neues Passwort.',
  },
});
