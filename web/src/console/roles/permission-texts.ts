// The built-in permissions in groups, with a sentence each. A test compares them with those of the service.
import { createTexts } from '../../i18n.ts';

/** In the order of the form. */
export const PERMISSION_GROUPS = {
  people: ['READ_USERS', 'MANAGE_USERS', 'RECOVER_USERS', 'MANAGE_SESSIONS', 'MANAGE_ROLES'],
  evidence: ['READ_AUDIT', 'EXPLAIN_CREDENTIALS', 'MANAGE_WEBHOOKS'],
  tenant: ['MANAGE_POLICY', 'MANAGE_APPLICATIONS', 'MANAGE_CLIENTS', 'MANAGE_API_KEYS'],
  service: ['MANAGE_TENANTS', 'MANAGE_SIGNING_KEYS'],
  shop: [
    'READ_PRODUCTS',
    'WRITE_PRODUCTS',
    'READ_ORDERS',
    'WRITE_ORDERS',
    'CHANGE_ORDER_STATUS',
    'PRODUCE_ORDERS',
    'DELIVER_ORDERS',
    'READ_CUSTOMERS',
    'WRITE_CUSTOMERS',
    'READ_DASHBOARD',
    'READ_REFERENCE_DATA',
    'USE_FILES',
  ],
} as const;

export type PermissionGroup = keyof typeof PERMISSION_GROUPS;

export const permissionTexts = createTexts({
  en: {
    people: 'People',
    evidence: 'Records',
    tenant: 'Tenant and programs',
    service: 'The whole service',
    shop: 'Shop',
    READ_USERS: 'See users, their second factors, sessions and roles.',
    MANAGE_USERS: 'Create, change, disable and delete users, and give them roles.',
    RECOVER_USERS: 'Help users who cannot log in: unlock them, mail a new password, delete second factors.',
    MANAGE_SESSIONS: 'See where users are logged in, and end sessions.',
    MANAGE_ROLES: 'Create, change and delete roles.',
    READ_AUDIT: 'Read and export what has happened.',
    EXPLAIN_CREDENTIALS: 'See why a login, token or key is accepted or refused.',
    MANAGE_WEBHOOKS: 'Send audit records to other systems.',
    MANAGE_POLICY: 'Set the rules for passwords, second factors and sessions.',
    MANAGE_APPLICATIONS: 'Register applications that log in users.',
    MANAGE_CLIENTS: 'Create service accounts for programs, and their secrets.',
    MANAGE_API_KEYS: 'Issue and revoke API keys of service accounts.',
    MANAGE_TENANTS: 'Create, suspend and activate tenants.',
    MANAGE_SIGNING_KEYS: 'Rotate and revoke the keys that sign tokens.',
    READ_PRODUCTS: 'See products.',
    WRITE_PRODUCTS: 'Create, change and delete products.',
    READ_ORDERS: 'See orders and their history.',
    WRITE_ORDERS: 'Create, change and delete orders.',
    CHANGE_ORDER_STATUS: 'Change the status of orders.',
    PRODUCE_ORDERS: 'Move orders into production, and say that they are ready.',
    DELIVER_ORDERS: 'Say that orders are on their way or delivered.',
    READ_CUSTOMERS: 'See customers, their notes and orders.',
    WRITE_CUSTOMERS: 'Create and change customers and their notes.',
    READ_DASHBOARD: 'See the dashboard of the shop.',
    READ_REFERENCE_DATA: 'See the lists that the shop uses.',
    USE_FILES: 'Upload, read and delete files.',
  },
  de: {
    people: 'Personen',
    evidence: 'Aufzeichnungen',
    tenant: 'Mandant und Programme',
    service: 'Der ganze Dienst',
    shop: 'Laden',
    READ_USERS: 'Benutzer, ihre zweiten Faktoren, Sitzungen und Rollen sehen.',
    MANAGE_USERS: 'Benutzer anlegen, ändern, deaktivieren und löschen und ihnen Rollen geben.',
    RECOVER_USERS:
      'Benutzern helfen, die sich nicht anmelden können: entsperren, neues Passwort per E-Mail, zweite Faktoren löschen.',
    MANAGE_SESSIONS: 'Sehen, wo Benutzer angemeldet sind, und Sitzungen beenden.',
    MANAGE_ROLES: 'Rollen anlegen, ändern und löschen.',
    READ_AUDIT: 'Lesen und exportieren, was geschehen ist.',
    EXPLAIN_CREDENTIALS: 'Sehen, warum eine Anmeldung, ein Token oder ein Key angenommen oder abgewiesen wird.',
    MANAGE_WEBHOOKS: 'Audit-Einträge an andere Systeme senden.',
    MANAGE_POLICY: 'Regeln für Passwörter, zweite Faktoren und Sitzungen setzen.',
    MANAGE_APPLICATIONS: 'Anwendungen eintragen, die Benutzer anmelden.',
    MANAGE_CLIENTS: 'Dienstkonten für Programme anlegen, und ihre Secrets.',
    MANAGE_API_KEYS: 'API-Keys von Dienstkonten ausstellen und widerrufen.',
    MANAGE_TENANTS: 'Mandanten anlegen, sperren und aktivieren.',
    MANAGE_SIGNING_KEYS: 'Die Schlüssel wechseln und widerrufen, die Tokens signieren.',
    READ_PRODUCTS: 'Produkte sehen.',
    WRITE_PRODUCTS: 'Produkte anlegen, ändern und löschen.',
    READ_ORDERS: 'Bestellungen und ihre Geschichte sehen.',
    WRITE_ORDERS: 'Bestellungen anlegen, ändern und löschen.',
    CHANGE_ORDER_STATUS: 'Den Status von Bestellungen ändern.',
    PRODUCE_ORDERS: 'Bestellungen in Arbeit nehmen und fertig melden.',
    DELIVER_ORDERS: 'Bestellungen als unterwegs oder geliefert melden.',
    READ_CUSTOMERS: 'Kunden, ihre Notizen und Bestellungen sehen.',
    WRITE_CUSTOMERS: 'Kunden und ihre Notizen anlegen und ändern.',
    READ_DASHBOARD: 'Die Übersicht des Ladens sehen.',
    READ_REFERENCE_DATA: 'Die Listen sehen, die der Laden benutzt.',
    USE_FILES: 'Dateien hochladen, lesen und löschen.',
  },
});

/** Returns what a built-in permission allows; undefined for own ones. */
export function permissionText(permission: string): string | undefined {
  return (permissionTexts() as Readonly<Record<string, string>>)[permission];
}

const SHOP: readonly string[] = PERMISSION_GROUPS.shop;
const BUILT_IN: readonly string[] = Object.values(PERMISSION_GROUPS).flat();

export const isOfShop = (permission: string): boolean => SHOP.includes(permission);
export const isBuiltIn = (permission: string): boolean => BUILT_IN.includes(permission);
