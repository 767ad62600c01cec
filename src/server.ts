// The core, put together: database, keys, services, jobs.
import { fileURLToPath } from 'node:url';
import type { Logger } from 'pino';
import { createFindAuditRecords } from './audit/find-audit-records.ts';
import { createAuditLog } from './audit/audit-log.ts';
import { auditCleanUpTargets } from './audit/audit-store.ts';
import { countRefusals } from './audit/counted-refusals.ts';
import { DEMO } from './bootstrap/demo.ts';
import type { Clock } from './clock.ts';
import type { Settings } from './config/settings.ts';
import { createFirstAccounts } from './composition/create-first-accounts.ts';
import { connectDatabase } from './db/connect.ts';
import { migrate } from './db/migrate.ts';
import type { Database } from './db/types.ts';
import { waitForDatabase } from './db/wait.ts';
import { envoyAuthorizationService } from './envoy/service.ts';
import { createExplainers } from './composition/explainers.ts';
import { createAccountAdministration } from './identity/users/account-administration.ts';
import { createAccountLock, LOGIN_DECOYS_CLEAN_UP } from './identity/authentication/account-lock.ts';
import { createAccountStore, createAccountWriter } from './identity/account-store.ts';
import { createAuthenticationManager } from './identity/authentication/authentication-manager.ts';
import type { EndSessions } from './identity/users/change-account.ts';
import { createPasswordHasher } from './identity/authentication/password-hasher.ts';
import { createPasswordPolicy } from './identity/users/password-policy.ts';
import { identityService } from './identity/service.ts';
import { startCleanUp, type CleanUp } from './jobs/clean-up.ts';
import { openApiKeys } from './composition/open-api-keys.ts';
import { openBusiness } from './composition/open-business.ts';
import { openClientCredentials } from './composition/open-client-credentials.ts';
import { openFailureLimits } from './composition/open-failure-limits.ts';
import { openCredentials } from './composition/open-credentials.ts';
import { openKeyEncryption } from './composition/open-key-encryption.ts';
import { RATE_LIMITS_CLEAN_UP } from './rate-limit/rate-limit-store.ts';
import { loadAccessRules, type AccessRules } from './rpc/pipeline/access-rules.ts';
import { readContracts, type RequestContracts } from './rpc/contract/contracts.ts';
import { healthService } from './rpc/pipeline/health.ts';
import { createHost, type Host, type HostOptions } from './rpc/pipeline/host.ts';
import { createEndAllSessions } from './session/end-sessions.ts';
import { openSessionForms } from './session/open-session-forms.ts';
import { createRevokeFamily } from './session/revoke-family.ts';
import { createRevokePresentedToken } from './session/revoke-token.ts';
import { sessionService } from './session/service.ts';
import type { SessionForms } from './session/session-form.ts';
import { createSessionStore, SESSION_FAMILIES_CLEAN_UP } from './session/session-store.ts';
import { tenancyService } from './tenancy/service.ts';
import { tenantExists } from './tenancy/tenant-store.ts';
import { createAccessTokens } from './token/access-token.ts';
import { BLACKLIST_CLEAN_UP, createBlacklist } from './token/blacklist.ts';
import { SIGNING_KEYS_CLEAN_UP } from './token/key-store.ts';
import { resealKeys } from './token/reseal-keys.ts';
import { openSigningKeys } from './token/signing-keys.ts';

export interface CoreOptions {
  readonly settings: Settings;
  readonly log: Logger;
  readonly clock?: Clock;
  /** Aborts when the process begins to stop: ends the wait for the database; a core that runs is not healthy any more. */
  readonly signal?: AbortSignal;
  readonly observe?: HostOptions['observe'];
}

/** A core that is ready to serve. */
export interface Core {
  readonly host: Host;
  /** The demo accounts, where they exist, so that a start may show them. */
  readonly demo: typeof DEMO | undefined;
  readonly cleanUp: CleanUp;
  /** Whether the database answers. */
  ready(): Promise<boolean>;
  /** Ends jobs and connections; calls must have ended before. */
  close(): Promise<void>;
}

