// The findings of the service in the language of the page. It says them in English, and with times in UTC.
import { formatDateTime } from '../../format.ts';
import { language } from '../../i18n.ts';

const ISO_TIME = /\d{4}-\d\d-\d\dT[\d:.]+Z/g;

/** By what the findings are. A part in brackets stays. */
const GERMAN: readonly (readonly [RegExp, string])[] = [
  [/^no account has this username$/, 'Kein Konto hat diesen Benutzernamen'],
  [/^no account has this client id$/, 'Kein Konto hat diese Client-Id'],
  [/^the username is well-formed$/, 'Der Benutzername ist gültig geschrieben'],
  [/^it is the username of account .*$/, 'Das Konto gibt es'],
  [/^account \S+ may use this credential$/, 'Das Konto darf das benutzen'],
  [/^the account is disabled$/, 'Das Konto ist deaktiviert'],
  [/^the account has expired$/, 'Das Konto ist abgelaufen'],
  [/^the account is locked until ([^(]+?)(?: \(.*\))?$/, 'Das Konto ist bis $1 gesperrt'],
  [/^the account has no password$/, 'Das Konto hat kein Passwort'],
  [/^the account does not exist$/, 'Das Konto gibt es nicht'],
  [
    /^the invitation has ended, and no password was chosen$/,
    'Die Einladung ist beendet, und es wurde kein Passwort gewählt',
  ],
  [
    /^the user was invited and has not chosen a password$/,
    'Der Benutzer ist eingeladen und hat noch kein Passwort gewählt',
  ],
  [/^tenant \S+ is active$/, 'Der Mandant ist aktiv'],
  [/^the tenant is suspended$/, 'Der Mandant ist gesperrt'],
  [/^the account belongs to no tenant$/, 'Das Konto gehört zu keinem Mandanten'],
  [/^the password has expired$/, 'Das Passwort ist abgelaufen'],
  [/^the password has not expired$/, 'Das Passwort ist nicht abgelaufen'],
  [/^the login needs no second factor.*$/, 'Die Anmeldung braucht keinen zweiten Faktor'],
  [/^the login needs a second factor of the account: (.*)$/, 'Die Anmeldung braucht einen zweiten Faktor: $1'],
  [/^the tenant requires a second factor.*$/, 'Der Mandant verlangt einen zweiten Faktor. Die Anmeldung legt einen an'],
  [/^the API key is unknown$/, 'Den API-Key gibt es nicht'],
  [/^the API key is not revoked$/, 'Der API-Key ist nicht widerrufen'],
  [/^the API key has not expired$/, 'Der API-Key ist nicht abgelaufen'],
  [/^this deployment accepts API keys$/, 'Der Dienst nimmt API-Keys an'],
  [/^the account has no client secret$/, 'Das Konto hat kein Client-Secret'],
  [/^all client secrets have expired$/, 'Alle Client-Secrets sind abgelaufen'],
  [/^the token has not expired.*$/, 'Das Token ist nicht abgelaufen'],
  [/^the session is revoked$/, 'Die Sitzung ist beendet'],
  [/^the session is unknown$/, 'Die Sitzung gibt es nicht'],
];

export interface Finding {
  readonly text: string;
  /** The language of the text, where it is not the page's. */
  readonly lang: 'en' | undefined;
}

/** Returns a finding with local times, in the language of the page if there is a text. */
export function findingOf(detail: string): Finding {
  const local = detail.replaceAll(ISO_TIME, (time) => formatDateTime(time));
  if (language.value !== 'de') return { text: local, lang: undefined };
  const [pattern, text] = GERMAN.find(([form]) => form.test(local)) ?? [];
  return pattern && text ? { text: local.replace(pattern, text), lang: undefined } : { text: local, lang: 'en' };
}
