// The audit log: one record for each security event, written in the event's transaction.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { isOver, type Clock, type Deadline } from '../../../platform/clock.ts';
import { isOutcomeUnknown } from '../../../platform/db/errors.ts';
import { newId } from '../../../platform/db/ids.ts';
import type { Database, Statements } from '../../../platform/db/types.ts';
import { DependencyUnavailableError } from '../../../platform/errors.ts';
import type { AuditEventName } from './audit-events.ts';
import {
  auditInsertion,
  auditRecordExists,
  deleteAuditRecord,
  insertAuditRecords,
  type AuditDetails,
  type NewAuditRecord,
} from './audit-store.ts';
import { withUsernames } from './audit-username-store.ts';
import type { RefusalKind } from './refusal-counts.ts';
import type { RefusalLog } from './refusal-log.ts';

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
  /** The session that caused the event. Default: the one of the call. */
  readonly sessionId?: string | undefined;
  readonly details?: AuditDetails;
}

/** The call that causes the event. */
export interface AuditContext {
  readonly requestId: string;
  readonly clientAddress: string;
  readonly deadline: Deadline;
  readonly log: Logger;
  readonly principal?: { readonly sessionId?: string | undefined } | undefined;
  /** Why the caller acts, as it says: the field `reason` of its request. */
  readonly reason?: string | undefined;
}

export type AuditLog = ReturnType<typeof createAuditLog>;

/** @param count Counts each event. Default: no count. */
export function createAuditLog(
  database: Database,
  clock: Clock,
  refusals: Pick<RefusalLog, 'add' | 'note'>,
  count: (event: AuditEvent) => void = () => {},
) {
  function announce({ event, details, sessionId: _session, ...who }: AuditEvent, context: AuditContext): void {
    const { clientAddress } = context;
    const log = ALWAYS_PRINTED.has(event) ? context.log.child({}, { level: 'warn' }) : context.log;
    log[levelOfEvent(event)]({ audit: event, ...who, ...details, clientAddress }, event);
  }

  /**
   * Runs `work` in one transaction and stores the events that it records. They are stored only if the transaction
   * commits, and then printed on the console. A refusal for an unknown account is counted instead of stored, with the
   * same statements. `refuse` is for refusals that change nothing: they are as those of `refuse` below, after the commit.
   */
  async function commit<T>(
    context: AuditContext,
    work: (tx: Statements, record: (event: AuditEvent) => void, refuse: (event: RefusalEvent) => void) => Promise<T>,
  ): Promise<T> {
    const events: AuditEvent[] = [];
    const refused: RefusalEvent[] = [];
    let entries: readonly Entry[] = [];
    let result: T;
    try {
      await database.transaction(context.deadline, async (tx) => {
        result = await work(
          tx,
          (event) => events.push(event),
          (event) => refused.push(event),
        );
        const records = await withUsernames(
          tx,
          events.map((event) => newRecord(event, context)),
        );
        entries = records.map((record, index) => ({ event: events[index]!, record }));
        await insertEntries(tx, entries);
      });
    } catch (error) {
      const stored = entries.filter((entry) => !isCounted(entry)).map(({ record }) => record);
      if (!(await wasCommitted(database, error, stored, context.deadline))) throw error;
    }
    for (const entry of entries) {
      const { event, record } = entry;
      if (isOfAnyone(event)) {
        const refusal = { kind: KINDS[event.event], record };
        if (isCounted(entry)) refusals.add(refusal);
        else refusals.note(refusal);
      }
      conclude(event, context);
    }
    for (const event of refused) refuse(context, event);
    return result!;
  }

  function refuse(context: AuditContext, event: RefusalEvent): void {
    refusals.add({ kind: KINDS[event.event], record: newRecord(event, context) });
    conclude(event, context);
  }

  function newRecord(event: AuditEvent, { clientAddress, requestId, principal, reason }: AuditContext): NewAuditRecord {
    const { sessionId = principal?.sessionId } = event;
    // Events that follow from the act, such as the end of a session, can have a reason of their own.
    const details = reason === undefined ? event.details : { reason, ...event.details };
    return { ...event, sessionId, details, clientAddress, requestId, at: clock(), id: newId() };
  }

  function conclude(event: AuditEvent, context: AuditContext): void {
    count(event);
    announce(event, context);
  }

  return {
    commit,
    /** Stores one event. */
    async record(context: AuditContext, event: AuditEvent): Promise<void> {
      const record = newRecord(event, context);
      try {
        await database.insert(auditInsertion(record), context.deadline);
      } catch (error) {
        if (!(await wasCommitted(database, error, [record], context.deadline))) throw error;
      }
      conclude(event, context);
    },
    /**
     * Prints a refusal that changes nothing. It is stored or counted after the response, so the duration does not reveal
     * whether the account exists.
     */
    refuse,
  };
}

