// The texts of several invitations at once.
import { createTexts } from '../../i18n.ts';

export const invitationTexts = createTexts({
  en: {
    invitations: 'Send invitations',
    results: 'Invitations',
    lines: 'People',
    linesHint: 'One per line: e-mail address, name, roles. Only the address is needed. Or choose a CSV file.',
    linesExample: 'ann@example.com; Ann Example; SALES',
    linesCount: (most: string) => `Enter 1 to ${most} people, one per line.`,
    tenantMissing: 'Choose a tenant.',
    file: 'CSV file',
    invitedCount: (invited: string, refused: string) => `Invited: ${invited}. Refused: ${refused}.`,
    usernameInvalid: 'The username is not valid.',
    emailInvalid: 'This is not an e-mail address.',
    nameInvalid: 'The name is not valid.',
    rolesInvalid: 'Enter roles that exist in the tenant.',
    notInvited: 'The time did not suffice. The user was not invited, try again.',
    outcomeUnknown: 'The service did not answer in time. Look for the user before you try again.',
  },
  de: {
    invitations: 'Einladungen senden',
    results: 'Einladungen',
    lines: 'Personen',
    linesHint:
      'Eine pro Zeile: E-Mail-Adresse, Name, Rollen. Nötig ist nur die Adresse. Oder wählen Sie eine CSV-Datei.',
    linesExample: 'ann@example.com; Ann Example; SALES',
    linesCount: (most: string) => `Geben Sie 1 bis ${most} Personen ein, eine pro Zeile.`,
    tenantMissing: 'Wählen Sie einen Mandanten.',
    file: 'CSV-Datei',
    invitedCount: (invited: string, refused: string) => `Eingeladen: ${invited}. Abgelehnt: ${refused}.`,
    usernameInvalid: 'Der Benutzername ist nicht gültig.',
    emailInvalid: 'Das ist keine E-Mail-Adresse.',
    nameInvalid: 'Der Name ist nicht gültig.',
    rolesInvalid: 'Geben Sie Rollen an, die es im Mandanten gibt.',
    notInvited: 'Die Zeit hat nicht gereicht. Der Benutzer wurde nicht eingeladen, versuchen Sie es noch einmal.',
    outcomeUnknown:
      'Der Dienst hat nicht rechtzeitig geantwortet. Suchen Sie den Benutzer, bevor Sie es noch einmal versuchen.',
  },
});
