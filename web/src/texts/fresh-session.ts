import { createTexts } from '../i18n.ts';

export const freshSessionTexts = createTexts({
  en: {
    title: 'Confirm that it is you',
    reason: 'Your last login was a while ago. Confirm it, and what you have started goes on.',
    password: 'Password',
    wrongPassword: 'The password is wrong. Try again.',
    wrongPasskey: 'This passkey is not valid here: it may have been removed. Choose another way.',
    confirm: 'Confirm',
    confirmWithPasskey: 'Confirm with a passkey',
    usePassword: 'Use the password',
    useTotp: 'Use the authenticator app',
    usePasskey: 'Use a passkey',
    logInAgain: 'Log in again instead',
    noFactor: 'Your organisation requires a second factor, and you have none. Log in again to create one.',
    lacksFactor:
      'This needs a second factor that your account does not have. First create it in your account, for example a passkey.',
    noMethod: 'This browser supports none of your second factors. Log in again, for example with a recovery code.',
  },
  de: {
    title: 'Bestätigen Sie, dass Sie es sind',
    reason:
      'Ihre letzte Anmeldung ist schon eine Weile her. Bestätigen Sie sie; dann geht weiter, was Sie begonnen haben.',
    password: 'Passwort',
    wrongPassword: 'Das Passwort ist falsch. Versuchen Sie es noch einmal.',
    wrongPasskey: 'Dieser Passkey gilt hier nicht: Vielleicht wurde er entfernt. Wählen Sie einen anderen Weg.',
    confirm: 'Bestätigen',
    confirmWithPasskey: 'Mit einem Passkey bestätigen',
    usePassword: 'Passwort benutzen',
    useTotp: 'Authenticator-App benutzen',
    usePasskey: 'Passkey benutzen',
    logInAgain: 'Stattdessen neu anmelden',
    noFactor:
      'Ihre Organisation verlangt einen zweiten Faktor, und Sie haben keinen. Melden Sie sich neu an, um einen anzulegen.',
    lacksFactor:
      'Dafür ist ein zweiter Faktor nötig, den Ihr Konto nicht hat. Legen Sie ihn erst in Ihrem Konto an, zum Beispiel einen Passkey.',
    noMethod:
      'Dieser Browser unterstützt keinen Ihrer zweiten Faktoren. Melden Sie sich neu an, zum Beispiel mit einem Wiederherstellungscode.',
  },
});
