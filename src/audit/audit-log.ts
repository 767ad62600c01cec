import type { Logger } from 'pino';
import type { Clock, Deadline } from '../clock.ts';
import { idToBytes, newId } from '../db/ids.ts';
import { tenantBytes } from '../db/tenant-scope.ts';
import type { Database, Statements } from '../db/types.ts';

/** Something worth remembering: who, what, from where. Never a secret. */
export interface AuditEvent {
  readonly event: AuditEventName;
  /** Tenant whose administrators may read it; undefined for SUPER_ADMINs only. */
  readonly tenantId: string | undefined;
  readonly accountId?: string | undefined;
  /** Canonical login name or client id that was tried, whether it exists or not. */
  readonly username?: string | undefined;
  /** Who did it, where that is another account: the administrator. */
  readonly actorId?: string | undefined;
  /** Further facts of the event; short texts and numbers. */
  readonly details?: Readonly<Record<string, string | number>>;
}

export type AuditEventName =
  | 'login.succeeded'
  | 'login.failed'
  | 'account.locked'
  | 'session.refresh-refused'
  | 'session.replayed'
  | 'session.logged-out'
  | 'session.revoked'
  | 'client.authenticated'
  | 'client.authentication-failed'
  | 'api-key.issued'
  | 'api-key.revoked'
  | 'client-secret.created'
  | 'client-secret.expired'
  | 'signing-key.rotated'
  | 'tenant.created'
  | 'tenant.suspended'
  | 'tenant.activated'
  | 'account.created'
  | 'account.updated'
  | 'account.roles-changed'
  | 'account.disabled'
  | 'account.enabled'
  | 'account.deleted'
  | 'account.unlocked'
  | 'account.password-changed';

/** The call in which something happened. */
export interface AuditContext {
  readonly requestId: string;
  readonly clientAddress: string;
  readonly deadline: Deadline;
  readonly log: Logger;
}

export interface AuditLog {
  /**
   * Runs `work` in one transaction together with the events that it records: they are stored if and only if it is
   * committed, and printed on the console after that.
   */
  commit<T>(
    context: AuditContext,
    work: (tx: Statements, record: (event: AuditEvent) => void) => Promise<T>,
  ): Promise<T>;
}

export function createAuditLog(database: Database, clock: Clock): AuditLog {
  return {
    async commit(context, work) {
      const events: AuditEvent[] = [];
      const result = await database.transaction(context.deadline, async (tx) => {
        const outcome = await work(tx, (event) => events.push(event));
        for (const event of events) await insertEvent(tx, event, context, clock());
        return outcome;
      });
      for (const { event, details, ...who } of events) {
        const fields = { audit: event, ...who, ...details, clientAddress: context.clientAddress };
        context.log[WARNINGS.has(event) ? 'warn' : 'info'](fields, event);
      }
      return result;
    },
  };
}

const WARNINGS: ReadonlySet<AuditEventName> = new Set([
  'login.failed',
  'account.locked',
  'session.refresh-refused',
  'session.replayed',
  'client.authentication-failed',
]);

async function insertEvent(tx: Statements, event: AuditEvent, context: AuditContext, now: number): Promise<void> {
  await tx.execute(
    `INSERT INTO audit_records (tenant_id, id, at, event, account_id, username, actor_id, client_address, request_id,
       details)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    [
      tenantBytes(event.tenantId),
      idToBytes(newId()),
      now,
      event.event,
      event.accountId === undefined ? null : idToBytes(event.accountId),
      event.username ?? null,
      event.actorId === undefined ? null : idToBytes(event.actorId),
      context.clientAddress,
      context.requestId,
      JSON.stringify(event.details ?? {}),
    ],
  );
}
