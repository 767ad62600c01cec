// The webhooks table.
import { id, integer, optional, optionalTenant, text, time, type Column } from '../../platform/db/columns.ts';
import { bytesToId, idToBytes } from '../../platform/db/ids.ts';
import { given } from '../../platform/db/query/condition.ts';
import type { ListOrder } from '../../platform/db/query/list-order.ts';
import { queryPage } from '../../platform/db/query/page-query.ts';
import type { CursorPage, Found } from '../../platform/db/query/page.ts';
import {
  acrossTenants,
  scopeCondition,
  tenantBytes,
  tenantScope,
  type AdminScope,
} from '../../platform/db/query/tenant-scope.ts';
import { defineRecord, type ValuesOf } from '../../platform/db/record.ts';
import type { Database, Row, Statements } from '../../platform/db/types.ts';
import type { WebhookSecrets } from './webhook-secrets.ts';

/** Why a webhook was disabled. */
export type DisabledReason = 'ADMINISTRATOR' | 'GONE' | 'FAILING' | 'BACKLOG';

const names = (name: string): Column<readonly string[], string[]> => ({
  name,
  fromSql: (stored: string) => JSON.parse(stored) as string[],
  toSql: (list) => JSON.stringify(list),
  toMessage: (list) => [...list],
});

const FIXED = {
  /** Undefined for a webhook for the records of all tenants. */
  tenantId: optionalTenant('tenant_id'),
  id: id('id'),
  createdAt: time('created_at'),
};
const FIELDS = {
  url: text('url'),
  events: names('events'),
  /** Undefined if it is enabled. */
  disabledReason: optional(text('disabled_reason')) as Column<DisabledReason | undefined>,
  /** It gets the audit records after this place in their order: those since it was created or enabled. */
  afterSequence: integer('after_sequence'),
  updatedAt: time('updated_at'),
  /** Increases with every change, from 1. */
  version: integer('version'),
};

const WEBHOOK = defineRecord('webhooks', { fixed: FIXED, fields: FIELDS });
/** A webhook without its secrets. */
export type Webhook = ValuesOf<typeof FIXED & typeof FIELDS>;
export type WebhookAddress = Pick<Webhook, 'tenantId' | 'id'>;

/** Newest first: ids ascend with time. */
export const WEBHOOK_ORDER: ListOrder = { key: [{ column: 'w.id', kind: 'id' }], descending: true };

const ADDRESSED = 'WHERE tenant_id = :tenant AND id = ?';
const SELECT = `SELECT ${WEBHOOK.select('w')} FROM webhooks w`;
const OF_ALL_TENANTS = acrossTenants('the records of all tenants are sent');

export interface WebhookFilter {
  readonly scope: AdminScope;
  /** A part of the URL. */
  readonly query: string | undefined;
  readonly disabled: boolean | undefined;
}

export async function selectWebhooks(
  database: Database,
  { scope, query, disabled }: WebhookFilter,
  page: CursorPage,
): Promise<Found<Webhook>> {
  const matching = [
    ...given(query?.toLowerCase(), 'INSTR(LOWER(w.url), ?) > 0'),
    ...given(disabled === undefined ? undefined : Number(disabled), '(w.disabled_reason IS NOT NULL) = ?'),
  ];
  return queryPage(
    database,
    {
      table: 'webhooks',
      alias: 'w',
      primaryKey: ['tenant_id', 'id'],
      order: WEBHOOK_ORDER,
      scope,
      branches: [{ index: scope.everyTenant ? 'UNIQUE id' : 'PRIMARY', matching }],
      columns: WEBHOOK.select('w'),
      read: (row: Row) => WEBHOOK.read(row),
    },
    page,
  );
}

/** Returns a webhook; undefined if it is outside the scope. */
export async function findWebhook(db: Statements, scope: AdminScope, id: string): Promise<Webhook | undefined> {
  const within = scopeCondition('w.tenant_id', scope);
  const [row] = await db.query(`${SELECT} WHERE w.id = ? AND ${within.sql}`, [idToBytes(id), ...within.values]);
  return row && WEBHOOK.read(row);
}

/** Returns a webhook and locks it until the transaction ends. */
export async function lockWebhook(tx: Statements, { tenantId, id }: WebhookAddress): Promise<Webhook | undefined> {
  await tenantScope(tx, tenantId).execute(`UPDATE webhooks SET id = id ${ADDRESSED}`, [idToBytes(id)]);
  return findWebhook(tx, { everyTenant: false, tenantId }, id);
}

export async function countWebhooks(db: Statements, tenantId: string | undefined): Promise<number> {
  const [row] = await tenantScope(db, tenantId).query<{ total: number }>(
    'SELECT COUNT(*) AS total FROM webhooks WHERE tenant_id = :tenant',
  );
  return row!.total;
}

/** Counts the webhooks that the service has disabled, by reason. */
export async function countDisabled(db: Statements): Promise<ReadonlyMap<DisabledReason, number>> {
  const rows = await db.query<{ reason: DisabledReason; total: number }>(
    `SELECT disabled_reason AS reason, COUNT(*) AS total FROM webhooks
      WHERE ${OF_ALL_TENANTS} AND disabled_reason IN ('GONE', 'FAILING', 'BACKLOG') GROUP BY disabled_reason`,
  );
  return new Map(rows.map(({ reason, total }) => [reason, total]));
}

export async function insertWebhook(tx: Statements, webhook: Webhook, encryptedSecret: Uint8Array): Promise<void> {
  await tenantScope(tx, webhook.tenantId).execute(
    `INSERT INTO webhooks (${WEBHOOK.names}, encrypted_secret) VALUES (${WEBHOOK.placeholders}, ?)`,
    [...WEBHOOK.insertValues(webhook), encryptedSecret],
  );
}

