// The core, put together: database, keys, services, jobs.
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Logger } from 'pino';
import { createFindAuditRecords } from './audit/find-audit-records.ts';
import { createAuditLog } from './audit/audit-log.ts';
import { applyBootstrap, type BootstrapDependencies } from './bootstrap/apply.ts';
import { DEMO, DEMO_PLAN } from './bootstrap/demo.ts';
import type { Clock } from './clock.ts';
import type { Settings } from './config/settings.ts';
import { parseDatabaseUrl } from './database-url.ts';
import { connectDatabase } from './db/connect.ts';
import { migrate } from './db/migrate.ts';
import type { Database } from './db/types.ts';
import { waitForDatabase } from './db/wait.ts';
import { createExplainers } from './explainers.ts';
import { createAccountAdministration } from './identity/account-administration.ts';
import { createAccountLock, LOGIN_DECOYS_CLEAN_UP } from './identity/account-lock.ts';
import { createAccountStore } from './identity/account-store.ts';
import { createBearerCheck } from './identity/authenticate-bearer.ts';
import { createCredentialCheck } from './identity/authenticate-credentials.ts';
import { createAuthenticationManager } from './identity/authentication-manager.ts';
import type { EndSessions } from './identity/change-account.ts';
import { createPasswordHasher } from './identity/password-hasher.ts';
import { identityService } from './identity/service.ts';
import { startCleanUp, type CleanUp } from './jobs/clean-up.ts';
import { openApiKeys } from './open-api-keys.ts';
import { openBusiness } from './open-business.ts';
import { openClientCredentials } from './open-client-credentials.ts';
import { openRateLimit } from './rate-limit/rate-limit.ts';
import { RATE_LIMITS_CLEAN_UP } from './rate-limit/rate-limit-store.ts';
import { loadAccessRules, type AccessRules } from './rpc/access-rules.ts';
import { healthService } from './rpc/health.ts';
import { createHost, type Host, type HostOptions } from './rpc/host.ts';
import { createEndAllSessions } from './session/end-sessions.ts';
import { createLoginRateLimit } from './session/login-rate-limit.ts';
import { openSessionForms } from './session/open-session-forms.ts';
import { createRevokeFamily } from './session/revoke-family.ts';
import { sessionService } from './session/service.ts';
import type { SessionForms } from './session/session-form.ts';
import { createSessionStore, SESSION_FAMILIES_CLEAN_UP } from './session/session-store.ts';
import { tenancyService } from './tenancy/service.ts';
import { tenantExists } from './tenancy/tenant-store.ts';
import { createAccessTokens } from './token/access-token.ts';
import { BLACKLIST_CLEAN_UP, createBlacklist } from './token/blacklist.ts';
import { createKeyEncryption, type KeyEncryption } from './token/key-encryption.ts';
import { developmentKeyFile } from './token/key-file.ts';
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
const STREAMS = { maxTimeoutMs: 600_000, idleMs: 30_000 };
const PING_LIMIT_MS = 1_500;
const HEALTH_INTERVAL_MS = 2_000;
const CLEAN_UP_INTERVAL_MS = 60_000;
const PROTO_ROOT = fileURLToPath(new URL('../proto', import.meta.url));

