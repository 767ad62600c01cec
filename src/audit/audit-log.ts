// The audit log: one record for each event that concerns security, written in the transaction of the event.
// Imported by the services and src/composition.
import type { Logger } from 'pino';
import type { Clock, Deadline } from '../clock.ts';
import { newId } from '../db/ids.ts';
import type { Database, Statements } from '../db/types.ts';
import { networkOf } from '../formats/network.ts';
import { auditInsertion, auditInsertionIf, insertAuditRecords } from './audit-store.ts';
import type { CountedRefusals, RefusalKind } from './counted-refusals.ts';

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
  | 'login.aborted'
  | 'account.locked'
  | 'session.refresh-refused'
  | 'session.refresh-token-replayed'
  | 'session.logged-out'
  | 'session.revoked'
  | 'client.authenticated'
  | 'client.authentication-failed'
  | 'api-key.issued'
  | 'api-key.revoked'
  | 'api-key.refused'
  | 'client-secret.created'
  | 'client-secret.expiry-set'
  | 'signing-key.rotated'
  | 'tenant.created'
  | 'tenant.suspended'
  | 'tenant.activated'
  | 'tenant.login-domains-set'
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
   * committed, and printed on the console after that. A refusal that names nothing is counted in place of a record, by the
   * same statements.
   */
  commit<T>(
    context: AuditContext,
    work: (tx: Statements, record: (event: AuditEvent) => void) => Promise<T>,
  ): Promise<T>;
  /** Records one event, durably. A refusal that names nothing is counted and costs no statement. */
  record(context: AuditContext, event: AuditEvent): Promise<void>;
  /** The same, but a refusal that names nothing costs the same statement. */
  recordUniformly(context: AuditContext, event: AuditEvent): Promise<void>;
}

export function createAuditLog(database: Database, clock: Clock, refusals: Pick<CountedRefusals, 'count'>): AuditLog {
  function announce({ event, details, ...who }: AuditEvent, context: AuditContext): void {
    const { clientAddress } = context;
    const log = ALWAYS_PRINTED.has(event) ? context.log.child({}, { level: 'warn' }) : context.log;
    log[WARNINGS.has(event) ? 'warn' : 'info']({ audit: event, ...who, ...details, clientAddress }, event);
  }

  async function commit<T>(
    context: AuditContext,
    work: (tx: Statements, record: (event: AuditEvent) => void) => Promise<T>,
  ): Promise<T> {
    const events: AuditEvent[] = [];
    const result = await database.transaction(context.deadline, async (tx) => {
      const outcome = await work(tx, (event) => events.push(event));
      const records = events.map((event) => newRecord(event, context));
      if (records.length > 0) await insertAuditRecords(tx, records);
      return outcome;
    });
    for (const event of events) conclude(event, context);
    return result;
  }

  function newRecord(event: AuditEvent, { clientAddress, requestId }: AuditContext) {
    return { ...event, clientAddress, requestId, at: clock(), id: newId(), stored: !countedKind(event) };
  }

  /** What follows a record that is stored. */
  function conclude(event: AuditEvent, context: AuditContext): void {
    const kind = countedKind(event);
    if (kind !== undefined) refusals.count(kind, networkOf(context.clientAddress));
    announce(event, context);
  }

  return {
    commit,
    async record(context, event) {
      if (countedKind(event) === undefined) {
        await database.insert(auditInsertion(newRecord(event, context)), context.deadline);
      }
      conclude(event, context);
    },
    async recordUniformly(context, event) {
      await database.insert(auditInsertionIf(newRecord(event, context)), context.deadline);
      conclude(event, context);
    },
  };
}

/** Printed on the console at every app.log.level. */
const ALWAYS_PRINTED: ReadonlySet<AuditEventName> = new Set(['login.failed', 'account.locked']);

const WARNINGS: ReadonlySet<AuditEventName> = new Set([
  'login.failed',
  'login.aborted',
  'account.locked',
  'session.refresh-refused',
  'session.refresh-token-replayed',
  'client.authentication-failed',
  'api-key.refused',
]);

/** Refusals that are counted in place of a record each, if no account is known that they concern. */
const KINDS: Partial<Readonly<Record<AuditEventName, RefusalKind>>> = {
  'login.failed': 'username',
  'login.aborted': 'username',
  'client.authentication-failed': 'client-id',
  'session.refresh-refused': 'refresh-credential',
  'api-key.refused': 'api-key',
};

function countedKind({ event, accountId }: AuditEvent): RefusalKind | undefined {
  return accountId === undefined ? KINDS[event] : undefined;
}
