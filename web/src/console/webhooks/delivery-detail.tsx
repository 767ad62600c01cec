// A delivery of a webhook: what was sent at each attempt, and what was answered.
import { Link } from 'wouter-preact';
import { getWebhookDelivery, type WebhookAttempt } from '../../../../client/src/operations.ts';
import { formatMoment, formatNumber } from '../../format.ts';
import { useQuery } from '../../query.ts';
import { Fact, Facts } from '../../ui/facts.tsx';
import { useService } from '../../ui/frame.tsx';
import { Name } from '../../ui/name.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { Status } from '../../ui/status.tsx';
import { Time } from '../../ui/time.tsx';
import { ConsoleFrame } from '../console-frame.tsx';
import { useConsole } from '../context.ts';
import { KINDS } from '../deliveries/delivery-list.tsx';
import { deliveryTexts } from '../deliveries/texts.ts';
import { webhookTexts } from './texts.ts';

interface DeliveryDetailProps {
  readonly webhookId: string;
  readonly deliveryId: string;
}

export function DeliveryDetail({ webhookId, deliveryId }: DeliveryDetailProps) {
  const { session } = useService();
  const { canOpen, linkTo } = useConsole();
  const query = useQuery(
    async (signal) => (await getWebhookDelivery(session, { path: { id: webhookId, deliveryId } }, { signal })).data,
    [deliveryId],
  );
  const texts = webhookTexts();
  const deliveries = deliveryTexts();
  return (
    <ConsoleFrame
      title={query.data?.delivery.event ?? texts.delivery}
      actions={
        <Link class="button" href={linkTo(`/webhooks/${webhookId}`)}>
          {texts.toWebhook}
        </Link>
      }
    >
      <QueryView query={query}>
        {({ delivery, attempts }) => (
          <div class="record">
            <Facts>
              <Fact label={deliveries.status}>
                <Status kind={KINDS[delivery.status]}>{deliveries[delivery.status]}</Status>
              </Fact>
              <Fact label={deliveries.created}>
                <Time hasSeconds>{delivery.createdAt}</Time>
              </Fact>
              <Fact label={deliveries.nextAttempt}>
                <Time hasSeconds>{delivery.nextAttemptAt}</Time>
              </Fact>
              {delivery.recordId !== undefined && canOpen('/audit') && (
                <Fact label={texts.record}>
                  <Link href={linkTo(`/audit/${delivery.recordId}`)}>{texts.showRecord}</Link>
                </Fact>
              )}
            </Facts>
            {attempts.length === 0 && <p class="quiet-text">{texts.noAttempts}</p>}
            {attempts.map((attempt) => (
              <Attempt key={attempt.at} attempt={attempt} />
            ))}
          </div>
        )}
      </QueryView>
    </ConsoleFrame>
  );
}

function Attempt({ attempt }: { readonly attempt: WebhookAttempt }) {
  const { at, durationMs, requestHeaders, requestBody, responseStatus, responseBody, error } = attempt;
  const texts = webhookTexts();
  const headers = Object.entries(requestHeaders)
    .map(([name, value]) => `${name}: ${String(value)}`)
    .join('\n');
  return (
    <section class="panel">
      <h2>{texts.attemptAt(formatMoment(at), formatNumber(durationMs))}</h2>
      <p>
        <Status kind={error === undefined ? 'good' : 'bad'}>
          {responseStatus === undefined ? texts.noResponse : texts.responded(String(responseStatus))}
        </Status>
      </p>
      {error !== undefined && (
        <p>
          <Name>{error}</Name>
        </p>
      )}
      <Message title={texts.request} text={[headers, requestBody].filter((part) => part !== undefined).join('\n\n')} />
      <Message title={texts.response} text={responseBody ?? ''} />
    </section>
  );
}

function Message({ title, text }: { readonly title: string; readonly text: string }) {
  return (
    <details>
      <summary>{title}</summary>
      <div class="code-block">
        <pre>
          <code>{text || '–'}</code>
        </pre>
      </div>
    </details>
  );
}
