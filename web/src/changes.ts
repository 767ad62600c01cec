// What acts change. A query names what it shows, and an act names what it changes. So a page shows the state after each act.
import { batch, signal, type Signal } from '@preact/signals';

/** Kinds of records. */
export type Topic =
  | 'applications'
  | 'factors'
  | 'grants'
  | 'policy'
  | 'roles'
  | 'service-accounts'
  | 'sessions'
  | 'signing-keys'
  | 'tenants'
  | 'users'
  | 'webhooks';

const counts = new Map<Topic, Signal<number>>();

function countOf(topic: Topic): Signal<number> {
  const known = counts.get(topic) ?? signal(0);
  counts.set(topic, known);
  return known;
}

/** Lets all queries that show these records load again. */
export function changed(topics: readonly Topic[]): void {
  batch(() => {
    for (const topic of topics) countOf(topic).value += 1;
  });
}

/** Returns how often each of these has changed. The component that calls it is rendered again after a change. */
export const useChanges = (topics: readonly Topic[]): readonly number[] => topics.map((topic) => countOf(topic).value);
