// The composition root: each file here builds one part of the core from the settings and the parts below it.
// test/unit/architecture.test.ts says who may import this folder.
import type { Logger } from 'pino';
import type { Clock } from '../platform/clock.ts';
import { paceFailures, type RunRefusable } from '../platform/concurrency/pace-failures.ts';
import type { Settings } from '../platform/config/settings.ts';
import { poolMetrics } from '../platform/db/pool-metrics.ts';
import type { Database } from '../platform/db/types.ts';
import type { CleanupTarget } from '../platform/jobs/cleanup.ts';
import type { IntervalJob } from '../platform/jobs/interval-job.ts';
import type { Metric } from '../platform/metric.ts';
import type { Service } from '../platform/rpc/service.ts';
import type { Tracer } from '../platform/tracing/tracer.ts';
import { createAuditLog, type AuditLog } from '../auth/audit/trail/audit-log.ts';
import { countAuditEvents } from '../auth/audit/trail/count-audit-events.ts';
import { STATISTICS_CLEANUP } from '../auth/audit/statistics/statistics-store.ts';
import { createRefusalLog } from '../auth/audit/trail/refusal-log.ts';
import { createApiKeyStore, type ApiKeyStore } from '../auth/api-key/api-key-store.ts';
import { createClientSecretStore, type ClientSecretStore } from '../auth/client-credentials/client-secret-store.ts';
import {
  createChallengeStore,
  LOGIN_CHALLENGES_CLEANUP,
  type ChallengeStore,
} from '../auth/factors/challenge-store.ts';
import { USED_CHALLENGES_CLEANUP } from '../auth/factors/passkey-store.ts';
import { createAccountStore, type AccountStore } from '../auth/identity/account-store.ts';
import { countByRoles, hasDue, selectRoleLists } from '../auth/identity/users/account-list-store.ts';
import type { Principal } from '../auth/access/principal.ts';
import { createBuiltInRoles, type Grants } from '../auth/access/roles/built-in-roles.ts';
import { createPolicies, type Policies } from '../auth/access/policy/policies.ts';
import { createDefinitions, type DefinitionsReader } from '../auth/access/roles/definitions.ts';
import { createSessionLimits, type SessionLimits } from '../auth/session/limits/limit-sessions.ts';
import { createSessionStore, type SessionStore } from '../auth/session/session-store.ts';
import { revocationsCleanup, type Revocations } from '../auth/token/revocations.ts';
import { createConfiguredRevocations, longestTokenMs } from './revocations.ts';
import { servicePolicy } from './service-policy.ts';

/** The dependencies of every part. */
export interface Foundation {
  readonly settings: Settings;
  readonly database: Database;
  readonly definitions: DefinitionsReader;
  readonly policies: Policies;
  readonly accounts: AccountStore;
  readonly apiKeys: ApiKeyStore;
  readonly clientSecrets: ClientSecretStore;
  readonly sessions: SessionStore;
  readonly sessionLimits: SessionLimits;
  readonly challenges: ChallengeStore;
  readonly revocations: Revocations;
  readonly audit: AuditLog;
  readonly clock: Clock;
  readonly log: Logger;
  /** Undefined if tracing is off. */
  readonly tracer: Tracer | undefined;
  readonly disclosure: Settings['app.api.error-disclosure.mode'];
  /** Aborts when the process begins to stop. */
  readonly stopping?: AbortSignal | undefined;
  /** Whether refusals must not reveal which accounts and credentials exist: minimal disclosure. */
  readonly uniformRefusals: boolean;
  /** Runs a check of credentials. With uniform refusals, it paces its failures. */
  readonly runRefusable: RunRefusable;
  /** Whether service accounts must belong to a tenant. */
  readonly tenantRequired: boolean;
  /** Whether the passwords and client secrets that this project publishes are refused: PROD. */
  readonly refuseSamples: boolean;
}

/** One part of the core, as the host, the cleanup job and the shutdown see it. */
export interface Part {
  readonly services?: readonly Service<Principal>[];
  /** Rows that the cleanup job deletes. */
  readonly cleanupTargets?: readonly CleanupTarget[];
  /** Started when the core serves, and stopped in this order. */
  readonly jobs?: readonly Pick<IntervalJob, 'start'>[];
  readonly metrics?: readonly Metric[];
  /** Stores the audit records that wait in memory. */
  flush?(): Promise<void>;
  /** Stores values that are only in memory and closes all connections except those of the database. */
  close?(): Promise<void> | void;
}

export type FoundationOptions = Pick<Foundation, 'settings' | 'database' | 'clock' | 'log' | 'tracer' | 'stopping'> & {
  /** The grants of the modules. */
  readonly grants: readonly Grants[];
  /** Changes the audit records of all parts. */
  readonly wrapAudit?: (audit: AuditLog) => AuditLog;
};

/**
 * Creates the stores that all other parts use. Closes last, because other parts may write audit records while they
 * close.
 */
export function createFoundation(base: FoundationOptions): Foundation & Part {
  const { settings, database, clock, log, tracer, stopping, grants, wrapAudit = (audit) => audit } = base;
  const disclosure = settings['app.api.error-disclosure.mode'];
  const uniformRefusals = disclosure === 'minimal';
  const refusals = createRefusalLog({ database, clock, log, uniformRefusals });
  const events = countAuditEvents();
  const definitions = createDefinitions(database, createBuiltInRoles(grants));
  const policies = createPolicies(servicePolicy(settings), definitions);
  return {
    settings,
    database,
    clock,
    log,
    tracer,
    stopping,
    disclosure,
    uniformRefusals,
    runRefusable: uniformRefusals ? paceFailures : (check) => check(),
    tenantRequired: settings['app.tenancy.isolation'],
    refuseSamples: settings['app.env'] === 'PROD',
    definitions,
    policies,
    accounts: createAccountStore(database, definitions),
    apiKeys: createApiKeyStore(database, definitions),
    clientSecrets: createClientSecretStore(database),
    sessions: createSessionStore(database),
    sessionLimits: createSessionLimits({
      database,
      definitions,
      countByRoles: (scope, reader) => countByRoles(database, scope, reader),
      selectRoleLists: (tenantId) => selectRoleLists(database, tenantId),
      hasDue: (scope, now) => hasDue(database, scope, now),
      policies,
      clock,
    }),
    challenges: createChallengeStore(database),
    revocations: createConfiguredRevocations(settings, database, clock),
    audit: wrapAudit(createAuditLog(database, clock, refusals, events.count)),
    metrics: [events.metric, ...refusals.metrics, ...poolMetrics(database)],
    cleanupTargets: [
      revocationsCleanup(longestTokenMs(settings)),
      STATISTICS_CLEANUP,
      LOGIN_CHALLENGES_CLEANUP,
      USED_CHALLENGES_CLEANUP,
    ],
    flush: () => refusals.flush(),
    close: () => refusals.close(),
  };
}
