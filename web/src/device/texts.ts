import { createTexts } from '../i18n.ts';

export const deviceTexts = createTexts({
  en: {
    title: 'Connect a device',
    text: 'Enter the code that your device shows.',
    code: 'Code',
    format: 'The code has eight letters, such as WDJB-MJHT.',
    next: 'Next',
    unknown:
      'No device waits with this code. Check the code, or start again on the device: a code is valid for ten minutes.',

    decisionTitle: 'Connect this device?',
    network: 'Network of the device',
    startedAt: 'Started',
    warning: 'Only continue if you started this on your own device.',
    otherCode: 'Enter another code',
    over: 'This request has expired, or it was answered already. Start again on the device.',

    allowedTitle: 'Your device is connected',
    allowedText: 'It goes on within a few seconds. You can close this page.',
    deniedTitle: 'The device gets no access',
    deniedText: 'If you did not start this yourself, somebody may have tried to get into your account.',
  },
  de: {
    title: 'Gerät verbinden',
    text: 'Geben Sie den Code ein, den Ihr Gerät zeigt.',
    code: 'Code',
    format: 'Der Code hat acht Buchstaben, zum Beispiel WDJB-MJHT.',
    next: 'Weiter',
    unknown:
      'Mit diesem Code wartet kein Gerät. Prüfen Sie den Code, oder beginnen Sie am Gerät neu: Ein Code gilt zehn Minuten.',

    decisionTitle: 'Dieses Gerät verbinden?',
    network: 'Netz des Geräts',
    startedAt: 'Begonnen',
    warning: 'Machen Sie nur weiter, wenn Sie das auf Ihrem eigenen Gerät begonnen haben.',
    otherCode: 'Anderen Code eingeben',
    over: 'Diese Anfrage ist abgelaufen, oder sie wurde schon beantwortet. Beginnen Sie am Gerät neu.',

    allowedTitle: 'Ihr Gerät ist verbunden',
    allowedText: 'Es macht in ein paar Sekunden weiter. Sie können diese Seite schließen.',
    deniedTitle: 'Das Gerät bekommt keinen Zugriff',
    deniedText: 'Wenn Sie das nicht selbst begonnen haben, wollte vielleicht jemand in Ihr Konto.',
  },
});
