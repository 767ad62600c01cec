// The details of audit records in plain words. Those that say nothing to a user, such as ids, are left out.
import { formatDateTime, formatNumber } from '../format.ts';
import { createTexts } from '../i18n.ts';

export const detailTexts = createTexts({
  en: {
    byAdministrator: 'by an administrator',
    otherSubject: 'not your account',
    sessions: (count: string) => `sessions ended: ${count}`,
    remaining: (count: string) => `codes left: ${count}`,
    count: (count: string) => `${count} times`,
    lockedUntil: (when: string) => `until ${when}`,
    totp: 'authenticator app',
    passkey: 'passkey',
    'recovery-code': 'recovery code',
    BAD_CREDENTIALS: 'wrong password',
    ACCOUNT_LOCKED: 'the account was locked',
    ACCOUNT_DISABLED: 'the account was disabled',
    ACCOUNT_EXPIRED: 'the account had expired',
    CREDENTIALS_EXPIRED: 'the password had expired',
    LOGIN_POLICY_REJECTED: 'not allowed here',
    SECOND_FACTOR_INVALID: 'wrong second factor',
    TENANT_SUSPENDED: 'the tenant was suspended',
    policy: 'by the rules of your organisation',
    application: 'by the application',
    'account-changed': 'with a change of your account',
    'too-many': 'too many at once',
  },
  de: {
    byAdministrator: 'durch einen Administrator',
    otherSubject: 'nicht Ihr Konto',
    sessions: (count: string) => `beendete Sitzungen: ${count}`,
    remaining: (count: string) => `übrige Codes: ${count}`,
    count: (count: string) => `${count}-mal`,
    lockedUntil: (when: string) => `bis ${when}`,
    totp: 'Authenticator-App',
    passkey: 'Passkey',
    'recovery-code': 'Wiederherstellungscode',
    BAD_CREDENTIALS: 'falsches Passwort',
    ACCOUNT_LOCKED: 'das Konto war gesperrt',
    ACCOUNT_DISABLED: 'das Konto war deaktiviert',
    ACCOUNT_EXPIRED: 'das Konto war abgelaufen',
    CREDENTIALS_EXPIRED: 'das Passwort war abgelaufen',
    LOGIN_POLICY_REJECTED: 'hier nicht erlaubt',
    SECOND_FACTOR_INVALID: 'falscher zweiter Faktor',
    TENANT_SUSPENDED: 'der Mandant war gesperrt',
    policy: 'nach den Regeln Ihrer Organisation',
    application: 'durch die Anwendung',
    'account-changed': 'mit einer Änderung Ihres Kontos',
    'too-many': 'zu viele gleichzeitig',
  },
});

type Describe = (value: string | number) => string | undefined;

const word: Describe = (value) => {
  const text = (detailTexts() as Readonly<Record<string, unknown>>)[value];
  return typeof text === 'string' ? text : undefined;
};
const sessions: Describe = (value) =>
  Number(value) > 0 ? detailTexts().sessions(formatNumber(Number(value))) : undefined;

const MEMBERS: Readonly<Record<string, Describe>> = {
  clientId: String,
  method: word,
  reason: word,
  sessions,
  sessionsEnded: sessions,
  remaining: (value) => detailTexts().remaining(formatNumber(Number(value))),
  count: (value) => detailTexts().count(formatNumber(Number(value))),
  lockedUntil: (value) => detailTexts().lockedUntil(formatDateTime(value)),
};

export function describeDetails(details: Readonly<Record<string, unknown>>): string {
  return Object.entries(MEMBERS)
    .map(([name, describe]) => {
      const value = details[name];
      return typeof value === 'string' || typeof value === 'number' ? describe(value) : undefined;
    })
    .filter((text) => text !== undefined)
    .join(', ');
}

/** Returns the reason that an administrator has written. The service's own reasons have a text. */
export function writtenReason({ reason }: Readonly<Record<string, unknown>>): string | undefined {
  return typeof reason === 'string' && word(reason) === undefined ? reason : undefined;
}
