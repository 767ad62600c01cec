// The outcome of a delivery that was just sent: a job sends it, so the page looks for it.
import { useEffect, useState } from 'preact/hooks';
import type { Reply, WebhookDelivery } from '../../../../client/src/operations.ts';
import { Alert } from '../../ui/alert.tsx';
import { findDelivery } from './find-delivery.ts';
import { deliveryTexts } from './texts.ts';

const LOOK_MS = 1_000;
/** Receivers have 15 s. */
const LONGEST_MS = 30_000;
/** Deliveries of a page that is looked through. */
const PER_PAGE = 100;

interface Sent {
  readonly delivery: WebhookDelivery;
  /** Whether no attempt has finished in time. */
  readonly isLate: boolean;
}

/** Waits for the first attempt of one delivery at a time, and calls `onFinish` after it. */
export function useOutcome(
  loadPage: (
    query: { readonly page: number; readonly perPage: number },
    options: { readonly signal: AbortSignal },
  ) => Promise<Reply<WebhookDelivery[]>>,
  onFinish: () => void,
) {
  const [sent, setSent] = useState<Sent>();
  const [awaited, setAwaited] = useState<WebhookDelivery>();
  useEffect(() => {
    if (awaited === undefined) return undefined;
    const abort = new AbortController();
    const { signal } = abort;
    const endsAt = Date.now() + LONGEST_MS;
    let timer = 0;
    let start = 1;
    const load = async (page: number) => (await loadPage({ page, perPage: PER_PAGE }, { signal })).data;
    const look = async () => {
      // The next look can succeed.
      const found = await findDelivery(load, awaited.id, start).catch(() => undefined);
      if (signal.aborted) return;
      start = found?.page ?? 1;
      const delivery = found?.delivery;
      const isFinished = delivery !== undefined && delivery.attempts > 0;
      if (!isFinished && Date.now() < endsAt) {
        timer = window.setTimeout(() => void look(), LOOK_MS);
        return;
      }
      setSent({ delivery: delivery ?? awaited, isLate: !isFinished });
      onFinish();
    };
    void look();
    return () => {
      abort.abort();
      clearTimeout(timer);
    };
  }, [awaited]);
  return {
    sent,
    wait(delivery: WebhookDelivery) {
      setSent({ delivery, isLate: false });
      setAwaited(delivery);
    },
  };
}

/** Returns how the last attempt ended; undefined if there was none. */
export function resultOf({ status, responseStatus, error }: WebhookDelivery): string | undefined {
  if (responseStatus !== undefined) return String(responseStatus);
  return status === 'DELIVERED' ? undefined : error;
}

export function Outcome({ outcome: { sent } }: { readonly outcome: ReturnType<typeof useOutcome> }) {
  if (sent === undefined) return null;
  const { delivery, isLate } = sent;
  const { status, attempts } = delivery;
  const texts = deliveryTexts();
  const result = resultOf(delivery) ?? '–';
  if (status === 'DELIVERED') return <Alert kind="success">{texts.outcomeDelivered(delivery.event, result)}</Alert>;
  if (attempts > 0) return <Alert kind="warning">{texts.outcomeFailed(delivery.event, result)}</Alert>;
  return (
    <Alert kind={isLate ? 'warning' : 'success'}>
      {isLate ? texts.outcomeLate(delivery.event) : texts.outcomeAwaited(delivery.event)}
    </Alert>
  );
}
