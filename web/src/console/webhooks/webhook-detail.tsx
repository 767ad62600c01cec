import {
  getWebhook,
  listWebhookDeliveries,
  retryWebhookDelivery,
  testWebhook,
  type Reply,
  type Webhook,
} from '../../../../client/src/operations.ts';
import { formatNumber } from '../../format.ts';
import { useQuery } from '../../query.ts';
import { Alert } from '../../ui/alert.tsx';
import { Fact, Facts } from '../../ui/facts.tsx';
import { useService } from '../../ui/frame.tsx';
import { Name } from '../../ui/name.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { Time } from '../../ui/time.tsx';
import { ConsoleFrame } from '../console-frame.tsx';
import { useConsole } from '../context.ts';
import { lazyPart } from '../lazy.tsx';
import { deliveryTexts } from '../deliveries/texts.ts';
import { TenantName } from '../tenant-name.tsx';
import { textOfEvent } from './events.ts';
import { webhookTexts } from './texts.ts';
import { WebhookActs } from './webhook-acts.tsx';
import { WebhookStatus } from './webhook-status.tsx';

const DeliveryList = lazyPart(async () => (await import('../deliveries/delivery-list.tsx')).DeliveryList);

export function WebhookDetail({ id }: { readonly id: string }) {
  const { session } = useService();
  const query = useQuery((signal) => getWebhook(session, { path: { id } }, { signal }), [id], ['webhooks']);
  const title = query.data ? new URL(query.data.data.url).host : webhookTexts().webhook;
  return (
    <ConsoleFrame title={title}>
      <QueryView query={query}>
        {(versioned) => (
          <>
            <WebhookFacts versioned={versioned} />
            <Deliveries webhook={versioned.data} />
          </>
        )}
      </QueryView>
    </ConsoleFrame>
  );
}

function Deliveries({ webhook: { id, disabled } }: { readonly webhook: Webhook }) {
  const { session } = useService();
  const { linkTo } = useConsole();
  const path = { id };
  return (
    <DeliveryList
      receiverId={id}
      load={(query, options) => listWebhookDeliveries(session, { path, query }, options)}
      empty={disabled ? deliveryTexts().noDeliveries : webhookTexts().noDeliveriesYet}
      retry={disabled ? undefined : (deliveryId) => retryWebhookDelivery(session, { path: { ...path, deliveryId } })}
      linkTo={(deliveryId) => linkTo(`/webhooks/${id}/deliveries/${deliveryId}`)}
      test={disabled ? undefined : () => testWebhook(session, { path })}
    />
  );
}

function WebhookFacts({ versioned }: { readonly versioned: Reply<Webhook> }) {
  const texts = webhookTexts();
  const webhook = versioned.data;
  const { disabledReason } = webhook;
  return (
    <div class="record">
      {disabledReason !== undefined && (
        <Alert kind="warning">
          <p>{texts[`${disabledReason}_TEXT`]}</p>
        </Alert>
      )}
      <Facts>
        <Fact label={texts.url}>
          <Name>{webhook.url}</Name>
        </Fact>
        <Fact label={texts.status}>
          <WebhookStatus webhook={webhook} />
        </Fact>
        <Fact label={texts.lastSuccess}>
          <Time>{webhook.lastSuccessAt}</Time>
        </Fact>
        <Fact label={texts.waiting}>{formatNumber(webhook.waiting)}</Fact>
        <Fact label={texts.events}>
          <ul class="lines">
            {webhook.events.toSorted().map((event) => (
              <li key={event}>
                {textOfEvent(event)} <code class="quiet-text">{event}</code>
              </li>
            ))}
          </ul>
        </Fact>
        <Fact label={texts.tenant}>
          {webhook.tenantId === undefined ? texts.allTenants : <TenantName id={webhook.tenantId} />}
        </Fact>
        <Fact label={texts.created}>
          <Time>{webhook.createdAt}</Time>
        </Fact>
        <Fact label={texts.updated}>
          <Time>{webhook.updatedAt}</Time>
        </Fact>
        <Fact label={texts.id}>
          <code>{webhook.id}</code>
        </Fact>
      </Facts>
      <WebhookActs versioned={versioned} />
    </div>
  );
}
