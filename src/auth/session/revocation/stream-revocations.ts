import {
  RevocationSubject,
  type Revocation as RevocationMessage,
  type StreamRevocationsRequest,
  type StreamRevocationsResponse,
} from '../../../../proto/gen/authservice/session/v1/session_service.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Database } from '../../../platform/db/types.ts';
import { ServiceError } from '../../../platform/errors.ts';
import { createStreamLimit } from '../../../platform/limits/stream-limit.ts';
import type { Call } from '../../access/principal.ts';
import {
  GRANTS_AT_ONCE,
  REVOCATION_KINDS,
  selectGrants,
  selectRevocations,
  selectSessions,
  type Revocation,
  type RevocationKind,
} from '../../token/revocations.ts';
import { ACCOUNTS_AT_ONCE, type RevocationFeed } from './revocation-feed.ts';

export interface StreamRevocationsDependencies {
  readonly database: Database;
  readonly feed: RevocationFeed;
  readonly clock: Clock;
  /** Maximum number of open streams of an account in this process. */
  readonly streamsPerAccount: number;
}

const PAGE_SIZE = 500;
const HEARTBEAT_MS = 15_000;
/** The host ends a stream after ten minutes. Streams that began together end at different times before that. */
const MIN_DURATION_MS = 480_000;
const MAX_DURATION_MS = 570_000;

/**
 * SessionService.StreamRevocations: the revocations in force, then the changes. The host ends it when the credential is revoked or the
 * account may no longer call.
 */
export function createStreamRevocations(options: StreamRevocationsDependencies) {
  const { database, feed, clock } = options;
  const limit = createStreamLimit('revocations', options.streamsPerAccount);
  /** Settles when no snapshot reads. */
  let turn: Promise<unknown> = Promise.resolve();

  return async function* (_: StreamRevocationsRequest, call: Call): AsyncGenerator<StreamRevocationsResponse> {
    const end = limit.begin(call.principal!.account.id);
    try {
      const follower = await feed.follow();
      try {
        yield* inForce();
        yield* changes(follower, call);
      } finally {
        follower.stop();
      }
    } finally {
      end();
    }
  };

  /** Runs one read at a time. Many streams that begin at once must not take all connections of the pool. */
  function inTurn<T>(read: () => Promise<T>): Promise<T> {
    const result = turn.then(read);
    turn = result.catch(() => undefined);
    return result;
  }

  /** Yields the revocations in force page by page. A change meanwhile is in its page, in the changes, or in both. */
  async function* inForce(): AsyncGenerator<StreamRevocationsResponse> {
    for (const kind of REVOCATION_KINDS) {
      const size = kind === 'sessions' ? ACCOUNTS_AT_ONCE : PAGE_SIZE;
      let after: string | undefined;
      do {
        const now = clock();
        const { page, shown } = await inTurn(async () => {
          const page = await selectRevocations(database, { kind, after, size, now });
          return { page, shown: kind === 'sessions' ? await selectSessions(database, page, now) : page };
        });
        yield* messagesOf(shown);
        if (kind === 'grants') for (const { id } of page) yield* grantsOf(id);
        after = page.length < size ? undefined : page.at(-1)!.id;
      } while (after !== undefined);
    }
    yield { revocations: [], snapshotEnd: true };
  }

  async function* grantsOf(applicationId: string): AsyncGenerator<StreamRevocationsResponse> {
    let after: string | undefined;
    do {
      const last = after;
      const grants = await inTurn(() => selectGrants(database, applicationId, last, clock()));
      yield* messagesOf(grants);
      after = grants.length < GRANTS_AT_ONCE ? undefined : grants.at(-1)!.id;
    } while (after !== undefined);
  }

  async function* changes(
    follower: { next(): Promise<readonly Revocation[]> },
    { principal, deadline }: Call,
  ): AsyncGenerator<StreamRevocationsResponse> {
    const { expiresAt = Infinity } = principal!;
    const endsAt = performance.now() + MIN_DURATION_MS + Math.random() * (MAX_DURATION_MS - MIN_DURATION_MS);
    let sentAt = performance.now();
    while (!deadline.signal.aborted && performance.now() < endsAt) {
      const found = (await follower.next()).filter(({ until }) => until === undefined || until > clock());
      if (expiresAt <= clock()) throw new ServiceError('TOKEN_INVALID', { detail: 'the credential has expired' });
      const isHeartbeat = performance.now() - sentAt >= HEARTBEAT_MS;
      if (isHeartbeat) {
        yield { revocations: [], snapshotEnd: false };
        sentAt = performance.now();
      }
      yield* messagesOf(found);
    }
  }
}

const SUBJECTS: Readonly<Record<Exclude<RevocationKind, 'sessions' | 'grants'>, RevocationSubject>> = {
  session: RevocationSubject.REVOCATION_SUBJECT_SESSION,
  token: RevocationSubject.REVOCATION_SUBJECT_TOKEN,
  grant: RevocationSubject.REVOCATION_SUBJECT_GRANT,
  account: RevocationSubject.REVOCATION_SUBJECT_ACCOUNT,
  tenant: RevocationSubject.REVOCATION_SUBJECT_TENANT,
};

function* messagesOf(revocations: readonly Revocation[]): Generator<StreamRevocationsResponse> {
  for (let from = 0; from < revocations.length; from += PAGE_SIZE) {
    const page = revocations.slice(from, from + PAGE_SIZE);
    yield { revocations: page.flatMap(revocationMessage), snapshotEnd: false };
  }
}

function revocationMessage({ kind, id, until }: Revocation): RevocationMessage[] {
  // They are looked up.
  if (kind === 'sessions' || kind === 'grants') return [];
  return [{ subject: SUBJECTS[kind], id, until: until === undefined ? undefined : new Date(until) }];
}
