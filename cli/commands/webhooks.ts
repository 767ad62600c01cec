// The commands on webhooks.
import { RedeliveredStatus, WebhookServiceService } from '../../proto/gen/authservice/webhook/v1/webhook_service.ts';
import type { Command, Input } from '../command.ts';
import { CommandFailure, EXIT } from '../failure.ts';
import { listCommand, REASON } from './lists.ts';
import { attemptRecord, DELIVERY_STATUSES, deliveryRecord, webhookRecord } from './records.ts';

const WEBHOOK = { '<id>': 'the id of the webhook' };
const SHOWN_ONCE = 'keep the secret now; it is not shown again';

export const WEBHOOK_COMMANDS: readonly Command[] = [
  listCommand({
    name: 'webhook list',
    summary: 'list webhooks',
    options: {
      '--tenant <id>': 'the tenant, for a SUPER_ADMIN',
      '--query <text>': 'part of the URL',
      '--disabled': 'only disabled ones',
    },
    columns: ['id', 'tenantId', 'url', 'events', 'disabled', 'failingSince', 'waiting'],
    read(core, values) {
      const filter = { tenantId: values.text('tenant'), query: values.text('query') };
      const disabled = values.flag('disabled') || undefined;
      return (page) => core.client(WebhookServiceService).listWebhooks({ page, ...filter, disabled });
    },
    items: ({ webhooks }) => webhooks.map(webhookRecord),
  }),
  {
    name: 'webhook show',
    summary: 'show a webhook',
    arguments: WEBHOOK,
    async run(input) {
      const { webhook } = await (await webhooks(input)).getWebhook(named(input));
      return { value: webhookRecord(webhook!) };
    },
  },
  {
    name: 'webhook create',
    summary: 'send audit records to a URL; the secret of the signatures is shown once',
    arguments: { '<url>': 'where the records are sent' },
    options: {
      '--event <event...>': 'a kind of event, such as login.failed',
      '--tenant <id>': 'the tenant, for a SUPER_ADMIN (default: the records of all tenants)',
      ...REASON,
    },
    async run(input) {
      const { webhook, secret } = await (
        await webhooks(input)
      ).createWebhook({
        url: input.values.required('url'),
        events: eventsOf(input),
        tenantId: input.values.text('tenant'),
        reason: input.values.text('reason'),
      });
      return { value: { ...webhookRecord(webhook!), secret }, note: SHOWN_ONCE };
    },
  },
  {
    name: 'webhook update',
    summary: 'change the URL or the events of a webhook, disable or enable it',
    arguments: WEBHOOK,
    options: {
      '--url <url>': 'where the records are sent',
      '--event <event...>': 'a kind of event; all together replace those of the webhook',
      '--disabled <yes|no>': 'whether nothing is sent',
      ...REASON,
    },
    async run(input) {
      const { all } = input.values;
      const disabled = input.values.choice('disabled', ['YES', 'NO']);
      const updateMask = Object.entries(MASKED).flatMap(([option, path]) => (all[option] === undefined ? [] : [path]));
      if (updateMask.length === 0) throw new CommandFailure('give at least one option to change', EXIT.usage);
      const webhook = { url: input.values.text('url'), events: eventsOf(input), disabled: disabled === 'YES' };
      const request = { ...named(input), webhook, updateMask, reason: input.values.text('reason') };
      const updated = await (await webhooks(input)).updateWebhook(request);
      return { value: webhookRecord(updated.webhook!) };
    },
  },
  {
    name: 'webhook delete',
    summary: 'delete a webhook with its deliveries',
    arguments: WEBHOOK,
    options: REASON,
    ends: (values) => `deletes webhook ${values.required('id')}`,
    async run(input) {
      await (await webhooks(input)).deleteWebhook({ ...named(input), reason: input.values.text('reason') });
      const { webhookId: id } = named(input);
      return { value: { id, deleted: true }, text: `deleted ${id}` };
    },
  },
  {
    name: 'webhook rotate-secret',
    summary: 'replace the secret of a webhook; replaced ones sign, too, for 24 hours, two at most',
    arguments: WEBHOOK,
    options: REASON,
    async run(input) {
      const request = { ...named(input), reason: input.values.text('reason') };
      const { secret } = await (await webhooks(input)).rotateWebhookSecret(request);
      return { value: { id: named(input).webhookId, secret }, note: SHOWN_ONCE };
    },
  },
  {
    name: 'webhook test',
    summary: 'send a test to a webhook',
    arguments: WEBHOOK,
    async run(input) {
      const { delivery } = await (await webhooks(input)).testWebhook(named(input));
      return { value: deliveryRecord(delivery!), note: 'webhook deliveries shows its outcome' };
    },
  },
  listCommand({
    name: 'webhook deliveries',
    summary: 'list the deliveries of a webhook, the newest first',
    arguments: WEBHOOK,
    options: { '--status <delivery-status>': 'PENDING, DELIVERED or FAILED' },
    columns: ['id', 'event', 'status', 'attempts', 'responseStatus', 'error', 'nextAttemptAt'],
    read(core, values) {
      const webhookId = values.required('id');
      const status = DELIVERY_STATUSES.valueOf(values.choice('status', DELIVERY_STATUSES.names));
      return (page) => core.client(WebhookServiceService).listWebhookDeliveries({ page, webhookId, status });
    },
    items: ({ deliveries }) => deliveries.map(deliveryRecord),
  }),
  {
    name: 'webhook delivery',
    summary: 'show a delivery with its newest attempts: what was sent, and the response',
    arguments: { ...WEBHOOK, '<delivery>': 'the id of the delivery' },
    async run(input) {
      const deliveryId = input.values.required('delivery');
      const { delivery, attempts } = await (await webhooks(input)).getWebhookDelivery({ ...named(input), deliveryId });
      return { value: { ...deliveryRecord(delivery!), attempts: attempts.map(attemptRecord) } };
    },
  },
  {
    name: 'webhook retry',
    summary: 'send a delivery again',
    arguments: { ...WEBHOOK, '<delivery>': 'the id of the delivery' },
    async run(input) {
      const deliveryId = input.values.required('delivery');
      const { delivery } = await (await webhooks(input)).retryWebhookDelivery({ ...named(input), deliveryId });
      return { value: deliveryRecord(delivery!) };
    },
  },
  {
    name: 'webhook redeliver',
    summary: 'send deliveries again that have failed, or wait after a failed attempt',
    arguments: WEBHOOK,
    options: { '--since <time>': 'only deliveries that were created from this time on: ISO 8601' },
    async run(input) {
      const client = await webhooks(input);
      const since = input.values.time('since');
      if (since === undefined) throw new CommandFailure('give --since', EXIT.usage);
      const request = { ...named(input), since, status: RedeliveredStatus.REDELIVERED_STATUS_FAILED };
      let count = 0;
      for (let hasMore = true; hasMore;) {
        const redelivered = await client.redeliverWebhook(request);
        count += redelivered.deliveries;
        hasMore = redelivered.hasMore;
      }
      return { value: { id: request.webhookId, deliveries: count }, text: `${count} deliveries will be sent again` };
    },
  },
];

/** The paths of the options in an update mask. */
const MASKED = { url: 'url', event: 'events', disabled: 'disabled' } as const;

async function webhooks({ core }: Input) {
  return (await core()).client(WebhookServiceService);
}

function named({ values }: Input) {
  return { webhookId: values.required('id') };
}

/** Several events can be in one text with commas. */
function eventsOf({ values }: Input): string[] {
  return values
    .list('event')
    .flatMap((text) => text.split(','))
    .filter((text) => text !== '');
}
