// Calls of webhooks that provoke their declared errors.
import { OTHER_TENANT, type Calls, type Message, type Scene } from './scene.ts';

const NEW = { url: 'http://192.0.2.1/', events: ['login.succeeded'] };
const MAX_WEBHOOKS = 100;

/** Calls an RPC on a webhook that is disabled. */
const onDisabled =
  (rpc: string, fields?: Message) =>
  async ({ call }: Scene) => {
    const { webhook } = (await call('WebhookService/CreateWebhook', NEW)) as { webhook: { id: string } };
    const webhookId = webhook.id;
    const { delivery } = (await call('WebhookService/TestWebhook', { webhookId })) as { delivery: { id: string } };
    const change = { webhook: { events: [], disabled: true }, updateMask: ['disabled'] };
    await call('WebhookService/UpdateWebhook', { webhookId, ...change });
    return call(`WebhookService/${rpc}`, { webhookId, ...(fields ?? { deliveryId: delivery.id }) });
  };
const inOldVersion =
  (rpc: string, fields: Message = {}) =>
  ({ call, records }: Scene) =>
    call(`WebhookService/${rpc}`, { webhookId: records['webhook_id'], precondition: { versions: [99] }, ...fields });

export const WEBHOOK_CALLS: Calls = {
  'WebhookService/ListWebhooks TENANT_MISMATCH': ({ call }) => call('WebhookService/ListWebhooks', OTHER_TENANT),
  'WebhookService/CreateWebhook TENANT_MISMATCH': ({ call }) =>
    call('WebhookService/CreateWebhook', { ...NEW, ...OTHER_TENANT }),
  'WebhookService/CreateWebhook CONFLICT': async ({ call, world }) => {
    const { as } = await world.actor({ tenantId: 'initech', roles: ['ADMIN'] });
    for (let count = 0; count <= MAX_WEBHOOKS; count += 1) await call('WebhookService/CreateWebhook', NEW, as);
  },
  'WebhookService/UpdateWebhook PRECONDITION_FAILED': inOldVersion('UpdateWebhook', {
    webhook: { events: [], disabled: false },
    updateMask: ['disabled'],
  }),
  'WebhookService/DeleteWebhook PRECONDITION_FAILED': inOldVersion('DeleteWebhook'),
  'WebhookService/TestWebhook CONFLICT': onDisabled('TestWebhook'),
  'WebhookService/RetryWebhookDelivery CONFLICT': onDisabled('RetryWebhookDelivery'),
  'WebhookService/RedeliverWebhook CONFLICT': onDisabled('RedeliverWebhook', { since: new Date(0), status: 1 }),
};
