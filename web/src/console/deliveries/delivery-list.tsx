// The deliveries of a webhook or an application: a list, a test, and one of them again.
import type { Reply, WebhookDelivery } from '../../../../client/src/operations.ts';
import { useEffect } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { changed } from '../../changes.ts';
import { formatNumber } from '../../format.ts';
import { useList } from '../../list.ts';
import { ActError, useAct } from '../../ui/act.tsx';
import { FilterChoice } from '../../ui/filter-choice.tsx';
import { ListView } from '../../ui/list-view.tsx';
import { Name } from '../../ui/name.tsx';
import { Status } from '../../ui/status.tsx';
import type { Column } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { Outcome, resultOf, useOutcome } from './outcome.tsx';
import { deliveryTexts } from './texts.ts';

const STATUSES = ['PENDING', 'DELIVERED', 'FAILED'] as const;
type DeliveryStatus = (typeof STATUSES)[number];
/** How each status looks. */
export const KINDS = { PENDING: 'warn', DELIVERED: 'good', FAILED: 'bad' } as const;

/** While one waits, the list looks for its outcome. */
const REFRESH_MS = 5_000;

const isStatus = (text: string | undefined): text is DeliveryStatus => STATUSES.some((status) => status === text);

export interface DeliveryQuery {
  readonly page?: number;
  readonly after?: string;
  readonly perPage?: number;
  readonly status?: DeliveryStatus | undefined;
}

interface DeliveryListProps {
  /** The id of the webhook or application. */
  readonly receiverId: string;
  readonly load: (query: DeliveryQuery, options: { readonly signal: AbortSignal }) => Promise<Reply<WebhookDelivery[]>>;
  readonly empty: string;
  /** Returns the link to one of them, if they have pages of their own. */
  readonly linkTo?: (deliveryId: string) => string;
  /** Sends one again. Undefined if none can be sent. */
  readonly retry: ((deliveryId: string) => Promise<Reply<WebhookDelivery>>) | undefined;
  /** Sends a test. */
  readonly test?: (() => Promise<Reply<WebhookDelivery>>) | undefined;
}

export function DeliveryList({ receiverId, load, empty, linkTo, retry, test }: DeliveryListProps) {
  const list = useList(
    ['status'],
    ({ status, place }, signal) => load({ ...place, status: isStatus(status) ? status : undefined }, { signal }),
    [receiverId],
  );
  const outcome = useOutcome(load, () => {
    list.query.reload();
    // A receiver that is gone disables its webhook.
    changed(['webhooks']);
  });
  const { reload } = list.query;
  const isWaiting = list.query.data?.items.some(({ status }) => status === 'PENDING') === true;
  useEffect(() => {
    if (!isWaiting) return undefined;
    // A hidden tab would extend the session for ever.
    const timer = setInterval(() => document.hidden || reload(), REFRESH_MS);
    return () => clearInterval(timer);
  }, [isWaiting, reload]);
  const texts = deliveryTexts();
  const send = useAct(async (sending: () => Promise<Reply<WebhookDelivery>>) => {
    outcome.wait((await sending()).data);
    list.query.reload();
  });
  const columns: readonly Column<WebhookDelivery>[] = [
    {
      title: texts.event,
      cell: ({ id, event }) =>
        linkTo === undefined ? (
          <code>{event}</code>
        ) : (
          <Link href={linkTo(id)}>
            <code>{event}</code>
          </Link>
        ),
    },
    { title: texts.created, cell: ({ createdAt }) => <Time hasSeconds>{createdAt}</Time> },
    {
      title: texts.status,
      cell: ({ status }) => <Status kind={KINDS[status]}>{texts[status]}</Status>,
    },
    { title: texts.attempts, cell: ({ attempts }) => formatNumber(attempts), isNumber: true },
    { title: texts.response, cell: (delivery) => <Name>{resultOf(delivery)}</Name> },
    { title: texts.lastAttempt, cell: ({ lastAttemptAt }) => <Time hasSeconds>{lastAttemptAt}</Time> },
    { title: texts.nextAttempt, cell: ({ nextAttemptAt }) => <Time hasSeconds>{nextAttemptAt}</Time> },
    {
      title: texts.actions,
      isAct: true,
      cell: ({ id }) =>
        retry === undefined ? (
          '–'
        ) : (
          <button aria-disabled={send.isBusy} onClick={() => send.run(() => retry(id))}>
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
          <button onClick={reload}>{texts.reload}</button>
          {test && (
            <button aria-disabled={send.isBusy} onClick={() => send.run(test)}>
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
        keyOf={({ id }) => id}
        empty={<p>{empty}</p>}
      />
      <p class="quiet-text">{texts.kept}</p>
    </section>
  );
}
