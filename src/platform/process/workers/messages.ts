// Messages between the primary process and its workers, over Node's channel for child processes.

/** The values that the primary asks a worker for. */
export type Question = 'metrics' | 'ready';

export type ToWorker = { readonly kind: 'ask'; readonly id: number; readonly question: Question };

export type ToPrimary =
  | { readonly kind: 'answer'; readonly id: number; readonly value: unknown }
  | { readonly kind: 'ready'; readonly addresses: Readonly<Record<string, string>> };

/** Environment variable of a worker: the URL of the primary's management port. */
export const MANAGEMENT_URL = 'AUTHSERVICE_MANAGEMENT_URL';
