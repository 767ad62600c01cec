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
    actions: 'Actions',
    revoke: 'Revoke',
    revokeOf: (kid: string) => `Revoke ${kid}`,
    revokeTitle: 'Revoke this key?',
    revokeText:
      'Do this if somebody else may have the key. All tokens that it has signed are refused at once, and a new key signs at once. Sessions stay: their next refresh brings a token of the new key. This is final.',
    revokeRetiredText: 'All tokens that it has signed are refused at once. This is final.',
    revokeCached:
      'Programs that keep the key set refuse tokens of the new key until they fetch the key set again, and may accept those of the revoked one until then.',
    revokeAct: 'Revoke key',
    revoked: (kid: string) => `Key revoked. ${kid} signs now.`,
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
    actions: 'Aktionen',
    revoke: 'Widerrufen',
    revokeOf: (kid: string) => `${kid} widerrufen`,
    revokeTitle: 'Diesen Schlüssel widerrufen?',
    revokeText:
      'Tun Sie das, wenn jemand anders den Schlüssel haben könnte. Alle Tokens, die er signiert hat, werden sofort abgewiesen, und ein neuer Schlüssel signiert sofort. Sitzungen bleiben: Ihre nächste Erneuerung bringt ein Token des neuen Schlüssels. Das ist endgültig.',
    revokeRetiredText: 'Alle Tokens, die er signiert hat, werden sofort abgewiesen. Das ist endgültig.',
    revokeCached:
      'Programme, die die Schlüsselliste aufbewahren, weisen Tokens des neuen Schlüssels ab, bis sie die Liste neu holen, und nehmen die des widerrufenen bis dahin vielleicht an.',
    revokeAct: 'Schlüssel widerrufen',
    revoked: (kid: string) => `Schlüssel widerrufen. Jetzt signiert ${kid}.`,
  },
});