// For direct callers that set no deadline of their own, or a later one; the gateway waits 4 s.
const MAX_CALL_MS = 10_000;
// The same where a call carries a stream, at the pace of its slower end.
const STREAMS = { maxTimeoutMs: 600_000, idleMs: 30_000, recheckMs: 1_000 };
const PING_LIMIT_MS = 1_500;
const HEALTH_INTERVAL_MS = 2_000;
const CLEAN_UP_INTERVAL_MS = 60_000;
const PROTO_ROOT = fileURLToPath(new URL('../proto', import.meta.url));

/** Read once in a process: they are the same for every core. */
let declaredRules: AccessRules | undefined;
let declaredContracts: RequestContracts | undefined;

/** Opens the database, waiting until it answers, brings its schema up to date and starts the services. */
export async function openCore({ settings, log, clock = Date.now, signal, observe }: CoreOptions): Promise<Core> {
  const database = connectDatabase({
    url: settings['app.database.url'],
    poolSize: settings['app.database.pool-size'],
    log,
  });
  try {
    await waitForDatabase(database, { log, ...(signal && { signal }) });
    await migrate(database, log);
    return await composeCore(database, { settings, log, clock, signal, ...(observe && { observe }) });
  } catch (error) {
    await database.close();
    throw error;
  }
}

