import { createTexts } from '../i18n.ts';

export const authorizationTexts = createTexts({
  en: {
    continueTo: 'Continue to',

    choiceTitle: 'Choose an account',
    choiceText: 'will be able to:',
    continueAs: 'Continue as',
    otherAccount: 'Use another account',
    backTo: 'Cancel and return to',

    consentTitle: 'Allow access?',
    consentText: 'asks for access to your account. It wants to:',
    offline: 'The application keeps this access while you are logged out, until you end it.',
    consentEnd: 'You can end the access at any time in your account, under “Applications”.',
    allow: 'Allow',
    deny: 'Deny',

    confirmText: 'The application asks you to confirm your login once more.',
    factorTitle: 'Second factor needed',
    factorText: 'This login needs a second factor that your account does not have. Set it up now:',
    noFactorHere: 'This browser cannot set it up. Use another browser, or ask your administrator.',
    setUp: 'Set up app',
    withoutFactor: 'Continue without it',

    notServedTitle: 'No access with this account',
    notServedText: 'The application is not open to this account. Ask your administrator, or use another account.',
    returnTo: 'Return to',

    overTitle: 'This request has expired',
    overText: 'You had ten minutes for it, or it was answered already, perhaps in another tab.',
    startAgain: 'Go back to the application, and start again:',
    startAgainAnywhere: 'Go back to the application, and start again.',
    goTo: 'Start again at',

    leavingTitle: 'Back to the application',
    leavingText: 'Your browser opens the application now. Then you can close this page.',
  },
  de: {
    continueTo: 'Weiter zu',

    choiceTitle: 'Wählen Sie ein Konto',
    choiceText: 'kann dann:',
    continueAs: 'Weiter als',
    otherAccount: 'Anderes Konto benutzen',
    backTo: 'Abbrechen und zurück zu',

    consentTitle: 'Zugriff erlauben?',
    consentText: 'bittet um Zugriff auf Ihr Konto. Die Anwendung möchte:',
    offline: 'Die Anwendung behält diesen Zugriff auch, wenn Sie abgemeldet sind, bis Sie ihn beenden.',
    consentEnd: 'Sie können den Zugriff jederzeit in Ihrem Konto beenden, unter „Anwendungen“.',
    allow: 'Erlauben',
    deny: 'Ablehnen',

    confirmText: 'Die Anwendung bittet Sie, Ihre Anmeldung noch einmal zu bestätigen.',
    factorTitle: 'Zweiter Faktor nötig',
    factorText: 'Diese Anmeldung braucht einen zweiten Faktor, den Ihr Konto nicht hat. Richten Sie ihn jetzt ein:',
    noFactorHere:
      'Dieser Browser kann ihn nicht einrichten. Nehmen Sie einen anderen, oder fragen Sie Ihren Administrator.',
    setUp: 'App einrichten',
    withoutFactor: 'Ohne ihn weiter',

    notServedTitle: 'Kein Zugang mit diesem Konto',
    notServedText:
      'Die Anwendung ist für dieses Konto nicht zugänglich. Fragen Sie Ihren Administrator, oder benutzen Sie ein anderes Konto.',
    returnTo: 'Zurück zu',

    overTitle: 'Diese Anfrage ist abgelaufen',
    overText: 'Sie hatten zehn Minuten Zeit, oder sie wurde schon beantwortet, vielleicht in einem anderen Tab.',
    startAgain: 'Gehen Sie zur Anwendung zurück und beginnen Sie neu:',
    startAgainAnywhere: 'Gehen Sie zur Anwendung zurück und beginnen Sie neu.',
    goTo: 'Neu beginnen bei',

    leavingTitle: 'Zurück zur Anwendung',
    leavingText: 'Ihr Browser öffnet jetzt die Anwendung. Danach können Sie diese Seite schließen.',
  },
});

/** What an application may do by each scope: the end of the sentence `consentText`. */
export const scopeTexts = createTexts({
  en: {
    openid: 'Recognise you when you log in',
    profile: 'See your name and your username',
    email: 'See your e-mail address',
    roles: 'See your roles',
    groups: 'See your groups',
    tenant: 'See your organisation',
  },
  de: {
    openid: 'Sie bei der Anmeldung wiedererkennen',
    profile: 'Ihren Namen und Ihren Benutzernamen sehen',
    email: 'Ihre E-Mail-Adresse sehen',
    roles: 'Ihre Rollen sehen',
    groups: 'Ihre Gruppen sehen',
    tenant: 'Ihre Organisation sehen',
  },
});
