// The audit log: one record for each security event, written in the event's transaction.
// Imported by the services and src/composition.
import type { Logger } from 'pino';
import type { Clock, Deadline } from '../clock.ts';
import { newId } from '../db/ids.ts';
import type { Database, Insertion, Statements } from '../db/types.ts';
import { networkOf } from '../formats/network.ts';
import { auditInsertion, auditInsertionIf, insertAuditRecords } from './audit-store.ts';
import type { CountedRefusals, RefusalKind } from './counted-refusals.ts';
import { wasCommitted } from './was-committed.ts';

/** A security event. Never contains a secret. */
export interface AuditEvent {
  readonly event: AuditEventName;
  /** Tenant whose administrators may read it. If undefined, only SUPER_ADMINs may. */
  readonly tenantId: string | undefined;
  readonly accountId?: string | undefined;
  /** The canonical login name or client id that was presented, even if it does not exist. */
  readonly username?: string | undefined;
  /** The account that caused the event, if it is another account: an administrator. */
  readonly actorId?: string | undefined;
  /** Further facts: short texts and numbers. */
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
  | 'tenant.erased'
  | 'account.created'
  | 'account.updated'
  | 'account.roles-changed'
  | 'account.disabled'
  | 'account.enabled'
  | 'account.deleted'
  | 'account.erased'
  | 'account.unlocked'
  | 'account.password-changed';

/** The call that causes the event. */
export interface AuditContext {
  readonly requestId: string;
  readonly clientAddress: string;
  readonly deadline: Deadline;
  readonly log: Logger;
}

export interface AuditLog {
  /**
   * Runs `work` in one transaction and stores the events that it records. They are stored only if the transaction
   * commits, and then printed on the console. A refusal for an unknown account or credential is counted instead of
   * stored, with the same statements.
   */
  commit<T>(
    context: AuditContext,
    work: (tx: Statements, record: (event: AuditEvent) => void) => Promise<T>,
  ): Promise<T>;
  /** Stores one event. A refusal for an unknown account or credential is only counted, without a statement. */
  record(context: AuditContext, event: AuditEvent): Promise<void>;
  /**
   * Like `record`, but also executes the statement for an unknown account or credential. So the duration does not reveal
   * whether it exists.
   */
  recordUniformly(context: AuditContext, event: AuditEvent): Promise<void>;
}

/** @param count Counts each event. Default: no count. */
export function createAuditLog(
  database: Database,
  clock: Clock,
  refusals: Pick<CountedRefusals, 'count'>,
  count: (event: AuditEvent) => void = () => {},
): AuditLog {
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
    let records: readonly ReturnType<typeof newRecord>[] = [];
    let result: T;
    try {
      await database.transaction(context.deadline, async (tx) => {
        result = await work(tx, (event) => events.push(event));
        records = events.map((event) => newRecord(event, context));
        if (records.length > 0) await insertAuditRecords(tx, records);
      });
    } catch (error) {
      if (!(await wasCommitted(database, error, records, context.deadline))) throw error;
    }
    for (const event of events) conclude(event, context);
    return result!;
  }

  function newRecord(event: AuditEvent, { clientAddress, requestId }: AuditContext) {
    return { ...event, clientAddress, requestId, at: clock(), id: newId(), stored: !countedKind(event) };
  }

  async function insert(
    insertion: Insertion,
    record: ReturnType<typeof newRecord>,
    { deadline }: AuditContext,
  ): Promise<void> {
    try {
      await database.insert(insertion, deadline);
    } catch (error) {
      if (!(await wasCommitted(database, error, [record], deadline))) throw error;
    }
  }

  /** Runs after an event is stored. */
  function conclude(event: AuditEvent, context: AuditContext): void {
    const kind = countedKind(event);
    if (kind !== undefined) refusals.count(kind, networkOf(context.clientAddress));
    count(event);
    announce(event, context);
  }

  return {
    commit,
    async record(context, event) {
      const record = newRecord(event, context);
      if (record.stored) await insert(auditInsertion(record), record, context);
      conclude(event, context);
    },
    async recordUniformly(context, event) {
      const record = newRecord(event, context);
      await insert(auditInsertionIf(record), record, context);
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

/** Refusals that are counted instead of stored if they concern no known account. */
const KINDS: Partial<Readonly<Record<AuditEventName, RefusalKind>>> = {
  'login.failed': 'username',
  'login.aborted': 'username',
  'client.authentication-failed': 'client-id',
  'session.refresh-refused': 'refresh-token',
  'api-key.refused': 'api-key',
};

function countedKind({ event, accountId }: AuditEvent): RefusalKind | undefined {
  return accountId === undefined ? KINDS[event] : undefined;
}
