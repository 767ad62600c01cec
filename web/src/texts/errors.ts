// By the codes of the service. Each says what to do next.
import { createTexts } from '../i18n.ts';

const at = (when: string | undefined, other: string): string => when ?? other;

export const errorTexts = createTexts({
  en: {
    unexpected: 'Something went wrong in this page. Reload it and try again.',
    passkeyExists: 'This device already has a passkey for this account. Use it, or choose another device.',
    passkeyNotUsed: 'No passkey was used. Try again, or choose another way.',
    unavailable: 'The service has a problem. Try again in a moment.',
    refused: (message: string) => `The service refuses this: ${message.replace(/\.$/, '')}.`,
    'bad-credentials': 'The username or the password is wrong. Check both and try again.',
    'account-not-found': 'There is no account with this username. Check its spelling.',
    'login-policy-rejected': 'This account cannot log in here. Ask your administrator.',
    'account-locked': (when?: string) =>
      `Too many wrong passwords: the account is locked. Try again ${at(when, 'in a few minutes')}.`,
    'account-disabled': 'This account is disabled. Ask your administrator to enable it.',
    'account-expired': 'This account has expired. Ask your administrator to extend it.',
    'credentials-expired': 'The password has expired. Ask your administrator for a new one.',
    'second-factor-invalid': 'The code is wrong or was used before. Enter the next one.',
    'second-factor-locked': (when?: string) =>
      `Too many wrong codes. Use a passkey if you have one, or try again ${at(when, 'in a few minutes')}.`,
    'challenge-invalid': 'This login took too long or was completed elsewhere. Log in again.',
    'mail-token-invalid': 'This link was used, is too old, or a newer one has replaced it.',
    'too-many-requests': (when?: string) => `Too many attempts. Try again ${at(when, 'in a minute')}.`,
    'validation-error': 'The service does not accept these values.',
    'permission-denied': 'You may not do this. Ask an administrator of your tenant.',
    'fresh-session-required': 'You have not confirmed that it is you, so nothing was changed. Try again.',
    'not-found': 'This record does not exist, or it was deleted.',
    'tenant-mismatch': 'This belongs to another tenant.',
    'principal-not-eligible': 'This does not apply to accounts of this kind.',
    'precondition-failed': 'Somebody else changed this meanwhile.',
    'service-unreachable': 'The service cannot be reached. Check your connection and try again.',
    'refresh-timeout': 'The service did not answer in time. Try again.',
    'refresh-lock-timeout': 'Another tab is still waiting for the service. Try again.',
    'session-ended': 'Your session has ended: it was too old, or you or an administrator has ended it. Log in again.',
    'authentication-service-unavailable': 'The service has a problem. Try again in a moment.',
  },
  de: {
    unexpected: 'Auf dieser Seite ist ein Fehler aufgetreten. Laden Sie sie neu und versuchen Sie es noch einmal.',
    passkeyExists:
      'Dieses Gerät hat schon einen Passkey für dieses Konto. Benutzen Sie ihn, oder wählen Sie ein anderes Gerät.',
    passkeyNotUsed: 'Es wurde kein Passkey benutzt. Versuchen Sie es noch einmal, oder wählen Sie einen anderen Weg.',
    unavailable: 'Der Dienst hat ein Problem. Versuchen Sie es gleich noch einmal.',
    refused: (message: string) => `Der Dienst lehnt das ab: ${message.replace(/\.$/, '')}.`,
    'bad-credentials': 'Benutzername oder Passwort ist falsch. Prüfen Sie beides und versuchen Sie es noch einmal.',
    'account-not-found': 'Es gibt kein Konto mit diesem Benutzernamen. Prüfen Sie die Schreibweise.',
    'login-policy-rejected': 'Dieses Konto kann sich hier nicht anmelden. Fragen Sie Ihren Administrator.',
    'account-locked': (when?: string) =>
      `Zu viele falsche Passwörter: Das Konto ist gesperrt. Versuchen Sie es ${at(when, 'in ein paar Minuten')} wieder.`,
    'account-disabled': 'Dieses Konto ist deaktiviert. Bitten Sie Ihren Administrator, es zu aktivieren.',
    'account-expired': 'Dieses Konto ist abgelaufen. Bitten Sie Ihren Administrator, es zu verlängern.',
    'credentials-expired': 'Das Passwort ist abgelaufen. Bitten Sie Ihren Administrator um ein neues.',
    'second-factor-invalid': 'Der Code ist falsch oder wurde schon benutzt. Geben Sie den nächsten ein.',
    'second-factor-locked': (when?: string) =>
      `Zu viele falsche Codes. Benutzen Sie einen Passkey, falls Sie einen haben, oder versuchen Sie es ${at(when, 'in ein paar Minuten')} wieder.`,
    'challenge-invalid':
      'Diese Anmeldung hat zu lange gedauert oder wurde anderswo abgeschlossen. Melden Sie sich neu an.',
    'mail-token-invalid': 'Dieser Link wurde benutzt, ist zu alt, oder ein neuerer hat ihn ersetzt.',
    'too-many-requests': (when?: string) =>
      `Zu viele Versuche. Versuchen Sie es ${at(when, 'in einer Minute')} wieder.`,
    'validation-error': 'Der Dienst nimmt diese Werte nicht an.',
    'permission-denied': 'Das dürfen Sie nicht. Fragen Sie einen Administrator Ihres Mandanten.',
    'fresh-session-required':
      'Sie haben nicht bestätigt, dass Sie es sind. Es wurde nichts geändert. Versuchen Sie es noch einmal.',
    'not-found': 'Diesen Eintrag gibt es nicht, oder er wurde gelöscht.',
    'tenant-mismatch': 'Das gehört zu einem anderen Mandanten.',
    'principal-not-eligible': 'Das ist bei Konten dieser Art nicht möglich.',
    'precondition-failed': 'Jemand anders hat das inzwischen geändert.',
    'service-unreachable':
      'Der Dienst ist nicht erreichbar. Prüfen Sie Ihre Verbindung und versuchen Sie es noch einmal.',
    'refresh-timeout': 'Der Dienst hat nicht rechtzeitig geantwortet. Versuchen Sie es noch einmal.',
    'refresh-lock-timeout': 'Ein anderer Tab wartet noch auf den Dienst. Versuchen Sie es noch einmal.',
    'session-ended':
      'Ihre Sitzung ist beendet: Sie war zu alt, oder Sie oder ein Administrator hat sie beendet. Melden Sie sich neu an.',
    'authentication-service-unavailable': 'Der Dienst hat ein Problem. Versuchen Sie es gleich noch einmal.',
  },
});
