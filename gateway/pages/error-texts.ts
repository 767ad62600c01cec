// Texts of the error page. They are for two readers: the user, and the developer of the application that sent the request.
import { LOGOUT_TEXTS, type FaultTexts, type LogoutPage } from './logout-texts.ts';

/** Why an authorization request gets a page instead of a redirect. */
export type RequestFault =
  | 'unknown-application'
  | 'wrong-redirect-uri'
  | 'invalid-request'
  | 'too-many-open'
  | 'too-large'
  | 'unavailable';

export type Fault = RequestFault | LogoutPage;

/** The first one is that of browsers that prefer none of them. */
export const LANGUAGES = ['en', 'de'] as const;
export type Language = (typeof LANGUAGES)[number];

type ErrorTexts = Readonly<Record<Fault, FaultTexts>> & {
  readonly forDevelopers: string;
  readonly idOfRequest: string;
};

export const ERROR_TEXTS: Readonly<Record<Language, ErrorTexts>> = {
  en: {
    ...LOGOUT_TEXTS.en,
    forDevelopers: 'For developers',
    idOfRequest: 'Id of this request:',
    'unknown-application': {
      title: 'This application cannot log you in here',
      text: 'Go back to the application. If this happens again, tell its operator. Nothing is wrong with your account.',
      cause:
        'The parameter `client_id` is missing, was sent twice, or is not the client id of an enabled application whose tenant is active.',
    },
    'wrong-redirect-uri': {
      title: 'The login cannot lead back to the application',
      text: 'Go back to the application. If this happens again, tell its operator. Nothing is wrong with your account.',
      cause:
        'The parameter `redirect_uri` is missing, was sent twice, or is not registered for this application. It is compared as text.',
    },
    'invalid-request': {
      title: 'This login request is not valid',
      text: 'Go back to the application and start again. If this happens again, tell its operator.',
      cause:
        'The authorization request cannot be read, or its `request_uri` is unknown, has expired, or belongs to another client.',
    },
    'too-many-open': {
      title: 'Too many logins were started',
      text: 'Many logins from your network are still open. Wait some minutes. Then go back to the application and start again.',
      cause: 'The number of open authorization requests of a network is limited: `app.oauth.pending-requests`.',
    },
    'too-large': {
      title: 'This login request is too large',
      text: 'Go back to the application and start again. If this happens again, tell its operator.',
      cause: 'The query of an authorization request has at most 16 kB. Pushed requests (RFC 9126) keep it short.',
    },
    unavailable: {
      title: 'The login is not possible at the moment',
      text: 'Wait a minute. Then go back to the application and start again.',
      cause: 'The service cannot reach its core or its database, or they are too busy. Its log has the details.',
    },
  },
  de: {
    ...LOGOUT_TEXTS.de,
    forDevelopers: 'Für Entwickler',
    idOfRequest: 'Kennung dieser Anfrage:',
    'unknown-application': {
      title: 'Diese Anwendung kann Sie hier nicht anmelden',
      text: 'Gehen Sie zur Anwendung zurück. Wenn es wieder geschieht, informieren Sie den Betreiber der Anwendung. Mit Ihrem Konto ist alles in Ordnung.',
      cause:
        'Der Parameter `client_id` fehlt, wurde doppelt gesendet oder ist nicht die Client-ID einer aktiven Anwendung eines aktiven Mandanten.',
    },
    'wrong-redirect-uri': {
      title: 'Die Anmeldung kann nicht zur Anwendung zurückführen',
      text: 'Gehen Sie zur Anwendung zurück. Wenn es wieder geschieht, informieren Sie den Betreiber der Anwendung. Mit Ihrem Konto ist alles in Ordnung.',
      cause:
        'Der Parameter `redirect_uri` fehlt, wurde doppelt gesendet oder ist für diese Anwendung nicht registriert. Er wird als Text verglichen.',
    },
    'invalid-request': {
      title: 'Diese Anmeldeanfrage ist ungültig',
      text: 'Gehen Sie zur Anwendung zurück und beginnen Sie neu. Wenn es wieder geschieht, informieren Sie den Betreiber der Anwendung.',
      cause:
        'Die Authorization-Anfrage ist nicht lesbar, oder ihre `request_uri` ist unbekannt, abgelaufen oder gehört zu einem anderen Client.',
    },
    'too-many-open': {
      title: 'Zu viele Anmeldungen wurden begonnen',
      text: 'Aus Ihrem Netz sind noch viele Anmeldungen offen. Warten Sie einige Minuten. Gehen Sie dann zur Anwendung zurück und beginnen Sie neu.',
      cause: 'Die Zahl der offenen Authorization-Anfragen eines Netzes ist begrenzt: `app.oauth.pending-requests`.',
    },
    'too-large': {
      title: 'Diese Anmeldeanfrage ist zu groß',
      text: 'Gehen Sie zur Anwendung zurück und beginnen Sie neu. Wenn es wieder geschieht, informieren Sie den Betreiber der Anwendung.',
      cause:
        'Die Query einer Authorization-Anfrage hat höchstens 16 kB. Mit Pushed Authorization Requests (RFC 9126) bleibt sie kurz.',
    },
    unavailable: {
      title: 'Die Anmeldung ist im Moment nicht möglich',
      text: 'Warten Sie eine Minute. Gehen Sie dann zur Anwendung zurück und beginnen Sie neu.',
      cause:
        'Der Dienst erreicht seinen Core oder seine Datenbank nicht, oder sie sind überlastet. Sein Log enthält die Einzelheiten.',
    },
  },
};
