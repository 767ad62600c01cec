// Composes the core. server.ts serves it to callers, local-core.ts to the commands of its machine.
import type { TotpSecrets } from '../auth/factors/totp-secrets.ts';
import type { Metric } from '../platform/metric.ts';
import type { CleanupTarget } from '../platform/jobs/cleanup.ts';
import { readContracts, type RequestContracts } from '../platform/rpc/contract/contracts.ts';
import { readAccessRules, type AccessRules } from '../platform/rpc/pipeline/access-rules.ts';
import { createHost, type Host, type HostOptions } from '../platform/rpc/pipeline/host.ts';
import type { Service } from '../platform/rpc/service.ts';
import { createAuditExport } from './audit-export.ts';
import { createAuditTrail, type AuditTrail } from './audit-trail.ts';
import { createAuthentication, type Authentication } from './authentication.ts';
import type { Principal } from '../auth/access/principal.ts';
import type { CredentialChecks } from './credential-checks.ts';
import { createFoundation, type Foundation, type FoundationOptions, type Part } from './foundation.ts';
import { createMail, type Mail } from './mail.ts';
import { loadModules } from './load-modules.ts';
import type { Module } from './module.ts';
import { enabledModules } from './modules.ts';
import { createGrants } from './grants.ts';
import { createServices } from './services.ts';
import { createTokens } from './tokens.ts';
import { createWebhooks } from './webhooks.ts';

/** All parts of a core. */
export interface Composition {
  readonly foundation: Foundation;
  readonly modules: readonly Module[];
  readonly authentication: Authentication;
  readonly totpSecrets: TotpSecrets;
  readonly mail: Mail;
  readonly auditTrail: AuditTrail;
  readonly checks: CredentialChecks;
  readonly services: readonly Service<Principal>[];
  readonly cleanupTargets: readonly CleanupTarget[];
  readonly jobs: NonNullable<Part['jobs']>;
  readonly metrics: readonly Metric[];
  /** Stores the audit records that wait in memory. */
  flush(): Promise<void>;
  /** Closes everything except the database. */
  close(): Promise<void>;
}

/** Creates all parts. The keys are read from the database or created. */
export async function compose(
  options: Omit<FoundationOptions, 'grants'> & { readonly mailIntervalMs?: number | undefined },
): Promise<Composition> {
  const modules = [...enabledModules(options.settings), ...(await loadModules(options.settings))];
  const grants = modules.flatMap((module) => module.grants ?? []);
  const foundation = createFoundation({ ...options, grants });
  const tokens = await createTokens(foundation);
  const auditTrail = await createAuditTrail(foundation, tokens);
  const auditExport = await createAuditExport(foundation);
  const authentication = createAuthentication(foundation);
  const mail = createMail(foundation, tokens, options.mailIntervalMs);
  const oauthGrants = await createGrants(foundation, tokens);
  const webhooks = await createWebhooks(foundation, tokens, oauthGrants, mail);
  const { parts: services, checks } = createServices(foundation, tokens, authentication, {
    mail,
    auditTrail,
    grants: oauthGrants,
  });
  const ofModules = await Promise.all(modules.map((module) => module.create(foundation)));
  const parts: readonly Part[] = [
    authentication,
    tokens,
    auditTrail,
    auditExport,
    mail,
    webhooks,
    ...services,
    ...ofModules,
    foundation,
  ];
  return {
    foundation,
    modules,
    authentication,
    totpSecrets: tokens.totpSecrets,
    mail,
    auditTrail,
    checks,
    services: parts.flatMap((part) => part.services ?? []),
    cleanupTargets: parts.flatMap((part) => part.cleanupTargets ?? []),
    jobs: parts.flatMap((part) => part.jobs ?? []),
    metrics: parts.flatMap((part) => part.metrics ?? []),
    async flush() {
      for (const part of parts) await part.flush?.();
    },
    async close() {
      for (const part of parts) await part.close?.();
    },
  };
}

// Maximum duration of calls, for direct callers that set no deadline or a later one. The gateway waits 4 s.
const MAX_CALL_MS = 10_000;
// Maximum duration of calls with a stream, which run at the pace of the slower end.
const STREAMS = { maxTimeoutMs: 600_000, idleMs: 30_000, recheckMs: 1_000 };

/** Read once per process, because they are the same for every core. */
let declaredRules: AccessRules | undefined;
let declaredContracts: RequestContracts | undefined;

/** Creates the host of a core's services, with their access rules, field rules and limits. */
export function createCoreHost(
  { settings, disclosure, log }: Foundation,
  options: Pick<
    HostOptions<Principal>,
    'services' | 'authenticate' | 'reauthenticate' | 'requireFresh' | 'observe' | 'tracer' | 'fairCalls'
  >,
): Host {
  return createHost({
    ...options,
    log,
    rules: (declaredRules ??= readAccessRules()),
    contracts: (declaredContracts ??= readContracts()),
    disclosure,
    maxStackTraceChars: settings['app.api.error-disclosure.max-stack-trace-chars'],
    maxTimeoutMs: MAX_CALL_MS,
    streams: STREAMS,
  });
}