/** Printed on the console at every app.log.level. */
const ALWAYS_PRINTED: ReadonlySet<AuditEventName> = new Set([
  'login.failed',
  'account.locked',
  'second-factor.failed',
  'second-factor.locked',
]);

const WARNINGS: ReadonlySet<string> = new Set<AuditEventName>([
  'login.failed',
  'login.aborted',
  'account.locked',
  'second-factor.failed',
  'second-factor.locked',
  'session.refresh-refused',
  'session.refresh-token-replayed',
  'grant.replayed',
  'code.replayed',
  'client.authentication-failed',
  'api-key.refused',
  'webhook.disabled',
]);

/** Returns the level of an event in the log. */
export const levelOfEvent = (event: string): 'warn' | 'info' => (WARNINGS.has(event) ? 'warn' : 'info');

const KINDS = {
  'login.failed': 'username',
  'client.authentication-failed': 'client-id',
  'session.refresh-refused': 'refresh-token',
  'api-key.refused': 'api-key',
  'second-factor.failed': 'second-factor',
} as const satisfies Partial<Record<AuditEventName, RefusalKind>>;

/** The refusal of a credential. */
export type RefusalEvent = AuditEvent & { readonly event: keyof typeof KINDS };

/** Whether an event refuses a credential that can be of an unknown account. */
function isOfAnyone(event: AuditEvent): event is RefusalEvent {
  return Object.hasOwn(KINDS, event.event) && event.event !== 'second-factor.failed';
}

interface Entry {
  readonly event: AuditEvent;
  readonly record: NewAuditRecord;
}

/** Whether an event of a transaction is counted instead of stored. */
function isCounted({ event, record }: Entry): boolean {
  return isOfAnyone(event) && record.accountId === undefined;
}

/** The statements are the same for a counted and a stored refusal. */
async function insertEntries(tx: Statements, entries: readonly Entry[]): Promise<void> {
  if (entries.length === 0) return;
  await insertAuditRecords(
    tx,
    entries.map(({ record }) => record),
  );
  for (const entry of entries) {
    if (!isOfAnyone(entry.event)) continue;
    await deleteAuditRecord(tx, isCounted(entry) ? entry.record : { ...entry.record, id: newId() });
  }
}

const FIRST_PAUSE_MS = 25;
const LONGEST_PAUSE_MS = 400;
/** Some writes have no deadline of their own. */
const LONGEST_SEARCH_MS = 10_000;
/** A server may still be committing after its connection was lost. */
const READS_WITHOUT_RECORD = 3;

/**
 * Whether a write was committed although it failed with this error, because its response was lost. Its audit records
 * show that. Returns false if that is not known before the deadline or within 10 s.
 */
async function wasCommitted(
  database: Database,
  error: unknown,
  records: readonly NewAuditRecord[],
  deadline: Deadline,
): Promise<boolean> {
  const [record] = records;
  if (!record || !isOutcomeUnknown(error)) return false;
  const giveUpAt = Date.now() + LONGEST_SEARCH_MS;
  let reads = 0;
  for (
    let pause = FIRST_PAUSE_MS;
    !isOver(deadline) && Date.now() < giveUpAt;
    pause = Math.min(2 * pause, LONGEST_PAUSE_MS)
  ) {
    try {
      if (await auditRecordExists(database, record)) return !isOver(deadline);
      reads += 1;
      if (reads === READS_WITHOUT_RECORD) return false;
    } catch (failure) {
      if (!(failure instanceof DependencyUnavailableError)) throw failure;
    }
    await sleep(pause);
  }
  return false;
}
