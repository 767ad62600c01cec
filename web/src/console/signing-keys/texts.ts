import { createTexts } from '../../i18n.ts';

export const signingKeyTexts = createTexts({
  en: {
    title: 'Signing keys',
    intro:
      'The service signs access tokens with one active key, and ID tokens for applications with another. Retired keys still verify the tokens that they signed.',
    kid: 'Key id',
    chain: 'Signs',
    ACCESS: 'Access tokens',
    ID: 'ID tokens',
    both: 'Both',
    state: 'State',
    algorithm: 'Algorithm',
    created: 'Created',
    signsFrom: 'Signs from',
    verifiesUntil: 'Verifies until',
    PUBLISHED: 'Published',
    ACTIVE: 'Active',
    RETIRED: 'Retired',
    empty: 'There is no signing key.',
    rotate: 'Rotate',
    rotateTitle: 'Create a new signing key?',
    rotateText:
      'The new key is published at once, and signs as soon as all services know it. The present key then signs no further token. Tokens and sessions stay valid. This is final: the present key does not sign again.',
    rotateAct: 'Rotate signing key',
    rotated: (kid: string) => `New key ${kid} published`,
  },
  de: {
    title: 'Signaturschlüssel',
    intro:
      'Der Dienst signiert Access-Tokens mit einem aktiven Schlüssel und ID-Tokens für Anwendungen mit einem anderen. Ausgemusterte Schlüssel prüfen noch die Tokens, die sie signiert haben.',
    kid: 'Schlüsselkennung',
    chain: 'Signiert',
    ACCESS: 'Access-Tokens',
    ID: 'ID-Tokens',
    both: 'Beides',
    state: 'Zustand',
    algorithm: 'Verfahren',
    created: 'Angelegt',
    signsFrom: 'Signiert ab',
    verifiesUntil: 'Prüft bis',
    PUBLISHED: 'Veröffentlicht',
    ACTIVE: 'Aktiv',
    RETIRED: 'Ausgemustert',
    empty: 'Es gibt keinen Signaturschlüssel.',
    rotate: 'Wechseln',
    rotateTitle: 'Neuen Signaturschlüssel anlegen?',
    rotateText:
      'Der neue Schlüssel wird sofort veröffentlicht und signiert, sobald alle Dienste ihn kennen. Der bisherige signiert dann keine Tokens mehr. Tokens und Sitzungen gelten weiter. Das ist endgültig: Der bisherige Schlüssel signiert nie wieder.',
    rotateAct: 'Signaturschlüssel wechseln',
    rotated: (kid: string) => `Neuer Schlüssel ${kid} veröffentlicht`,
  },
});
