// Creates the records for the check, and deletes them afterwards.
import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import type { Collection } from './module-routes.ts';
import { type Party, logIn } from './party.ts';
import { makeApplication, makeGrant } from './make-grant.ts';
import { bodyOf, request, StepSkippedError, type Step, type StepResult } from './record-step.ts';
import { randomText, type PartialRecords, emailOf, randomPhone } from './records.ts';
import { PNG } from './png.ts';
import { NEW_WEBHOOK } from './examples/values.ts';

/** Records of the caller that requests need in addition to another tenant's record. */
const OWN: readonly Step[] = [makeProduct, makeCustomer, makeOrder, makeClient, makeRole];

/** One record of each kind. */
const ALL: readonly Step[] = [
  ...OWN,
  makeWebhook,
  makeApplication,
  makeGrant,
  makeFile,
  makeImage,
  makePhotographedOrder,
  makeUser,
];

/** An attempt of a delivery ends within their sum. */
const ATTEMPT_DELAYS_MS = [50, 100, 200, 400, 800];

export interface CreatedRecords {
  readonly records: PartialRecords;
  /** Reasons why records could not be created, for people. */
  readonly missing: readonly string[];
  /** Deletes the records as far as possible. Returns descriptions of the remaining ones. */
  undo(): Promise<readonly string[]>;
}

/**
 * Creates records in a tenant: `all` of each kind, `own` only those that requests for another tenant's records need.
 *
 * @param collections The collections of modules, for `all`.
 */
export async function makeRecords(
  party: Party,
  extent: 'all' | 'own',
  collections: readonly Collection[] = [],
): Promise<CreatedRecords> {
  const { tenantId: tenant, accountId: administrator, token } = party;
  const missing: string[] = [];
  const undoSteps: NonNullable<StepResult['undo']>[] = [];
  /** In reverse order, because later records depend on earlier ones. */
  const undo = async () => {
    const remaining: string[] = [];
    for (const step of undoSteps.toReversed()) {
      const failed = await step().catch((error: unknown) => String(error));
      if (failed !== undefined) remaining.push(failed);
    }
    return remaining;
  };
  let records: PartialRecords = { tenant, administrator, token, mark: `isolation-${randomText(12)}` };
  for (const step of extent === 'all' ? [...ALL, ...collections.map(recordOf)] : OWN) {
    try {
      const made = await step(party, records);
      records = { ...records, ...made.records };
      if (made.undo) undoSteps.push(made.undo);
    } catch (error) {
      if (!(error instanceof StepSkippedError)) {
        const remaining = await undo();
        if (remaining.length === 0) throw error;
        throw new Error(`${String(error)}; these records could not be deleted: ${remaining.join(', ')}`, {
          cause: error,
        });
      }
      missing.push(error.message);
    }
  }
  return { records, missing, undo };
}

/** Creates a user with a session. */
async function makeUser(party: Party, { mark }: PartialRecords): Promise<StepResult> {
  const username = emailOf(mark!);
  const password = randomText(40);
  const { id } = await request(party, 'POST', '/users', { username, password, name: mark, roles: ['SALES'] });
  await logIn(party.target, username, password);
  const [session] = await request(party, 'GET', `/users/${id}/sessions`);
  const [record] = await request(party, 'GET', `/audit-records?accountId=${id}&perPage=1`);
  return {
    records: { user: id, session: session.id, auditRecord: record.id, passkey: randomUUID() },
    async undo() {
      await request(party, 'DELETE', `/users/${id}`);
      return undefined;
    },
  };
}

/** Creates a role of the tenant's own. */
async function makeRole(party: Party, { mark }: PartialRecords): Promise<StepResult> {
  const name = `ISOLATION_${randomText(12).toUpperCase()}`;
  await request(party, 'POST', '/roles', { name, description: mark, permissions: ['isolation:read'] });
  return { records: { role: name }, undo: () => request(party, 'DELETE', `/roles/${name}`) };
}

/** Creates a webhook with a delivery, which its address (RFC 5737) does not get, and which does not change afterwards. */
async function makeWebhook(party: Party, { mark }: PartialRecords): Promise<StepResult> {
  const fields = { ...NEW_WEBHOOK, url: `${NEW_WEBHOOK.url}/${mark}` };
  const { webhook } = await request(party, 'POST', '/webhooks', fields);
  const path = `/webhooks/${webhook.id}`;
  const undo = () => request(party, 'DELETE', path);
  const { id: delivery } = await request(party, 'POST', `${path}/test`);
  await request(party, 'PATCH', path, { disabled: true });
  // An attempt may have begun before. The address is refused at once.
  for (const delay of ATTEMPT_DELAYS_MS) {
    await setTimeout(delay);
    const [{ attempts }] = await request(party, 'GET', `${path}/deliveries`);
    if (attempts > 0) break;
  }
  return { records: { webhook: webhook.id, delivery }, undo };
}

