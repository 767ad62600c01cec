import type { Settings } from '../platform/config/settings.ts';
import { RATE_LIMITS_CLEANUP } from '../platform/limits/rate-limit-store.ts';
import { createRateLimit } from '../platform/limits/rate-limit.ts';
import { createAccountLock, LOGIN_DECOYS_CLEANUP } from '../auth/identity/authentication/account-lock.ts';
import {
  createAuthenticationManager,
  type AuthenticationManager,
} from '../auth/identity/authentication/authentication-manager.ts';
import {
  createPasswordHasher,
  traceHasher,
  type HashLoad,
  type PasswordHasher,
} from '../auth/identity/authentication/password-hasher.ts';
import { createPasswordPolicy, type CheckPassword } from '../auth/identity/users/password-policy.ts';
import { createFailureLimits, type FailureLimits } from '../auth/session/login/failure-limit.ts';
import type { Foundation, Part } from './foundation.ts';

export interface Authentication extends Part {
  readonly hasher: PasswordHasher;
  readonly hashLoad: () => HashLoad;
  readonly manager: AuthenticationManager;
  readonly checkPassword: CheckPassword;
  readonly failureLimits: FailureLimits;
}

/** Creates password authentication: hashes, policy, the account lock, and the limits of failed logins. */
export function createAuthentication(foundation: Foundation): Authentication {
  const { settings, database, policies, audit, clock, log, tracer, refuseSamples } = foundation;
  const { accounts, uniformRefusals, runRefusable, tenantRequired } = foundation;
  const plainHasher = createPasswordHasher({
    maxConcurrent: shareOfWorker(settings['app.security.password.max-concurrent-hashes'], settings),
    maxQueued: shareOfWorker(settings['app.security.password.max-queued'], settings),
    maxMemoryBytes: maxHashMemoryBytes(settings),
  });
  const hasher = tracer ? traceHasher(plainHasher, tracer) : plainHasher;
  const forbiddenWords = settings['app.security.password.forbidden-words'];
  const policy = {
    maxFailures: settings['app.security.lockout.max-failures'],
    durationMs: settings['app.security.lockout.duration'],
  };
  const lock = createAccountLock({ database, policy, clock, uniform: uniformRefusals });
  const manager = createAuthenticationManager({
    database,
    accounts,
    policies,
    lock,
    hasher,
    audit,
    clock,
    uniformRefusals,
    runRefusable,
    tenantRequired,
    refuseSamples,
  });
  const limit = createRateLimit({
    name: 'login',
    store: settings['app.security.login.rate-limit.store'],
    points: settings['app.security.login.rate-limit.points'],
    windowMs: settings['app.security.login.rate-limit.window'],
    database,
    clock,
    log,
  });
  return {
    hasher,
    hashLoad: plainHasher.load,
    manager,
    checkPassword: createPasswordPolicy({ refuseSamples, forbiddenWords, policies }),
    failureLimits: createFailureLimits({ limit, clock, log }),
    metrics: [...plainHasher.metrics, ...(limit?.metrics ?? [])],
    cleanupTargets: [LOGIN_DECOYS_CLEANUP, RATE_LIMITS_CLEANUP],
    async close() {
      await manager.recorded();
      await limit?.close();
    },
  };
}

/** The workers share the processors, so each gets a part of a limit. */
function shareOfWorker(limit: number, settings: Pick<Settings, 'app.workers'>): number {
  return Math.ceil(limit / settings['app.workers']);
}

/** Returns the memory for the password hashes of one process, in bytes. */
export function maxHashMemoryBytes(settings: Settings): number {
  return shareOfWorker(settings['app.security.password.max-hash-memory-bytes'], settings);
}
