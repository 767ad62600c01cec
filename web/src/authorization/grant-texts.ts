import { createTexts } from '../i18n.ts';

export const grantTexts = createTexts({
  en: {
    title: 'Applications with access',
    none: 'No application has access to this account.',
    newest: (count: string, total: string) => `The newest ${count} of ${total}`,
    application: 'Application',
    scopes: 'Sees',
    offline: 'also when logged out',
    createdAt: 'Since',
    lastUsedAt: 'Last used',
    act: 'Actions',
    end: 'End',
    endOf: (application: string) => `End the access of ${application}`,
    endTitle: 'End this access?',
    endText:
      'The application loses it at once, with all its tokens. This is final: a new login there opens a new access.',
    endAct: 'End access',
    ended: 'Access ended',
  },
  de: {
    title: 'Anwendungen mit Zugriff',
    none: 'Keine Anwendung hat Zugriff auf dieses Konto.',
    newest: (count: string, total: string) => `Die neuesten ${count} von ${total}`,
    application: 'Anwendung',
    scopes: 'Sieht',
    offline: 'auch abgemeldet',
    createdAt: 'Seit',
    lastUsedAt: 'Zuletzt benutzt',
    act: 'Aktionen',
    end: 'Beenden',
    endOf: (application: string) => `Zugriff von ${application} beenden`,
    endTitle: 'Diesen Zugriff beenden?',
    endText:
      'Die Anwendung verliert ihn sofort, mit allen ihren Token. Das ist endgültig: Eine neue Anmeldung dort öffnet einen neuen Zugriff.',
    endAct: 'Zugriff beenden',
    ended: 'Zugriff beendet',
  },
});

/** What an application sees by each scope. */
export const scopeNames = createTexts({
  en: {
    openid: 'identity',
    profile: 'name and username',
    email: 'e-mail address',
    roles: 'roles',
    groups: 'groups',
    tenant: 'organisation',
  },
  de: {
    openid: 'Identität',
    profile: 'Name und Benutzername',
    email: 'E-Mail-Adresse',
    roles: 'Rollen',
    groups: 'Gruppen',
    tenant: 'Organisation',
  },
});
