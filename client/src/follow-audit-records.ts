// The audit records as they are sealed. A lost stream is resumed.
import { ApiError, noResponse } from './api-error.ts';
import { createBackoff } from './backoff.ts';
import type { Caller } from './caller.ts';
import { readEvents, withinSilence } from './event-stream.ts';
import { streamAuditRecords } from './generated/operations.ts';
import type { AuditRecord } from './generated/types.ts';
import { orAborted, sleep } from './timers.ts';

export interface FollowOptions {
  /** The filters. */
  readonly query?: NonNullable<Parameters<typeof streamAuditRecords>[1]>['query'];
  /** The cursor after which to begin. Default: now. */
  readonly after?: string | undefined;
  /** Ends the iteration. */
  readonly signal?: AbortSignal;
  /** Is called whenever the stream begins, with its place, and whenever it is lost until then. */
  readonly onConnection?: (state: 'open' | 'lost', cursor: string | undefined) => void;
}

export interface FollowedAuditRecord {
  readonly record: AuditRecord;
  /** The place after it, for `after`. */
  readonly cursor: string;
}

/** After so long, a stream has worked: the service ends each after some minutes. */
const WORKING_MS = 30_000;
const isFinal = ({ status }: ApiError): boolean => status >= 400 && status < 500 && status !== 408 && status !== 429;

/**
 * Iterates over audit records as they are sealed, each once, until the signal aborts. A lost stream is resumed, so no record is
 * missing. A consumer that stops reading for some time costs nothing. Rejects with an ApiError if the service refuses the stream.
 */
export async function* followAuditRecords(
  caller: Caller,
  { query = {}, after, signal, onConnection }: FollowOptions = {},
): AsyncGenerator<FollowedAuditRecord, void, undefined> {
  const backoff = createBackoff();
  let cursor = after;
  while (!signal?.aborted) {
    const startedAt = Date.now();
    let error = noResponse('service-unreachable', 'The stream has ended');
    let isOpen = false;
    const request = new AbortController();
    signal?.addEventListener('abort', () => request.abort(signal.reason), { signal: request.signal });
    try {
      const headers = cursor === undefined ? {} : { 'last-event-id': cursor };
      const { data } = await withinSilence(streamAuditRecords(caller, { query, headers }, { signal: request.signal }));
      for await (const { id, type, data: text } of readEvents(data)) {
        cursor = id ?? cursor;
        if (!isOpen) onConnection?.('open', cursor);
        isOpen = true;
        if (type === 'record') yield { record: JSON.parse(text) as AuditRecord, cursor: cursor! };
      }
    } catch (thrown) {
      if (signal?.aborted) return;
      if (!(thrown instanceof ApiError) || isFinal(thrown)) throw thrown;
      error = thrown;
    } finally {
      request.abort();
    }
    if (isOpen && Date.now() - startedAt >= WORKING_MS) backoff.reset();
    else if (!signal?.aborted) onConnection?.('lost', cursor);
    backoff.failed(error);
    await orAborted(sleep(backoff.until - Date.now()), signal).catch(() => undefined);
  }
}
