// The webhooks: a list, and one of them.
import { Route, Switch } from 'wouter-preact';
import { listWebhooks, type Webhook } from '../../../../client/src/operations.ts';
import { formatNumber } from '../../format.ts';
import { Time } from '../../ui/time.tsx';
import { useConsole } from '../context.ts';
import { nameColumn, ResourceList } from '../resource-list.tsx';
import { TenantName } from '../tenant-name.tsx';
import { lazyDialog, lazyScreen } from '../lazy.tsx';
import { webhookTexts } from './texts.ts';
import { WebhookStatus } from './webhook-status.tsx';

const title = () => webhookTexts().webhook;
const DeliveryDetail = lazyScreen(title, async () => (await import('./delivery-detail.tsx')).DeliveryDetail);
const WebhookDetail = lazyScreen(title, async () => (await import('./webhook-detail.tsx')).WebhookDetail);
const CreateWebhook = lazyDialog(async () => (await import('./create-webhook.tsx')).CreateWebhook);

export default function Webhooks() {
  return (
    <Switch>
      <Route path="/webhooks">
        <WebhookList />
      </Route>
      <Route path="/webhooks/:id/deliveries/:delivery">
        {({ id, delivery }) => <DeliveryDetail key={delivery} webhookId={id} deliveryId={delivery} />}
      </Route>
      <Route path="/webhooks/:id">{({ id }) => <WebhookDetail key={id} id={id} />}</Route>
    </Switch>
  );
}

/** Characters of a URL in the list. Its record shows all of it. */
const SHOWN = 100;
const shorten = (url: string): string => (url.length > SHOWN ? `${url.slice(0, SHOWN)} …` : url);

function WebhookList() {
  const { linkTo, tenantId } = useConsole();
  const texts = webhookTexts();
  const tenant = {
    title: texts.tenant,
    cell: ({ tenantId: id }: Webhook) => (id ? <TenantName id={id} /> : texts.allTenants),
  };
  return (
    <ResourceList
      title={texts.title}
      load={(session, { q, disabled, place, tenantId: of }, signal) => {
        const filters = { query: q, disabled: disabled === undefined ? undefined : disabled === 'true' };
        return listWebhooks(session, { query: { ...filters, tenantId: of, ...place } }, { signal });
      }}
      search={texts.search}
      filters={[
        {
          name: 'disabled',
          label: texts.status,
          options: [
            ['false', texts.enabled],
            ['true', texts.disabled],
          ],
        },
      ]}
      columns={[
        nameColumn(texts.url, linkTo, ({ id, url }: Webhook) => ({ path: `/webhooks/${id}`, name: shorten(url) })),
        { title: texts.status, cell: (webhook) => <WebhookStatus webhook={webhook} /> },
        { title: texts.events, cell: ({ events }) => formatNumber(events.length), isNumber: true },
        ...(tenantId === undefined ? [tenant] : []),
        { title: texts.lastSuccess, cell: ({ lastSuccessAt }) => <Time>{lastSuccessAt}</Time> },
        { title: texts.waiting, cell: ({ waiting }) => formatNumber(waiting), isNumber: true },
      ]}
      keyOf={({ id }) => id}
      shows={['webhooks']}
      empty={texts.empty}
      create={{ label: texts.create, form: (close) => <CreateWebhook onClose={close} /> }}
    />
  );
}
