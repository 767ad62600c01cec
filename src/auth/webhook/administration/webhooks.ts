// The RPCs on webhooks.
import { Permission } from '../../../../proto/gen/authservice/access/v1/access.ts';
import type {
  CreateWebhookRequest,
  CreateWebhookResponse,
  DeleteWebhookRequest,
  DeleteWebhookResponse,
  GetWebhookRequest,
  GetWebhookResponse,
  ListWebhooksRequest,
  ListWebhooksResponse,
  RotateWebhookSecretRequest,
  RotateWebhookSecretResponse,
  UpdateWebhookRequest,
  UpdateWebhookResponse,
  Webhook as WebhookMessage,
} from '../../../../proto/gen/authservice/webhook/v1/webhook_service.ts';
import type { Precondition } from '../../../../proto/gen/authservice/record/v1/record.ts';
import type { Clock } from '../../../platform/clock.ts';
import { isId, newId } from '../../../platform/db/ids.ts';
import type { Database, Statements } from '../../../platform/db/types.ts';
import { ServiceError } from '../../../platform/errors.ts';
import { listPageInfo, listPageOf } from '../../../platform/rpc/paging.ts';
import type { RequestViolations } from '../../../platform/rpc/request-violations.ts';
import { loadThenCheckReferences, loadThenHandle } from '../../../platform/rpc/service.ts';
import type { AuditEvent, AuditLog } from '../../audit/trail/audit-log.ts';
import type { FollowedRecords } from '../../audit/export/follow-records.ts';
import { tenantOfNewAccount } from '../../identity/users/account-input.ts';
import { getAdminScope, narrowScope } from '../../identity/users/administrator.ts';
import type { Call } from '../../access/principal.ts';
import { deleteQueue, insertQueue, readReceiverStates, resumeQueue } from '../../delivery/outbox.ts';
import { lockTenant } from '../../tenancy/lock-tenant.ts';
import type { WebhookSecretCipher } from '../webhook-secrets.ts';
import {
  countWebhooks,
  deleteWebhook,
  findWebhook,
  insertWebhook,
  lockWebhook,
  replaceSecret,
  selectWebhooks,
  updateWebhook,
  WEBHOOK_ORDER,
  type Webhook,
} from '../webhook-store.ts';
import { webhookMessage } from './messages.ts';
import { refusal } from '../../access/refusals.ts';

export interface WebhookDependencies {
  readonly database: Database;
  readonly records: Pick<FollowedRecords, 'last'>;
  readonly secrets: WebhookSecretCipher;
  readonly tenantExists: (id: string) => Promise<boolean>;
  readonly audit: AuditLog;
  readonly clock: Clock;
  /** Returns why requests cannot be sent to a URL; undefined if they can. */
  readonly findUrlProblem: (url: string) => string | undefined;
}

/** Of each tenant, and of those for all tenants. */
const MAX_WEBHOOKS = 100;
/** A replaced secret stays valid so long. The two newest of them are kept. */
const PREVIOUS_SECRET_MS = 86_400_000;

