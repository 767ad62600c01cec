// Texts of the pages of logout requests: see error-texts.ts.

/** Why a logout request gets a page, or `logged-out`: it has succeeded, and names no URI. */
export type LogoutPage =
  | 'logout-unknown-application'
  | 'logout-wrong-redirect-uri'
  | 'logout-invalid-hint'
  | 'logout-invalid-request'
  | 'logout-too-many-open'
  | 'logout-too-large'
  | 'logout-unavailable'
  | 'logged-out';

export interface FaultTexts {
  readonly title: string;
  /** What the user can do. */
  readonly text: string;
  /** What is wrong. Names in backquotes are shown as code. Undefined if nothing is. */
  readonly cause?: string;
}

export const LOGOUT_TEXTS: Readonly<Record<'en' | 'de', Readonly<Record<LogoutPage, FaultTexts>>>> = {
  en: {
    'logged-out': { title: 'You are logged out', text: 'You can close this page.' },
    'logout-unknown-application': {
      title: 'This application cannot log you out here',
      text: 'You are still logged in. Go back to the application, or log out in your account.',
      cause: 'The parameter `client_id`, or the `aud` of the `id_token_hint`, is not the client id of an application.',
    },
    'logout-wrong-redirect-uri': {
      title: 'The logout cannot lead back to the application',
      text: 'You are still logged in. Go back to the application, or log out in your account.',
      cause:
        'The parameter `post_logout_redirect_uri` is not registered for this application, or neither `client_id` nor `id_token_hint` names one. It is compared as text.',
    },
    'logout-invalid-hint': {
      title: 'This logout request is not valid',
      text: 'You are still logged in. Go back to the application, or log out in your account.',
      cause: 'The parameter `id_token_hint` is not an ID token of this service, or is not for this `client_id`.',
    },
    'logout-invalid-request': {
      title: 'This logout request is not valid',
      text: 'You are still logged in. Go back to the application, or log out in your account.',
      cause:
        'The logout request cannot be read, a parameter was sent twice, or its reference is unknown or has expired.',
    },
    'logout-too-many-open': {
      title: 'Too many requests are open',
      text: 'Many requests from your network are still open. Wait some minutes. Then log out again.',
      cause: 'The number of open requests of a network is limited: `app.oauth.pending-requests`.',
    },
    'logout-too-large': {
      title: 'This logout request is too large',
      text: 'You are still logged in. Go back to the application, or log out in your account.',
      cause: 'A logout request has at most 16 kB.',
    },
    'logout-unavailable': {
      title: 'The logout is not possible at the moment',
      text: 'You are still logged in. Wait a minute. Then log out again.',
      cause: 'The service cannot reach its core or its database, or they are too busy. Its log has the details.',
    },
  },
  de: {
    'logged-out': { title: 'Sie sind abgemeldet', text: 'Sie können diese Seite schließen.' },
    'logout-unknown-application': {
      title: 'Diese Anwendung kann Sie hier nicht abmelden',
      text: 'Sie sind noch angemeldet. Gehen Sie zur Anwendung zurück, oder melden Sie sich in Ihrem Konto ab.',
      cause: 'Der Parameter `client_id`, oder `aud` des `id_token_hint`, ist nicht die Client-ID einer Anwendung.',
    },
    'logout-wrong-redirect-uri': {
      title: 'Die Abmeldung kann nicht zur Anwendung zurückführen',
      text: 'Sie sind noch angemeldet. Gehen Sie zur Anwendung zurück, oder melden Sie sich in Ihrem Konto ab.',
      cause:
        'Der Parameter `post_logout_redirect_uri` ist nicht für diese Anwendung registriert, oder weder `client_id` noch `id_token_hint` nennt eine. Er wird als Text verglichen.',
    },
    'logout-invalid-hint': {
      title: 'Diese Abmeldeanfrage ist ungültig',
      text: 'Sie sind noch angemeldet. Gehen Sie zur Anwendung zurück, oder melden Sie sich in Ihrem Konto ab.',
      cause: 'Der Parameter `id_token_hint` ist kein ID-Token dieses Dienstes, oder nicht für diese `client_id`.',
    },
    'logout-invalid-request': {
      title: 'Diese Abmeldeanfrage ist ungültig',
      text: 'Sie sind noch angemeldet. Gehen Sie zur Anwendung zurück, oder melden Sie sich in Ihrem Konto ab.',
      cause:
        'Die Abmeldeanfrage ist nicht lesbar, ein Parameter wurde doppelt gesendet, oder ihre Referenz ist unbekannt oder abgelaufen.',
    },
    'logout-too-many-open': {
      title: 'Zu viele Anfragen sind offen',
      text: 'Aus Ihrem Netz sind noch viele Anfragen offen. Warten Sie einige Minuten. Melden Sie sich dann erneut ab.',
      cause: 'Die Zahl der offenen Anfragen eines Netzes ist begrenzt: `app.oauth.pending-requests`.',
    },
    'logout-too-large': {
      title: 'Diese Abmeldeanfrage ist zu groß',
      text: 'Sie sind noch angemeldet. Gehen Sie zur Anwendung zurück, oder melden Sie sich in Ihrem Konto ab.',
      cause: 'Eine Abmeldeanfrage hat höchstens 16 kB.',
    },
    'logout-unavailable': {
      title: 'Die Abmeldung ist im Moment nicht möglich',
      text: 'Sie sind noch angemeldet. Warten Sie eine Minute. Melden Sie sich dann erneut ab.',
      cause:
        'Der Dienst erreicht seinen Core oder seine Datenbank nicht, oder sie sind überlastet. Sein Log enthält die Einzelheiten.',
    },
  },
};