async function composeCore(
  database: Database,
  {
    settings,
    log,
    clock,
    signal,
    observe,
  }: Pick<CoreOptions, 'settings' | 'log' | 'observe'> & { clock: Clock; signal: AbortSignal | undefined },
): Promise<Core> {
  const disclosure = settings['app.api.error-disclosure.mode'];
  const shown = { disclosure, maxStackTraceChars: settings['app.api.error-disclosure.max-stack-trace-chars'] };
  const encryption = openKeyEncryption(settings);
  const issuer = settings['app.security.jwt.issuer'];
  const cookie = {
    name: settings['app.security.refresh-session.cookie-name'],
    perOrigin: settings['app.security.refresh-session.cookie-per-origin'],
  };
  const policy = {
    cookie,
    rotationMode: settings['app.security.refresh-session.rotation-mode'],
    accessTokenTtlMs: settings['app.security.access-token-ttl'],
    idleWindowMs: settings['app.security.refresh-session.idle-window'],
    browserIdleWindowMs: settings['app.security.refresh-session.browser-idle-window'],
    absoluteLifetimeMs: settings['app.security.refresh-session.absolute-lifetime'],
  };
  await resealKeys({ database, encryption, log });
  const forms = await openSessionForms({ database, encryption, clock, policy, issuer });
  const keys = await openSigningKeys({
    database,
    encryption,
    algorithm: settings['app.security.jwt.algorithm'],
    longestTokenMs: longestTokenMs(settings, forms),
    clock,
    log,
  });

  const refusals = countRefusals({ database, clock, log });
  const audit = createAuditLog(database, clock, refusals);
  const accounts = createAccountStore(database);
  const hasher = createPasswordHasher({
    maxConcurrent: settings['app.security.password.max-concurrent-hashes'],
    maxQueued: settings['app.security.password.max-queued'],
  });
  const lockPolicy = {
    maxFailures: settings['app.security.lockout.max-failures'],
    durationMs: settings['app.security.lockout.duration'],
  };
  const tenantRequired = settings['app.tenancy.isolation'];
  const uniformRefusals = disclosure === 'minimal';
  const lock = createAccountLock({ database, policy: lockPolicy, clock, uniform: uniformRefusals });
  const manager = createAuthenticationManager({
    database,
    accounts,
    lock,
    hasher,
    audit,
    clock,
    uniformRefusals,
    tenantRequired,
  });

  const blacklist = createBlacklist(database);
  const sessions = createSessionStore(database);
  const tokens = createAccessTokens({
    keys,
    clock,
    issuer,
    audience: settings['app.security.jwt.audience'],
    clientId: settings['app.security.jwt.client-id'],
  });
  const limits = openFailureLimits({ settings, database, clock, log });

  const checkPassword = createPasswordPolicy({ refuseSamples: settings['app.env'] === 'PROD' });
  const beginning = { database, accounts, hasher, checkPassword, clock, log };
  const demo = (await createFirstAccounts(settings, beginning)) ? DEMO : undefined;
  const ready = () =>
    database.ping(PING_LIMIT_MS).then(
      () => true,
      () => false,
    );
  const accountWriter = createAccountWriter(database);
  const revokeFamily = createRevokeFamily({ sessions, blacklist, clock });
  const endAllSessions = createEndAllSessions({ sessions, accounts: accountWriter, clock });
  const endSessions: EndSessions = (tx, account, deadline) => endAllSessions(tx, account, 'account-changed', deadline);
  const administration = createAccountAdministration({
    database,
    accounts,
    audit,
    endSessions,
    tenantExists: (id) => tenantExists(database, id),
    clock,
  });
  const common = { settings, database, accounts, audit, clock, log };
  const apiKeys = openApiKeys(common);
  const credentials = openCredentials({ tokens, blacklist, accounts, sessions, apiKeys, clock, tenantRequired });
  const { checkToken } = credentials;
  const logOut = { revokeFamily, blacklist, lockAccount: accountWriter.lock };
  const revokePresentedToken = createRevokePresentedToken({ ...logOut, sessions, forms, checkToken, audit });
  const clientCredentials = openClientCredentials({
    ...common,
    manager,
    administration,
    tokens,
    checkToken,
    revokePresentedToken,
  });
  const explainers = createExplainers({ settings, database, accounts, tokens, blacklist, sessions, forms, clock });
  const users = { administration, manager, lock, hasher, checkPassword, endSessions, clock };
  const business = await openBusiness({ settings, database, clock });
  const services = [
    identityService({ ...users, authenticateCredentials: credentials.authenticate, disclosure, explainers }),
    sessionService({
      ...logOut,
      issuer,
      manager,
      sessions,
      tokens,
      accounts,
      audit,
      keys,
      database,
      disclosure,
      clock,
      cookie,
      sessionsPerAccount: settings['app.security.sessions-per-account'],
      failureLimits: limits.failureLimits,
      forms,
      endAllSessions,
      administration,
    }),
    tenancyService({ database, audit, clock, findAuditRecords: createFindAuditRecords(database) }),
    apiKeys.service,
    clientCredentials.service,
    envoyAuthorizationService({ authenticateCredentials: credentials.authenticate, ...shown }),
    ...business.services,
  ];
  const health = healthService({ check: ready, intervalMs: HEALTH_INTERVAL_MS, services, stopping: signal });
  const host = createHost({
    services: [...services, health],
    rules: (declaredRules ??= loadAccessRules([PROTO_ROOT])),
    contracts: (declaredContracts ??= readContracts()),
    ...credentials,
    ...shown,
    log,
    maxTimeoutMs: MAX_CALL_MS,
    streams: STREAMS,
    ...(observe && { observe }),
  });
  const cleanUp = startCleanUp({
    database,
    targets: [
      SESSION_FAMILIES_CLEAN_UP,
      BLACKLIST_CLEAN_UP,
      LOGIN_DECOYS_CLEAN_UP,
      RATE_LIMITS_CLEAN_UP,
      SIGNING_KEYS_CLEAN_UP,
      ...auditCleanUpTargets(settings['app.audit.retention']),
      ...business.cleanUpTargets,
    ],
    clock,
    intervalMs: CLEAN_UP_INTERVAL_MS,
    log,
  });
  return {
    host,
    demo,
    cleanUp,
    ready,
    async close() {
      await manager.settled();
      await cleanUp.stop();
      await apiKeys.close();
      await clientCredentials.close();
      await limits.close();
      business.close();
      await refusals.close();
      await database.close();
    },
  };
}

function longestTokenMs(settings: Settings, forms: SessionForms): number {
  const ofSessions = Object.values(forms).map((form) => form.accessTokenTtlMs);
  return Math.max(...ofSessions, settings['app.security.m2m.access-token-ttl']);
}