/** The RPCs of WebhookService on webhooks. */
export function webhookHandlers(dependencies: WebhookDependencies) {
  const { database, records, secrets, tenantExists, audit, clock, findUrlProblem } = dependencies;
  const find = createFindWebhook(database);

  async function describe(webhook: Webhook): Promise<WebhookMessage> {
    const [state] = await readReceiverStates(database, database, [webhook]);
    return webhookMessage(webhook, state!);
  }

  function checkUrl({ url }: Partial<Webhook>, violations: RequestViolations): void {
    const problem = url === undefined ? undefined : findUrlProblem(url);
    if (problem !== undefined) violations.add({ message: problem, format: 'url', props: ['url'] });
  }

  /** Runs a change of a webhook under its lock. */
  function change<T>(
    call: Call,
    { tenantId, id }: Webhook,
    precondition: Precondition | undefined,
    work: (tx: Statements, webhook: Webhook, record: RecordChange) => Promise<T>,
  ): Promise<T> {
    return audit.commit(call, async (tx, emit) => {
      const webhook = await lockWebhook(tx, { tenantId, id });
      await call.recheck(tx);
      if (webhook === undefined) throw new ServiceError('NOT_FOUND');
      if (precondition !== undefined && !precondition.versions.includes(webhook.version))
        throw new ServiceError('PRECONDITION_FAILED', { detail: `the webhook is in version ${webhook.version}` });
      return work(tx, webhook, (event, details) =>
        emit({ event, tenantId, actorId: call.principal!.account.id, details: { webhook: id, ...details } }),
      );
    });
  }

  return {
    async listWebhooks(request: ListWebhooksRequest, call: Call): Promise<ListWebhooksResponse> {
      assertReadsAudit(call);
      const page = listPageOf(request, call, WEBHOOK_ORDER);
      const { query, disabled } = request;
      const scope = narrowScope(call.principal!, request.tenantId);
      const found = await selectWebhooks(database, { scope, query, disabled }, page);
      const states = await readReceiverStates(database, database, found.items);
      const webhooks = found.items.map((webhook, index) => webhookMessage(webhook, states[index]!));
      return { webhooks, page: listPageInfo(page, found) };
    },

    createWebhook: loadThenCheckReferences(
      async (_request: CreateWebhookRequest, call: Call) => assertReadsAudit(call),
      async (request: CreateWebhookRequest, call, _found, violations): Promise<CreateWebhookResponse> => {
        checkUrl(request, violations);
        violations.assertNone();
        const { url, events } = request;
        const tenantId = await tenantOfNewAccount(call.principal!, request.tenantId, tenantExists);
        const id = newId();
        const secret = secrets.create(id);
        const webhook = await audit.commit(call, async (tx, record) => {
          if (tenantId !== undefined) await lockTenant(tx, tenantId);
          const principal = await call.recheck(tx);
          if ((await countWebhooks(tx, tenantId)) >= MAX_WEBHOOKS)
            throw refusal('tooManyWebhooks', { maximum: MAX_WEBHOOKS });
          const now = clock();
          const created: Webhook = {
            tenantId,
            id,
            url,
            events,
            disabledReason: undefined,
            afterSequence: await records.last(tx),
            createdAt: now,
            updatedAt: now,
            version: 1,
          };
          await insertWebhook(tx, created, secret.encrypted);
          await insertQueue(tx, created);
          const details = { webhook: id, host: hostOf(url), events: events.join() };
          record({ event: 'webhook.created', tenantId, actorId: principal!.account.id, details });
          return created;
        });
        return { webhook: await describe(webhook), secret: secret.text };
      },
    ),

    getWebhook: loadThenHandle(
      find,
      async (_request: GetWebhookRequest, _call, webhook): Promise<GetWebhookResponse> => ({
        webhook: await describe(webhook),
      }),
    ),

    updateWebhook: loadThenCheckReferences(
      find,
      async (request: UpdateWebhookRequest, call, found, violations): Promise<UpdateWebhookResponse> => {
        const changes = maskedChanges(request);
        checkUrl(changes, violations);
        violations.assertNone();
        const changed = await change(call, found, request.precondition, async (tx, before, record) => {
          const { disabled, ...fields } = changes;
          const isEnabled = disabled === false && before.disabledReason !== undefined;
          const isDisabled = disabled === true && before.disabledReason === undefined;
          const names = [...Object.keys(fields), ...(isEnabled || isDisabled ? ['disabled'] : [])];
          if (disabled === false) await resumeQueue(tx, before, clock());
          if (names.length === 0) return before;
          const webhook: Webhook = {
            ...before,
            ...fields,
            // Records from the time in which it was disabled are not sent.
            ...(isEnabled && { afterSequence: await records.last(tx) }),
            disabledReason: isDisabled ? 'ADMINISTRATOR' : isEnabled ? undefined : before.disabledReason,
            updatedAt: clock(),
            version: before.version + 1,
          };
          await updateWebhook(tx, webhook);
          record('webhook.changed', {
            fields: names.join(),
            ...(fields.url !== undefined && { host: hostOf(fields.url) }),
            ...(fields.events && { events: fields.events.join() }),
            ...((isEnabled || isDisabled) && { disabled: String(isDisabled) }),
          });
          return webhook;
        });
        return { webhook: await describe(changed) };
      },
    ),

    deleteWebhook: loadThenHandle(
      find,
      async (request: DeleteWebhookRequest, call, found): Promise<DeleteWebhookResponse> => {
        await change(call, found, request.precondition, async (tx, webhook, record) => {
          // Its deliveries are not found without it, and the cleanup deletes them.
          await deleteWebhook(tx, webhook);
          await deleteQueue(tx, webhook);
          record('webhook.deleted', {});
        });
        return {};
      },
    ),

    rotateWebhookSecret: loadThenHandle(
      find,
      async (_request: RotateWebhookSecretRequest, call, found): Promise<RotateWebhookSecretResponse> => {
        const secret = secrets.create(found.id);
        await change(call, found, undefined, async (tx, webhook, record) => {
          await replaceSecret(tx, webhook, secret.encrypted, clock() + PREVIOUS_SECRET_MS);
          record('webhook.secret-rotated', {});
        });
        return { secret: secret.text };
      },
    ),
  };
}

type RecordChange = (event: AuditEvent['event'], details: NonNullable<AuditEvent['details']>) => void;

/** Returns a function that finds the webhook of a request within the caller's scope. It throws NOT_FOUND. */
export function createFindWebhook(database: Database) {
  return async ({ webhookId }: { readonly webhookId: string }, call: Call): Promise<Webhook> => {
    assertReadsAudit(call);
    const scope = getAdminScope(call.principal!);
    const webhook = isId(webhookId) ? await findWebhook(database, scope, webhookId) : undefined;
    if (webhook === undefined) throw new ServiceError('NOT_FOUND');
    return webhook;
  };
}

/** A role of one's own can have PERMISSION_MANAGE_WEBHOOKS alone, but a webhook shows audit records. */
function assertReadsAudit({ principal }: Call): void {
  if (!principal!.permissions.has(Permission.PERMISSION_READ_AUDIT)) throw refusal('webhookNeedsAudit');
}

/** The path of a URL can contain a secret. */
const hostOf = (url: string): string => new URL(url).host;

/** Returns the fields that the mask names. */
function maskedChanges({ webhook = { events: [] }, updateMask = [] }: UpdateWebhookRequest) {
  return {
    ...(updateMask.includes('url') && { url: webhook.url! }),
    ...(updateMask.includes('events') && { events: webhook.events }),
    ...(updateMask.includes('disabled') && { disabled: webhook.disabled === true }),
  };
}
