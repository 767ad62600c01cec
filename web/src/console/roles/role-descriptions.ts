// What the built-in roles are for. Own roles have descriptions of their own.
import type { Role } from '../../../../client/src/operations.ts';
import { createTexts } from '../../i18n.ts';

const descriptions = createTexts({
  en: {
    SUPER_ADMIN: 'Administers the service and every tenant.',
    TENANT_ADMIN: 'Administers the tenant.',
    ADMIN: 'Administers the tenant, and has the roles of the shop.',
    OWNER: 'Owns the business: administers the tenant, and has the roles of the shop.',
    AUDITOR: 'Reads users and audit records, and changes nothing.',
    HELP_DESK: 'Helps users who cannot log in, but not administrators.',
    MANAGER: 'Runs the shop.',
    SALES: 'Sells: orders and customers.',
    ACCOUNTANT: 'Reads the records of the shop.',
    PURCHASER: 'Buys: products.',
    FLORIST: 'Makes orders.',
    DELIVERY: 'Delivers orders.',
    TENANT_USER: 'Reads the records of the shop.',
  },
  de: {
    SUPER_ADMIN: 'Verwaltet den Dienst und alle Mandanten.',
    TENANT_ADMIN: 'Verwaltet den Mandanten.',
    ADMIN: 'Verwaltet den Mandanten und hat die Rollen des Ladens.',
    OWNER: 'Besitzt das Geschäft: verwaltet den Mandanten und hat die Rollen des Ladens.',
    AUDITOR: 'Liest Benutzer und Audit-Einträge und ändert nichts.',
    HELP_DESK: 'Hilft Benutzern, die sich nicht anmelden können, aber nicht Administratoren.',
    MANAGER: 'Führt den Laden.',
    SALES: 'Verkauft: Bestellungen und Kunden.',
    ACCOUNTANT: 'Liest die Daten des Ladens.',
    PURCHASER: 'Kauft ein: Produkte.',
    FLORIST: 'Fertigt Bestellungen.',
    DELIVERY: 'Liefert Bestellungen.',
    TENANT_USER: 'Liest die Daten des Ladens.',
  },
});

/** Returns the description of a built-in role by its name, or the one that a role has. */
export function describeRole(name: string, own?: Role['description']): string | undefined {
  return own ?? (descriptions() as Readonly<Record<string, string>>)[name];
}
