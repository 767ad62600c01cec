// The operator of the machine, who runs commands without an account.
import type { Logger } from 'pino';
import { createAuditLog, type AuditContext, type AuditLog } from '../auth/audit/trail/audit-log.ts';
import type { RefusalLog } from '../auth/audit/trail/refusal-log.ts';
import { UNLIMITED } from '../platform/clock.ts';
import { newId } from '../platform/db/ids.ts';
import type { Database } from '../platform/db/types.ts';
import { NO_FACTORS } from '../auth/access/account.ts';
import type { Principal } from '../auth/access/principal.ts';
import { builtInRights } from '../auth/access/roles/rights.ts';

/** Recorded in audit records instead of an actor's account and a client's address. */
export const LOCAL_COMMAND = 'local-command';

const OPERATOR_ID = '00000000-0000-7000-8000-000000000000';

const RIGHTS = builtInRights({ roles: ['SUPER_ADMIN'], tenantId: undefined });

/** The principal of local commands: a SUPER_ADMIN that is no stored account. */
export const LOCAL_OPERATOR: Principal = {
  account: {
    id: OPERATOR_ID,
    tenantId: undefined,
    username: LOCAL_COMMAND,
    name: LOCAL_COMMAND,
    email: undefined,
    interactive: true,
    roles: ['SUPER_ADMIN'],
    disabled: false,
    resourceServer: false,
    accountExpiresAt: undefined,
    credentialsExpireAt: undefined,
    loginFailedCount: 0,
    lockedUntil: undefined,
    ...NO_FACTORS,
    createdAt: 0,
    rights: RIGHTS,
  },
  permissions: RIGHTS.permissions,
  definitions: undefined,
  sessionId: undefined,
  revocationId: undefined,
  apiKeyHash: undefined,
  expiresAt: undefined,
};

/** The refusals of commands that check no credential. */
export const NO_REFUSALS: Pick<RefusalLog, 'add' | 'note'> = { add: () => undefined, note: () => undefined };

/** Creates the audit log of a command that works on the database and checks no credential. */
export function createLocalAuditLog(database: Database): AuditLog {
  return createAuditLog(database, Date.now, NO_REFUSALS);
}

/** Returns the context of a command's audit records. The command has no time limit. */
export function createLocalContext(log: Logger): AuditContext {
  return { requestId: newId(), clientAddress: LOCAL_COMMAND, deadline: UNLIMITED, log };
}

/** Returns an audit log that records the operator as `actor` in the details, because it is not an account. */
export function auditOfOperator(audit: AuditLog): AuditLog {
  const named: typeof withActor = (event) => (event.actorId === OPERATOR_ID ? withActor(event) : event);
  return {
    commit: (context, work) =>
      audit.commit(localContext(context), (tx, record, refuse) => work(tx, (event) => record(named(event)), refuse)),
    record: (context, event) => audit.record(localContext(context), named(event)),
    refuse: (context, event) => audit.refuse(localContext(context), event),
  };
}

function localContext({ requestId, deadline, log, reason }: AuditContext): AuditContext {
  return { requestId, deadline, log, reason, clientAddress: LOCAL_COMMAND };
}

type Event = Parameters<AuditLog['record']>[1];

function withActor({ actorId: _operator, details, ...event }: Event): Event {
  return { ...event, details: { ...details, actor: LOCAL_COMMAND } };
}
