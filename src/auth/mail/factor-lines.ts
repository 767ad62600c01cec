// The factors of an account, in the words of a mail.
import type { Language } from '../access/policy/policy-fields.ts';

/** A factor that a mail names. */
export type MailedFactor = { readonly createdAt: number } & (
  | { readonly method: 'totp' }
  | { readonly method: 'passkey'; readonly label: string }
  | { readonly method: 'recovery-code'; readonly remaining: number }
);

interface Words {
  readonly totp: string;
  readonly passkey: (label: string) => string;
  readonly recoveryCodes: (remaining: number) => string;
  readonly since: (factor: string, time: string) => string;
  readonly none: string;
}

const WORDS: Readonly<Record<Language, Words>> = {
  en: {
    totp: 'Authenticator app',
    passkey: (label) => `Passkey “${label}”`,
    recoveryCodes: (remaining) => `Recovery codes, ${remaining} left`,
    since: (factor, time) => `${factor}: since ${time}`,
    none: 'none',
  },
  de: {
    totp: 'Authentifizierungs-App',
    passkey: (label) => `Passkey „${label}“`,
    recoveryCodes: (remaining) => `Wiederherstellungscodes, noch ${remaining}`,
    since: (factor, time) => `${factor}: seit ${time}`,
    none: 'keine',
  },
};

/** Returns a line for each factor, or one that says that there is none. */
export function describeFactors(language: Language, factors: readonly MailedFactor[]): string[] {
  const words = WORDS[language];
  if (factors.length === 0) return [words.none];
  return factors.map((factor) => words.since(nameOf(words, factor), mailTime(factor.createdAt)));
}

function nameOf(words: Words, factor: MailedFactor): string {
  if (factor.method === 'totp') return words.totp;
  return factor.method === 'passkey' ? words.passkey(factor.label) : words.recoveryCodes(factor.remaining);
}

/** Returns a time as mails show it: `2027-01-31 12:00 UTC`. */
export function mailTime(at: number): string {
  return `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}
