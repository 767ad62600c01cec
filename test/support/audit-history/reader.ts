// A reader of the stream of audit records that disconnects, resumes at another service, and sometimes loses what it read last.
import { setTimeout as sleep } from 'node:timers/promises';
import { AuditServiceService } from '../../../proto/gen/authservice/audit/v1/audit_service.ts';
import { grpcChannel } from '../../../src/platform/rpc/grpc/client.ts';
import { bearer } from '../rest-client.ts';
import { authorizedBy } from '../sessions.ts';
import type { HistoryService } from './services.ts';

/** A message of a stream. */
interface Message {
  readonly records: readonly { readonly id: string; readonly cursor: string }[];
  readonly cursor: string;
}

type OpenStream = (
  service: HistoryService,
  call: { readonly accessToken: string; readonly after: string | undefined; readonly signal: AbortSignal },
) => AsyncIterable<Message>;

export type StreamKind = keyof typeof STREAMS;

const STREAMS = {
  async *grpc({ addresses }, { accessToken, after, signal }) {
    const channel = grpcChannel({ target: addresses.rpc });
    try {
      const options = { ...authorizedBy({ accessToken }), signal, timeoutMs: 60_000 };
      const { streamAuditRecords } = channel.client(AuditServiceService);
      for await (const { records, cursor } of streamAuditRecords({ events: [], after }, options))
        yield { records: records.map((one) => ({ id: one.record!.id, cursor: one.cursor })), cursor };
    } finally {
      channel.close();
    }
  },
  async *sse({ addresses }, { accessToken, after, signal }) {
    const headers = { ...bearer(accessToken), ...(after !== undefined && { 'last-event-id': after }) };
    const response = await fetch(`${addresses.http}/api/v1/audit-records/stream`, { headers, signal });
    if (!response.ok) throw new Error(`status ${response.status}: ${await response.text()}`);
    let rest = '';
    for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
      const blocks = (rest + chunk).split('\n\n');
      rest = blocks.pop()!;
      for (const block of blocks) {
        const cursor = /^id: (.*)$/m.exec(block)![1]!;
        const data = /^data: (.*)$/m.exec(block)?.[1];
        const records = data === undefined ? [] : [{ id: (JSON.parse(data) as { id: string }).id, cursor }];
        yield { records, cursor };
      }
    }
  },
} satisfies Record<string, OpenStream>;

const SHORTEST_MS = 300;
const LONGEST_MS = 2_500;
const PAUSE_MS = 50;
const BEGIN_LIMIT_MS = 30_000;
const LOSS_SHARE = 0.3;
const MOST_LOST = 3;

export interface ReaderOptions {
  readonly name: string;
  readonly kind: StreamKind;
  readonly tenantId: string | undefined;
  readonly accessToken: string;
  readonly services: readonly HistoryService[];
}

export type AuditReader = Awaited<ReturnType<typeof startReader>>;

/** Starts a reader. Resolves when it has its first cursor: from then on, it gets each record. */
export async function startReader({ name, kind, tenantId, accessToken, services }: ReaderOptions) {
  const over = new AbortController();
  const read: { id: string; cursor: string }[] = [];
  const errors = new Set<string>();
  let begin: string | undefined;
  let cursor: string | undefined;
  let resumptions = 0;
  let losesRecords = true;
  const begun = Promise.withResolvers<void>();

  /** Reads until the stream ends or the time is over. */
  async function readFor(ms: number): Promise<void> {
    const service = services[Math.floor(Math.random() * services.length)]!;
    const signal = AbortSignal.any([over.signal, AbortSignal.timeout(Math.round(ms))]);
    for await (const message of STREAMS[kind](service, { accessToken, after: cursor, signal })) {
      // What arrives after the abort was not processed.
      if (signal.aborted) return;
      read.push(...message.records);
      cursor = message.cursor;
      begin ??= cursor;
      begun.resolve();
    }
  }

  async function run(): Promise<void> {
    while (!over.signal.aborted) {
      await readFor(SHORTEST_MS + Math.random() * (LONGEST_MS - SHORTEST_MS)).catch((error: unknown) =>
        errors.add(String(error)),
      );
      resumptions += 1;
      if (losesRecords && Math.random() < LOSS_SHARE) {
        read.length = Math.max(0, read.length - Math.ceil(Math.random() * MOST_LOST));
        cursor = read.at(-1)?.cursor ?? begin;
      }
      await sleep(PAUSE_MS);
    }
  }

  const running = run();
  const late = sleep(BEGIN_LIMIT_MS, undefined, { ref: false }).then(() => {
    throw new Error(`${name} has got no message: ${[...errors].join(', ')}`);
  });
  await Promise.race([begun.promise, late]);
  return {
    name,
    tenantId,
    get ids() {
      return read.map(({ id }) => id);
    },
    get resumptions() {
      return resumptions;
    },
    /** The texts of the errors that ended streams. */
    errors,
    /** From now on, it loses nothing that it has read. */
    keepAll(): void {
      losesRecords = false;
    },
    async stop(): Promise<void> {
      over.abort();
      await running;
    },
  };
}