export async function updateWebhook(tx: Statements, webhook: Webhook): Promise<void> {
  await tenantScope(tx, webhook.tenantId).execute(`UPDATE webhooks SET ${WEBHOOK.assignments} ${ADDRESSED}`, [
    ...WEBHOOK.updateValues(webhook),
    idToBytes(webhook.id),
  ]);
}

export async function deleteWebhook(tx: Statements, { tenantId, id }: WebhookAddress): Promise<void> {
  await tenantScope(tx, tenantId).execute(`DELETE FROM webhooks ${ADDRESSED}`, [idToBytes(id)]);
}

/** Replaces the secret. The one before it stays valid until `previousUntil`, and the one before that as long as it was. */
export async function replaceSecret(
  tx: Statements,
  { tenantId, id }: WebhookAddress,
  encryptedSecret: Uint8Array,
  previousUntil: number,
): Promise<void> {
  // MySQL reads what an assignment further left has written. So each value is read before it is overwritten.
  await tenantScope(tx, tenantId).execute(
    `UPDATE webhooks SET older_secret = previous_secret, older_until = previous_until, previous_secret = encrypted_secret,
        previous_until = ?, encrypted_secret = ? ${ADDRESSED}`,
    [previousUntil, encryptedSecret, idToBytes(id)],
  );
}

/** A webhook as its deliveries need it. */
export interface WebhookTarget extends Pick<Webhook, 'url' | 'disabledReason'> {
  /** Whether its tenant is suspended. */
  readonly isSuspended: boolean;
  readonly secrets: WebhookSecrets;
}

export async function findTarget(db: Statements, { tenantId, id }: WebhookAddress): Promise<WebhookTarget | undefined> {
  const [row] = await tenantScope(db, tenantId).query<{
    url: string;
    disabled_reason: DisabledReason | null;
    encrypted_secret: Uint8Array;
    previous_secret: Uint8Array | null;
    previous_until: number | null;
    older_secret: Uint8Array | null;
    older_until: number | null;
    is_suspended: number;
  }>(
    `SELECT url, disabled_reason, encrypted_secret, previous_secret, previous_until, older_secret, older_until,
        CASE WHEN EXISTS (SELECT 1 FROM tenants t WHERE t.id = webhooks.tenant_id AND t.status <> 'ACTIVE') THEN 1 ELSE 0 END
          AS is_suspended
      FROM webhooks ${ADDRESSED}`,
    [idToBytes(id)],
  );
  if (!row) return undefined;
  return {
    url: row.url,
    disabledReason: row.disabled_reason ?? undefined,
    isSuspended: row.is_suspended === 1,
    secrets: {
      encrypted: row.encrypted_secret,
      replaced: [
        ...replacedSecret(row.previous_secret, row.previous_until),
        ...replacedSecret(row.older_secret, row.older_until),
      ],
    },
  };
}

function replacedSecret(encrypted: Uint8Array | null, until: number | null): WebhookSecrets['replaced'] {
  return encrypted === null || until === null ? [] : [{ encrypted, until }];
}

/** A webhook that fails. */
export interface FailingWebhook extends WebhookAddress, Pick<Webhook, 'url'> {
  readonly failingSince: number;
}

/**
 * Returns a webhook that has failed since a time or longer, whose administrators were not told. Not one that an administrator has
 * disabled, or whose tenant is suspended.
 */
export async function selectFailing(db: Statements, since: number): Promise<FailingWebhook | undefined> {
  const [row] = await db.query<{ tenant: string; id: Uint8Array; url: string; failing_since: number }>(
    `SELECT CAST(w.tenant_id AS CHAR) AS tenant, w.id AS id, w.url AS url, q.failing_since AS failing_since
       FROM webhook_queues q JOIN webhooks w ON w.tenant_id = q.tenant_id AND w.id = q.webhook_id
      WHERE ${OF_ALL_TENANTS} AND q.failing_since <= ? AND q.failure_told_at IS NULL
        AND (w.disabled_reason IS NULL OR w.disabled_reason <> 'ADMINISTRATOR')
        AND NOT EXISTS (SELECT 1 FROM tenants t WHERE t.id = w.tenant_id AND t.status <> 'ACTIVE')
      ORDER BY q.failing_since LIMIT 1`,
    [since],
  );
  return (
    row && {
      tenantId: row.tenant || undefined,
      id: bytesToId(row.id),
      url: row.url,
      failingSince: row.failing_since,
    }
  );
}

/** Returns the place in the order of the audit records before which no enabled webhook gets any; undefined if there is no webhook. */
export async function firstSequence(db: Statements): Promise<number | undefined> {
  const [row] = await db.query<{ first: number | null }>(
    `SELECT MIN(after_sequence) AS first FROM webhooks WHERE ${OF_ALL_TENANTS} AND disabled_reason IS NULL`,
  );
  return row?.first ?? undefined;
}

/** Returns the enabled webhooks that get records of some tenants. */
export async function selectSubscribers(
  db: Statements,
  tenants: readonly (string | undefined)[],
): Promise<readonly Webhook[]> {
  const ids = [...new Set([undefined, ...tenants])].map(tenantBytes);
  const rows = await db.query(
    `SELECT ${WEBHOOK.select('w')} FROM webhooks w
      WHERE w.tenant_id IN (${ids.map(() => '?').join(', ')}) AND w.disabled_reason IS NULL`,
    ids,
  );
  return rows.map((row) => WEBHOOK.read(row));
}