/** Read once in a process: they are the same for every core. */
let declaredRules: AccessRules | undefined;

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
  const encryption = keyEncryption(settings);
  const issuer = settings['app.security.jwt.issuer'];
  const cookieName = settings['app.security.refresh-session.cookie-name'];
  const policy = {
    cookieName,
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

  const audit = createAuditLog(database, clock);
  const accounts = createAccountStore(database);
  const hasher = createPasswordHasher({
    maxConcurrent: settings['app.security.password.max-concurrent-hashes'],
    maxQueued: settings['app.security.password.max-queued'],
  });
  const lockPolicy = {
    maxFailures: settings['app.security.lockout.max-failures'],
    durationMs: settings['app.security.lockout.duration'],
  };
  const lock = createAccountLock(database, lockPolicy, clock);
  const uniformRefusals = disclosure === 'minimal';
  const manager = createAuthenticationManager({ database, accounts, lock, hasher, audit, clock, uniformRefusals });

  const blacklist = createBlacklist(database);
  const sessions = createSessionStore(database);
  const tokens = createAccessTokens({
    keys,
    clock,
    issuer,
    audience: settings['app.security.jwt.audience'],
  });
  const loginLimit = openRateLimit({
    name: 'login',
    store: settings['app.security.login.rate-limit.store'],
    points: settings['app.security.login.rate-limit.points'],
    windowMs: settings['app.security.login.rate-limit.window'],
    database,
    clock,
    log,
  });

  const demo = (await bootstrap(settings, log, { database, accounts, hasher, clock })) ? DEMO : undefined;
  const ready = () =>
    database.ping(PING_LIMIT_MS).then(
      () => true,
      () => false,
    );
  const endAllSessions = createEndAllSessions({ sessions, blacklist, clock });
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
  const authenticate = createCredentialCheck({
    bearer: createBearerCheck({ tokens, blacklist, accounts, clock }),
    apiKey: apiKeys.check,
  });
  const clientCredentials = openClientCredentials({ ...common, administration, tokens });
  const explainers = createExplainers({ settings, database, accounts, tokens, blacklist, sessions, forms, clock });
  const users = { administration, manager, lock, hasher, endSessions, clock };
  const business = await openBusiness({ settings, database, clock });
  const services = [
    identityService({ ...users, authenticateCredentials: authenticate, disclosure, explainers }),
    sessionService({
      manager,
      sessions,
      tokens,
      blacklist,
      accounts,
      audit,
      keys,
      database,
      disclosure,
      clock,
      cookieName,
      rateLimit: createLoginRateLimit(loginLimit),
      forms,
      revokeFamily: createRevokeFamily({ sessions, blacklist, clock }),
      endAllSessions,
      administration,
    }),
    tenancyService({ database, audit, clock, findAuditRecords: createFindAuditRecords(database) }),
    apiKeys.service,
    clientCredentials.service,
    ...business.services,
  ];
  const health = healthService({ check: ready, intervalMs: HEALTH_INTERVAL_MS, services, stopping: signal });
  const host = createHost({
    services: [...services, health],
    rules: (declaredRules ??= loadAccessRules([PROTO_ROOT])),
    authenticate,
    disclosure,
    maxStackTraceChars: settings['app.api.error-disclosure.max-stack-trace-chars'],
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
      await cleanUp.stop();
      await apiKeys.close();
      await clientCredentials.close();
      await loginLimit?.close();
      business.close();
      await database.close();
    },
  };
}

function keyEncryption(settings: Settings): KeyEncryption {
  const configured = settings['app.security.key-encryption-key'];
  const key = configured ?? developmentKeyFile(join(dataDirectory(settings), 'key-encryption-key'));
  return createKeyEncryption(key, settings['app.security.key-encryption-other-keys']);
}

function longestTokenMs(settings: Settings, forms: SessionForms): number {
  const ofSessions = Object.values(forms).map((form) => form.accessTokenTtlMs);
  return Math.max(...ofSessions, settings['app.security.m2m.access-token-ttl']);
}

function dataDirectory(settings: Settings): string {
  const url = parseDatabaseUrl(settings['app.database.url']);
  return url.engine === 'sqlite' && url.filename !== ':memory:' ? dirname(url.filename) : 'data';
}

/** Creates the accounts that are asked for, or the demo's with their business. True where the demo accounts exist. */
async function bootstrap(settings: Settings, log: Logger, dependencies: BootstrapDependencies): Promise<boolean> {
  const file = settings['app.bootstrap.file'];
  if (file !== undefined) {
    // Loaded here because YAML and its checks take longer to load than all the rest of the core.
    const { readBootstrapPlan } = await import('./bootstrap/plan-file.ts');
    const { tenants, accounts } = await applyBootstrap(await readBootstrapPlan(file), dependencies);
    log.info({ file, tenants: tenants.length, accounts }, 'the bootstrap file is applied');
    return false;
  }
  if (settings['app.env'] !== 'DEV') return false;
  const { database, accounts } = dependencies;
  const empty = (await database.query('SELECT id FROM accounts LIMIT 1')).length === 0;
  if (empty) {
    const { tenants } = await applyBootstrap(DEMO_PLAN, dependencies);
    // Loaded here because no other start needs it.
    const { createDemoBusiness } = await import('./bootstrap/demo-business.ts');
    await createDemoBusiness(tenants, dependencies);
  }
  return (await accounts.findByUsername(DEMO_PLAN.superAdmins![0]!.username)) !== undefined;
}
