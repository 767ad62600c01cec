import {
  getWebhook,
  listWebhookDeliveries,
  retryWebhookDelivery,
  testWebhook,
  type Webhook,
} from '../../../../client/src/operations.ts';
import { useQuery } from '../../query.ts';
import { tagOf } from '../../service.ts';
import { Alert } from '../../ui/alert.tsx';
import { Fact, Facts } from '../../ui/facts.tsx';
import { useService } from '../../ui/frame.tsx';
import { Name } from '../../ui/name.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { Time } from '../../ui/time.tsx';
import { ConsoleFrame } from '../console-frame.tsx';
import { DeliveryList } from '../deliveries/delivery-list.tsx';
import { deliveryTexts } from '../deliveries/texts.ts';
import type { VersionedWebhook } from './change-webhook.tsx';
import { webhookTexts } from './texts.ts';
import { WebhookActs } from './webhook-acts.tsx';
import { WebhookStatus } from './webhook-status.tsx';

export function WebhookDetail({ id }: { readonly id: string }) {
  const { session } = useService();
  const query = useQuery(
    async (signal): Promise<VersionedWebhook> => {
      const { data, headers } = await getWebhook(session, { path: { id } }, { signal });
      return { webhook: data, tag: tagOf(headers) };
    },
    [id],
  );
  const title = query.data ? new URL(query.data.webhook.url).host : webhookTexts().webhook;
  return (
    <ConsoleFrame title={title}>
      <QueryView query={query}>
        {(versioned) => (
          <>
            <WebhookFacts versioned={versioned} onChange={query.reload} />
            <Deliveries webhook={versioned.webhook} />
          </>
        )}
      </QueryView>
    </ConsoleFrame>
  );
}

function Deliveries({ webhook: { id, disabled } }: { readonly webhook: Webhook }) {
  const { session } = useService();
  const path = { id };
  return (
    <DeliveryList
      receiverId={id}
      load={(query, options) => listWebhookDeliveries(session, { path, query }, options)}
      empty={disabled ? deliveryTexts().noDeliveries : webhookTexts().noDeliveriesYet}
      retry={disabled ? undefined : (deliveryId) => retryWebhookDelivery(session, { path: { ...path, deliveryId } })}
      test={disabled ? undefined : () => testWebhook(session, { path })}
    />
  );
}

interface WebhookFactsProps {
  readonly versioned: VersionedWebhook;
  readonly onChange: () => void;
}

function WebhookFacts({ versioned, onChange }: WebhookFactsProps) {
  const texts = webhookTexts();
  const { webhook } = versioned;
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
        <Fact label={texts.events}>
          <ul class="names">
            {webhook.events.toSorted().map((event) => (
              <li key={event}>
                <code>{event}</code>
              </li>
            ))}
          </ul>
        </Fact>
        <Fact label={texts.tenant}>
          {webhook.tenantId === undefined ? texts.allTenants : <code>{webhook.tenantId}</code>}
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
      <WebhookActs versioned={versioned} onChange={onChange} />
    </div>
  );
}