/** Creates a service account with a client secret and, if they are enabled, an API key. Service accounts can only be disabled. */
async function makeClient(party: Party, { mark }: PartialRecords): Promise<StepResult> {
  const fields = { clientId: mark, name: mark, roles: ['SALES'] };
  const { serviceAccount, clientSecret } = await request(party, 'POST', '/service-accounts', fields);
  const { id, clientId, secrets } = serviceAccount;
  const { apiKeys } = await request(party, 'GET', '/auth/options');
  const { keyId: key } = apiKeys
    ? await request(party, 'POST', `/service-accounts/${id}/api-keys`, { label: 'Isolation' })
    : { keyId: randomUUID() };
  return {
    records: { serviceAccount: id, clientId, clientSecret, secret: secrets[0].id, key },
    async undo() {
      await request(party, 'POST', `/service-accounts/${id}/disable`);
      return `service account ${mark} (disabled)`;
    },
  };
}

const TO_READY = ['CONFIRMED', 'IN_PRODUCTION'];
const IMAGE = { fileName: 'isolation.png', contentType: 'image/png', size: PNG.length };

/** Creates a product with low stock, which the dashboard lists. */
async function makeProduct(party: Party, { mark }: PartialRecords): Promise<StepResult> {
  const fields = { sku: mark, name: mark, category: mark, price: 0, stock: 5, reorderLevel: 5 };
  const { id } = await request(party, 'POST', '/products', fields);
  return { records: { product: id }, undo: () => request(party, 'DELETE', `/products/${id}`) };
}

/** Creates a customer with a note. Customers cannot be deleted, only made inactive. */
async function makeCustomer(party: Party, { mark }: PartialRecords): Promise<StepResult> {
  const phone = randomPhone();
  const { id } = await request(party, 'POST', '/customers', { name: mark, email: emailOf(mark!), phone });
  await request(party, 'POST', `/customers/${id}/notes`, { text: mark });
  return {
    records: { customer: id, phone },
    async undo() {
      await request(party, 'PATCH', `/customers/${id}/status`, { status: 'INACTIVE' });
      return `customer ${mark} (INACTIVE)`;
    },
  };
}

async function makeOrder(party: Party, known: PartialRecords): Promise<StepResult> {
  const id = await placeOrder(party, known);
  return { records: { order: id }, undo: () => request(party, 'DELETE', `/orders/${id}`) };
}

async function placeOrder(party: Party, { product, customer, mark }: PartialRecords): Promise<string> {
  if (product === undefined || customer === undefined)
    throw new StepSkippedError('an order requires a product and a customer');
  const items = [{ productId: product, quantity: 1 }];
  return (await request(party, 'POST', '/orders', { customerId: customer, items, note: mark })).id;
}

/** Creates a staged file with content. */
async function makeFile(party: Party): Promise<StepResult> {
  const file = await stage(party);
  return { records: { file }, undo: () => request(party, 'DELETE', `/files/staging/${file.date}/${file.uuid}`) };
}

async function stage(party: Party): Promise<{ date: string; uuid: string }> {
  const { date, uuid } = await request(party, 'POST', '/staging/files/prepare', IMAGE);
  const path = `${party.target.apiRoot}/files/staging/${date}/${uuid}`;
  const headers = { 'content-type': IMAGE.contentType };
  bodyOf('upload', await party.http({ method: 'PUT', path, headers, body: PNG }));
  return { date, uuid };
}

/** Adds an image to the product. */
async function makeImage(party: Party, { product }: PartialRecords): Promise<StepResult> {
  if (product === undefined) throw new StepSkippedError('an image requires a product');
  await request(party, 'PATCH', `/products/${product}`, { images: [await stage(party)] });
  return { records: {} };
}

/** Creates an order and sets all its statuses up to DELIVERED, because photos are uploaded with the statuses. */
async function makePhotographedOrder(party: Party, known: PartialRecords): Promise<StepResult> {
  const photo = await stage(party);
  const id = await placeOrder(party, known);
  const move = (body: object) => request(party, 'PATCH', `/orders/${id}/status`, body);
  for (const status of TO_READY) await move({ status });
  await move({ status: 'READY', photos: [photo] });
  await move({ status: 'OUT_FOR_DELIVERY' });
  await move({ status: 'DELIVERED', photos: [await stage(party)] });
  return {
    records: { photographedOrder: id },
    async undo() {
      await move({ status: 'COMPLETED' });
      return `order ${id} (COMPLETED, total 0)`;
    },
  };
}

/** Returns the step that creates a record of a module with the example of the OpenAPI document. */
function recordOf({ kind, path, example, canDelete }: Collection): Step {
  return async ({ http }) => {
    const json = { headers: { 'content-type': 'application/json' }, body: JSON.stringify(example ?? {}) };
    const { status, outcome, body } = await http({ method: 'POST', path, ...json });
    const { id } = (body ?? {}) as { readonly id?: unknown };
    if (status !== 201 || typeof id !== 'string')
      throw new StepSkippedError(`POST ${kind} with the example of its OpenAPI document: ${outcome}, or no id`);
    return {
      records: { [kind]: id },
      async undo() {
        const deleted = canDelete && (await http({ method: 'DELETE', path: `${path}/${id}` })).status < 300;
        return deleted ? undefined : `${kind}/${id}`;
      },
    };
  };
}
