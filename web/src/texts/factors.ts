// Texts of second factors, for the login and for the account.
import { createTexts } from '../i18n.ts';

export const factorTexts = createTexts({
  en: {
    code: 'Code',
    codeFormat: 'The code has 6 digits.',
    wrongCode: 'The code is wrong or was used before. Enter the next one.',
    secretExpired: 'Ten minutes are over, or another tab has set up an app. Scan the new code above.',
    scan: 'Scan this with your authenticator app:',
    qrCode: 'QR image for an authenticator app. The same secret follows as text.',
    openApp: 'Open an app on this device',
    orType: 'Or type this secret into the app:',
    enterCode: 'Enter the code that the app shows.',
    recoveryCodesText:
      'If you lose your second factor, one of these codes replaces it. Each works once. They are not shown again.',
    fileTitle: (name: string) => `Recovery codes for ${name}`,
    download: 'Download',
    print: 'Print',
    saved: 'I have saved these codes',
    continue: 'Continue',
  },
  de: {
    code: 'Code',
    codeFormat: 'Der Code hat 6 Ziffern.',
    wrongCode: 'Der Code ist falsch oder wurde schon benutzt. Geben Sie den nächsten ein.',
    secretExpired:
      'Zehn Minuten sind vorbei, oder ein anderer Tab hat eine App eingerichtet. Scannen Sie den neuen Code oben.',
    scan: 'Scannen Sie dies mit Ihrer Authenticator-App:',
    qrCode: 'QR-Bild für eine Authenticator-App. Dasselbe Geheimnis folgt als Text.',
    openApp: 'Eine App auf diesem Gerät öffnen',
    orType: 'Oder tippen Sie dieses Geheimnis in die App:',
    enterCode: 'Geben Sie den Code ein, den die App zeigt.',
    recoveryCodesText:
      'Wenn Sie Ihren zweiten Faktor verlieren, ersetzt ihn einer dieser Codes. Jeder gilt einmal. Sie werden nicht wieder gezeigt.',
    fileTitle: (name: string) => `Wiederherstellungscodes für ${name}`,
    download: 'Herunterladen',
    print: 'Drucken',
    saved: 'Ich habe diese Codes gespeichert',
    continue: 'Weiter',
  },
});
