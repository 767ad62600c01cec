import { Permission } from '../../proto/gen/authservice/access/v1/access.ts';
import { createFollowedRecords } from '../auth/audit/export/follow-records.ts';
import { createSignAuditHead } from '../auth/audit/seals/get-audit-head.ts';
import { EVERY_TENANT } from '../auth/audit/statistics/statistics-store.ts';
import { signCompact } from '../auth/keys/compact-jws.ts';
import { createKeyEncryption } from '../auth/keys/key-encryption.ts';
import { loadSecretKey } from '../auth/keys/secret-key.ts';
import { createDeliverer } from '../auth/delivery/deliver.ts';
import { DELIVERIES_CLEANUP } from '../auth/delivery/outbox.ts';
import { selectHolders } from '../auth/identity/users/account-list-store.ts';
import { createLogoutMetrics } from '../auth/oauth/logout/logout-metrics.ts';
import { createFindLogoutReceiver } from '../auth/oauth/logout/logout-receiver.ts';
import { createPropagateLogout } from '../auth/oauth/logout/propagate-logout.ts';
import { tenantExists } from '../auth/tenancy/tenant-store.ts';
import { webhookService } from '../auth/webhook/service.ts';
import { createFailureMails } from '../auth/webhook/failure-mails.ts';
import { createFanOut } from '../auth/webhook/fan-out.ts';
import { createWebhookMetrics } from '../auth/webhook/webhook-metrics.ts';
import { createFindWebhookReceiver } from '../auth/webhook/webhook-receiver.ts';
import { createWebhookSecrets } from '../auth/webhook/webhook-secrets.ts';
import { backgroundOf } from '../platform/jobs/background.ts';
import { outsideUrlProblem } from '../platform/http/outside-url.ts';
import { createPostOutside } from '../platform/http/post-outside.ts';
import { createResolveHost } from '../platform/http/resolve-host.ts';
import { maxLookups } from '../platform/process/thread-pool.ts';
import type { Foundation, Part } from './foundation.ts';
import type { Grants } from './grants.ts';
import type { Mail } from './mail.ts';
import type { Tokens } from './tokens.ts';

/** What an administrator of webhooks needs. */
const MANAGE = [Permission.PERMISSION_MANAGE_WEBHOOKS, Permission.PERMISSION_READ_AUDIT];
/** Administrators of a tenant who get the mail about a webhook. */
const MAX_TOLD = 100;
/** Longest wait for a receiver's response. */
const TIME_LIMIT_MS = 15_000;

/** Creates the service of webhooks, and the jobs that make and send their deliveries. */
export async function createWebhooks(
  foundation: Foundation,
  { encryption, keys, idTokens }: Pick<Tokens, 'encryption' | 'keys' | 'idTokens'>,
  { findOwningApplication, sessionReader }: Pick<Grants, 'findOwningApplication' | 'sessionReader'>,
  { links, notify }: Pick<Mail, 'links' | 'notify'>,
): Promise<Part> {
  const { settings, database, definitions, audit, clock, log } = foundation;
  const secrets = createWebhookSecrets(
    createKeyEncryption(await loadSecretKey({ database, encryption, name: 'webhook-secrets', clock })),
  );
  const records = createFollowedRecords(database);
  const outside = createPostOutside({
    allowedNetworks: settings['app.webhooks.allowed-networks'],
    timeLimitMs: TIME_LIMIT_MS,
    resolveHost: createResolveHost({ maxConcurrent: maxLookups() }),
  });
  const signHead = createSignAuditHead({
    clock,
    sign: async (type, claims) => signCompact(await keys.signer(), type, claims),
    issuer: settings['app.security.jwt.issuer'],
  });
  const background = backgroundOf(database);
  const findWebhook = createFindWebhookReceiver({
    database: background,
    records: createFollowedRecords(background),
    secrets,
    clock,
  });
  const findApplication = createFindLogoutReceiver(findOwningApplication, idTokens.sign);
  const deliverer = createDeliverer({
    database,
    findReceiver: async (address) => (await findWebhook(address)) ?? findApplication(address),
    post: outside.post,
    audit,
    clock,
    log,
  });
  const fanOut = createFanOut({
    database,
    clock,
    signHead: ({ tenantId = EVERY_TENANT, ...seal }) => signHead({ tenant: tenantId, seal }),
    onDeliveries: deliverer.wake,
  });
  const propagateLogout = createPropagateLogout({
    database,
    sessionReader,
    findApplication: findOwningApplication,
    audit,
    clock,
    log,
    onDeliveries: deliverer.wake,
  });
  const failureMails = createFailureMails({
    database,
    clock,
    notify,
    findAdministrators: (tenantId) =>
      selectHolders(background, definitions, { tenantId, permissions: MANAGE, limit: MAX_TOLD, now: clock() }),
  });
  const isProvider = settings['app.oauth.enabled'];
  const service = webhookService({
    database,
    records,
    secrets,
    audit,
    clock,
    tenantExists: (id) => tenantExists(database, id),
    findUrlProblem: (url) => outsideUrlProblem(url, settings['app.env'] === 'PROD'),
    lookSoon: deliverer.wake,
  });
  return {
    services: [service],
    cleanupTargets: [DELIVERIES_CLEANUP],
    metrics: [
      ...createWebhookMetrics({
        database,
        clock,
        log,
        counts: deliverer.counts.webhook,
        unsentSince: fanOut.unsentSince,
      }),
      ...(isProvider ? createLogoutMetrics({ database, log, counts: deliverer.counts.application }) : []),
    ],
    jobs: [fanOut, deliverer, ...(links ? [failureMails] : []), ...(isProvider ? [propagateLogout] : [])],
    close: () => outside.close(),
  };
}
