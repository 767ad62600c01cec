import type {
  StreamAuditRecordsRequest,
  StreamAuditRecordsResponse,
} from '../../../../proto/gen/authservice/audit/v1/audit_service.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Database } from '../../../platform/db/types.ts';
import { ServiceError } from '../../../platform/errors.ts';
import { createStreamLimit } from '../../../platform/limits/stream-limit.ts';
import { gauge, type Metric } from '../../../platform/metric.ts';
import { readerOf } from '../../../platform/rpc/paging.ts';
import type { Call } from '../../access/principal.ts';
import type { AuditCursors } from './audit-cursor.ts';
import type { AuditFeed } from './audit-feed.ts';
import { createParseAuditFilter, readableScope, type AuditFilter, type FindAccountId } from '../trail/audit-filter.ts';
import { auditRecordMessage } from '../trail/audit-message.ts';
import { lastSequence } from '../seals/seal-store.ts';
import { readSealedRecords, type NextRecords } from '../seals/sealed-record-store.ts';

export interface StreamAuditRecordsDependencies {
  readonly database: Database;
  readonly auditFeed: AuditFeed;
  readonly auditCursors: AuditCursors;
  readonly clock: Clock;
  readonly findAccountId: FindAccountId;
  /** Maximum number of open streams of an account in this process. */
  readonly auditStreamsPerAccount: number;
}

const PAGE_SIZE = 100;
const HEARTBEAT_MS = 15_000;
/** A stream that is so many places behind reads as a long read does, which takes turns. */
const FAR_BEHIND = 5_000;
/** The host ends a stream after ten minutes. Streams that began together end at different times before that. */
const MIN_DURATION_MS = 480_000;
const MAX_DURATION_MS = 570_000;

/** TenancyService.StreamAuditRecords. The host ends it when the credential is revoked or the account may no longer call. */
export function createStreamAuditRecords(options: StreamAuditRecordsDependencies) {
  const { database, auditFeed, auditCursors, clock } = options;
  const parseFilter = createParseAuditFilter(options.findAccountId);
  const limit = createStreamLimit('audit records', options.auditStreamsPerAccount);

  return async function* (request: StreamAuditRecordsRequest, call: Call): AsyncGenerator<StreamAuditRecordsResponse> {
    // A name of no account matches nothing, as long as the stream lasts.
    const filter = (await parseFilter(request, call)) ?? {
      ...NO_RECORD,
      scope: readableScope(call.principal!, request.tenantId),
    };
    const after = request.after === undefined ? undefined : placeOf(request.after);
    const end = limit.begin(call.principal!.account.id);
    try {
      const follower = await auditFeed.follow(filter.scope);
      try {
        yield* follow(follower, filter, after ?? (await lastSequence(database, database, 'new')), call);
      } finally {
        follower.stop();
      }
    } finally {
      end();
    }
  };

  function placeOf(cursor: string): number {
    const place = auditCursors.parse(cursor);
    if (place !== undefined) return place;
    const violation = { message: 'must be a cursor of a stream', format: 'cursor', props: ['after'] };
    throw new ServiceError('VALIDATION_ERROR', { violations: [violation] });
  }

  async function* follow(
    follower: Awaited<ReturnType<AuditFeed['follow']>>,
    filter: AuditFilter,
    begin: number,
    call: Call,
  ): AsyncGenerator<StreamAuditRecordsResponse> {
    const { expiresAt = Infinity } = call.principal!;
    const endsAt = performance.now() + MIN_DURATION_MS + Math.random() * (MAX_DURATION_MS - MIN_DURATION_MS);
    let place = begin;
    let sentAt = performance.now();
    follower.moveTo(place);
    // So that a reader can resume before the first record.
    yield { records: [], cursor: auditCursors.format(place) };
    while (!call.deadline.signal.aborted && performance.now() < endsAt) {
      if (expiresAt <= clock()) throw new ServiceError('TOKEN_INVALID', { detail: 'the credential has expired' });
      const isBehind = follower.moveTo(place);
      const sealed = follower.last();
      const next: NextRecords = isBehind
        ? await read(filter, place, sealed, call)
        : { records: [], through: Math.max(place, sealed) };
      // A node that is behind returns no later place.
      const isStuck = isBehind && next.through === place;
      place = next.through;
      const isHeartbeat = performance.now() - sentAt >= HEARTBEAT_MS;
      if (next.records.length > 0 || isHeartbeat) {
        const [message] = await auditFeed.slices.map([next], messageOf);
        yield message!;
        sentAt = performance.now();
      }
      if (!isBehind || isStuck) await follower.next();
    }
  }

  function read(filter: AuditFilter, after: number, sealed: number, call: Call): Promise<NextRecords> {
    if (sealed - after <= FAR_BEHIND) return auditFeed.read(filter, after, PAGE_SIZE);
    return readSealedRecords(database, filter, { after, size: PAGE_SIZE, reader: readerOf(call) });
  }

  function messageOf({ records, through }: NextRecords): StreamAuditRecordsResponse {
    return {
      records: records.map((record) => ({
        record: auditRecordMessage(record),
        cursor: auditCursors.format(record.sequence),
      })),
      cursor: auditCursors.format(through),
    };
  }
}

/** Matches no record: ids of accounts have the version 7. */
const NO_RECORD: Omit<AuditFilter, 'scope'> = {
  events: [],
  accountId: '00000000-0000-0000-0000-000000000000',
  actorId: undefined,
  from: undefined,
  until: undefined,
};

/** Returns the metrics of the streams. */
export function auditStreamMetrics(feed: Pick<AuditFeed, 'followers' | 'lagMs'>): readonly Metric[] {
  const lag =
    'How long the slowest stream of audit records has been behind the seals, in seconds. Its reader can be the reason.';
  return [
    gauge('audit_streams', 'Open streams of audit records.', () => feed.followers),
    { ...gauge('audit_stream_lag_seconds', lag, () => feed.lagMs() / 1000), aggregator: 'max' },
  ];
}
