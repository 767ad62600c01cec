// The deliveries of a webhook: a list, a test, and one of them again.
import {
  listWebhookDeliveries,
  retryWebhookDelivery,
  testWebhook,
  type Webhook,
  type WebhookDelivery,
} from '../../../../client/src/operations.ts';
import { formatNumber } from '../../format.ts';
import { useList } from '../../list.ts';
import { ActError, useAct } from '../../ui/act.tsx';
import { FilterChoice } from '../../ui/filter-choice.tsx';
import { useService } from '../../ui/frame.tsx';
import { ListView } from '../../ui/list-view.tsx';
import { Name } from '../../ui/name.tsx';
import { Status } from '../../ui/status.tsx';
import type { Column } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { Outcome, resultOf, useOutcome } from './outcome.tsx';
import { webhookTexts } from './texts.ts';

const STATUSES = ['PENDING', 'DELIVERED', 'FAILED'] as const;
type DeliveryStatus = (typeof STATUSES)[number];
const KINDS = { PENDING: 'warn', DELIVERED: 'good', FAILED: 'bad' } as const;

const isStatus = (text: string | undefined): text is DeliveryStatus => STATUSES.some((status) => status === text);

export function Deliveries({ webhook: { id, disabled } }: { readonly webhook: Webhook }) {
  const { session } = useService();
  const list = useList(
    ['status'],
    ({ status, place }, signal) =>
      listWebhookDeliveries(
        session,
        { path: { id }, query: { ...place, status: isStatus(status) ? status : undefined } },
        { signal },
      ),
    [id],
  );
  const outcome = useOutcome(id, list.query.reload);
  const texts = webhookTexts();
  const send = useAct(async (deliveryId?: string) => {
    const { data } =
      deliveryId === undefined
        ? await testWebhook(session, { path: { id } })
        : await retryWebhookDelivery(session, { path: { id, deliveryId } });
    outcome.wait(data);
    list.query.reload();
  });
  const columns: readonly Column<WebhookDelivery>[] = [
    { title: texts.event, cell: ({ event }) => <code>{event}</code> },
    { title: texts.created, cell: ({ createdAt }) => <Time>{createdAt}</Time> },
    {
      title: texts.status,
      cell: ({ status }) => <Status kind={KINDS[status]}>{texts[status]}</Status>,
    },
    { title: texts.attempts, cell: ({ attempts }) => formatNumber(attempts), isNumber: true },
    { title: texts.response, cell: (delivery) => <Name>{resultOf(delivery)}</Name> },
    { title: texts.lastAttempt, cell: ({ lastAttemptAt }) => <Time>{lastAttemptAt}</Time> },
    { title: texts.nextAttempt, cell: ({ nextAttemptAt }) => <Time>{nextAttemptAt}</Time> },
    {
      title: texts.actions,
      isAct: true,
      cell: ({ id: deliveryId }) =>
        disabled ? (
          '–'
        ) : (
          <button aria-disabled={send.isBusy} onClick={() => send.run(deliveryId)}>
            {texts.retry}
          </button>
        ),
    },
  ];
  return (
    <section class="part deliveries">
      <div class="title">
        <h2>{texts.deliveries}</h2>
        <div class="actions">
          <button onClick={list.query.reload}>{texts.reload}</button>
          {!disabled && (
            <button aria-disabled={send.isBusy} onClick={() => send.run()}>
              {texts.test}
            </button>
          )}
        </div>
      </div>
      <ActError act={send} />
      <Outcome outcome={outcome} />
      <div class="filters">
        <FilterChoice
          label={texts.status}
          value={list.values.status}
          options={STATUSES.map((status) => [status, texts[status]])}
          onChoose={(status) => list.filter({ status })}
        />
      </div>
      <ListView
        list={list}
        caption={texts.deliveries}
        columns={columns}
        keyOf={({ id: deliveryId }) => deliveryId}
        empty={<p>{disabled ? texts.noDeliveries : texts.noDeliveriesYet}</p>}
      />
      <p class="quiet-text">{texts.kept}</p>
    </section>
  );
}
