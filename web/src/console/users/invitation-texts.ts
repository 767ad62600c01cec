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
    takenShort: 'The username is taken',
    refused: (detail: string) => `Refused: ${detail}`,
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
    takenShort: 'Der Benutzername ist vergeben',
    refused: (detail: string) => `Abgelehnt: ${detail}`,
  },
});
