// What stands in the way of a change (409). The service says it in English, and with times in UTC.
import { formatDateTime } from '../format.ts';
import { createTexts, language } from '../i18n.ts';

const ISO_TIME = /\d{4}-\d\d-\d\dT[\d:.]+Z/g;

const conflictTexts = createTexts({
  en: { other: (message: string) => `${message}.` },
  de: { other: (message: string) => `Der Dienst lehnt das ab: ${message}.` },
});

/** The messages in German, by what they contain. Parts in brackets stay. */
const GERMAN: readonly (readonly [RegExp, string])[] = [
  [/^An account cannot .* itself$/, 'Das geht nicht beim eigenen Konto. Bitten Sie einen anderen Administrator.'],
  [/^The last active SUPER_ADMIN must stay$/, 'Das ist der letzte aktive SUPER_ADMIN. Er muss bleiben.'],
  [/^The user was changed at the same time/, 'Der Benutzer wurde gleichzeitig geändert. Versuchen Sie es noch einmal.'],
  [/^The (?:username|client id|name|tenant id) is taken$/, 'Dieser Name ist vergeben. Wählen Sie einen anderen.'],
  [
    /^The user has a password already$/,
    'Der Benutzer hat schon ein Passwort. Senden Sie ihm die E-Mail für ein neues.',
  ],
  [/^A SUPER_ADMIN cannot be invited by mail$/, 'Ein SUPER_ADMIN kann nicht per E-Mail eingeladen werden.'],
  [/^The user cannot log in: .*$/, 'Der Benutzer kann sich zurzeit nicht anmelden. Sehen Sie nach, was im Weg ist.'],
  [/^The user has no e-mail address$/, 'Der Benutzer hat keine E-Mail-Adresse. Tragen Sie vorher eine ein.'],
  [
    /^The user cannot choose a new password by mail$/,
    'Der Benutzer kann kein Passwort per E-Mail wählen. Setzen Sie ein vorläufiges.',
  ],
  [/^The user has no second factor$/, 'Der Benutzer hat keinen zweiten Faktor.'],
  [/^Two secrets exist already; one ends at (.+)$/, 'Es gibt schon zwei Secrets. Eines endet am $1.'],
  [/^Two secrets exist already; end one first$/, 'Es gibt schon zwei Secrets. Beenden Sie vorher eines.'],
  [
    /^A new key signs from (.+); until then no other can be added$/,
    'Ein neuer Schlüssel signiert ab $1. Bis dahin kann kein anderer dazukommen.',
  ],
  [/^Another signing key was added at the same time$/, 'Gleichzeitig ist ein anderer Schlüssel dazugekommen.'],
  [/^Another tenant owns the login domain (.+)$/, 'Die Login-Domain $1 gehört einem anderen Mandanten.'],
  [/^Another role inherits the role$/, 'Eine andere Rolle erbt von dieser. Ändern Sie vorher jene.'],
  [/^An account holds the role$/, 'Konten haben diese Rolle. Nehmen Sie sie ihnen vorher.'],
  [
    /^(\d+) (?:webhooks|roles|applications) exist$/,
    'Es gibt schon $1 davon, mehr gehen nicht. Löschen Sie vorher einen Eintrag.',
  ],
  [/^The webhook is disabled; enable it first$/, 'Der Webhook ist deaktiviert. Aktivieren Sie ihn vorher.'],
  [/^API keys are switched off: .*$/, 'API-Keys sind ausgeschaltet.'],
  [/^Your tenant requires a second factor/, 'Ihr Mandant verlangt einen zweiten Faktor, und das ist Ihr letzter.'],
];

/** Returns what stands in the way, in the language of the page, with local times. */
export function textOfConflict(message: string): string {
  const local = message.replaceAll(ISO_TIME, (time) => formatDateTime(time));
  const [pattern, text] = (language.value === 'de' && GERMAN.find(([form]) => form.test(local))) || [];
  return pattern && text ? local.replace(pattern, text) : conflictTexts().other(local.replace(/\.$/, ''));
}
