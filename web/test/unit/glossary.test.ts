// One word for one thing, in both languages: the texts of the pages against their glossary.
import { globSync } from 'node:fs';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';

interface Term {
  readonly en: string;
  readonly de: string;
  /** Other words for the same. */
  readonly never: { readonly en?: RegExp; readonly de?: RegExp };
}

const GLOSSARY: readonly Term[] = [
  { en: 'access code', de: 'Zugangscode', never: { de: /Zugriffscode|Access-Code/ } },
  { en: 'access token', de: 'Access-Token', never: { de: /Zugriffstoken|Zugangstoken|Access Token/ } },
  { en: 'address', de: 'Adresse', never: { en: /\bIP\b/, de: /\bIP\b/ } },
  { en: 'API key', de: 'API-Key', never: { en: /\bAPI token/, de: /API-Schlüssel|API Key/ } },
  { en: 'application', de: 'Anwendung', never: { de: /Applikation/ } },
  {
    en: 'audit record',
    de: 'Audit-Eintrag',
    never: { en: /audit (?:entry|log)/, de: /Auditeintr|Audit-Datens|Protokolleintr/ },
  },
  { en: 'client secret', de: 'Client-Secret', never: { de: /Client-Geheimnis|Client Secret/ } },
  { en: 'console', de: 'Konsole', never: { en: /admin panel|dashboard of administ/i, de: /Adminbereich/ } },
  { en: 'disable', de: 'deaktivieren', never: { en: /\bdeactivate/, de: /stilllegen|abschalten/ } },
  {
    en: 'e-mail address',
    de: 'E-Mail-Adresse',
    never: { en: /(?<!e-)\bmail address|\bemail\b/i, de: /Mailadresse|Emailadresse/ },
  },
  { en: 'mail', de: 'E-Mail', never: { de: /(?<!E-)\bMails?\b/ } },
  { en: 'id', de: 'Kennung', never: { en: /\bID\b(?! tokens?| and)/, de: /\bID\b(?!-Token)/ } },
  { en: 'invitation', de: 'Einladung', never: { de: /\bInvite\b/ } },
  { en: 'log in', de: 'anmelden', never: { en: /\bsign(?:ed|ing)?[ -]in\b|\blogon\b/i, de: /einlogg|eingelogg/i } },
  { en: 'log out', de: 'abmelden', never: { en: /\bsign(?:ed|ing)?[ -]out\b|\blogoff\b/i, de: /auslogg|ausgelogg/i } },
  { en: 'login domain', de: 'Login-Domain', never: { de: /Anmelde-Domain/ } },
  { en: 'passkey', de: 'Passkey', never: { de: /Hauptschlüssel/ } },
  { en: 'password', de: 'Passwort', never: { de: /Kennwort/ } },
  { en: 'permission', de: 'Berechtigung', never: { de: /\bRechte?n?s?\b/ } },
  { en: 'policy', de: 'Richtlinie', never: { de: /\bPolicy\b/ } },
  { en: 'recovery code', de: 'Wiederherstellungscode', never: { en: /backup code/i, de: /Backup-Code|Notfallcode/ } },
  {
    en: 'second factor',
    de: 'zweiter Faktor',
    never: { en: /\b2FA\b|\bMFA\b|two-factor/i, de: /\b2FA\b|\bMFA\b|Zwei-Faktor/ },
  },
  { en: 'service account', de: 'Dienstkonto', never: { de: /Servicekonto|Service-Account/ } },
  { en: 'session', de: 'Sitzung', never: { de: /\bSessions?\b/ } },
  { en: 'signing key', de: 'Signaturschlüssel', never: { de: /Signierschlüssel/ } },
  {
    en: 'temporary password',
    de: 'vorläufiges Passwort',
    never: { en: /initial password|one-time password/i, de: /temporäres Passwort|Einmalpasswort/i },
  },
  { en: 'tenant', de: 'Mandant', never: { de: /\bTenants?\b/ } },
  { en: 'user', de: 'Benutzer', never: { de: /\bUsers?\b|(?<![Bb]e)[Nn]utzer/ } },
  { en: 'username', de: 'Benutzername', never: { en: /\blogin name|\buser name/i, de: /Anmeldename|Loginname/ } },
  // Users are addressed politely.
  { en: 'you', de: 'Sie', never: { de: /\b(?:du|dich|dir|dein\w*)\b/i } },
];

type Texts = () => Readonly<Record<string, unknown>>;
const found: { readonly place: string; readonly language: 'en' | 'de'; readonly text: string }[] = [];

/** Returns a text; that of a function with values that look like none. */
const textOf = (text: unknown): string =>
  typeof text === 'function' ? String((text as (...values: string[]) => unknown)('…', '…', '…')) : String(text);

beforeAll(async () => {
  vi.stubGlobal('navigator', { languages: ['en'] });
  vi.stubGlobal('document', { documentElement: {} });
  const { language } = await import('../../src/i18n.ts');
  const files = globSync('web/src/**/*{texts,descriptions}.ts');
  for (const file of files) {
    const module = (await import(/* @vite-ignore */ `../../../${file}`)) as Readonly<Record<string, unknown>>;
    for (const [name, texts] of Object.entries(module)) {
      if (typeof texts !== 'function' || !/texts$/i.test(name)) continue;
      for (const code of ['en', 'de'] as const) {
        language.value = code;
        for (const [key, text] of Object.entries((texts as Texts)()))
          found.push({ place: `${file} ${key}`, language: code, text: textOf(text) });
      }
    }
  }
});
afterAll(() => vi.unstubAllGlobals());

it('reads the texts of the pages', () => {
  expect(found.length).toBeGreaterThan(1_000);
});

it.each(GLOSSARY)('calls it "$en" and "$de" everywhere', ({ never }) => {
  const others = found.filter(({ language, text }) => never[language]?.test(text));
  expect(others.map(({ place, text }) => `${place}: ${text}`)).toEqual([]);
});
