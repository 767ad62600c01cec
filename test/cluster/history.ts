// Checks a history of requests of many clients against the promises of the service. A pure function, after the idea of
// Jepsen: the requests and their responses suffice, whatever happened to the servers meanwhile.

/** One request. Times come from one monotonic clock. */
export interface Operation {
  readonly session: string;
  readonly kind: 'refresh' | 'use' | 'logout';
  readonly start: number;
  readonly end: number;
  /** 200, 401, or 503 and everything else that leaves the outcome open. */
  readonly outcome: 'accepted' | 'refused' | 'unavailable';
  /** The generation of the presented refresh token, or of the refresh that issued the access token. */
  readonly generation: number;
}

export interface History {
  /** The sessions whose login was acknowledged. */
  readonly sessions: readonly string[];
  readonly operations: readonly Operation[];
}

export interface Violation {
  readonly rule: string;
  readonly session: string;
  readonly operations: readonly Operation[];
}

/** Returns all violations: none if the history is one that a correct service can produce. */
export function checkHistory({ sessions, operations }: History): Violation[] {
  const bySession = Map.groupBy(operations, ({ session }) => session);
  return sessions.flatMap((session) => {
    const own = bySession.get(session) ?? [];
    return RULES.flatMap(({ rule, find }) => find(own).map((found) => ({ rule, session, operations: found })));
  });
}

interface Rule {
  readonly rule: string;
  /** Returns the operations of each violation. */
  readonly find: (operations: readonly Operation[]) => readonly (readonly Operation[])[];
}

const RULES: readonly Rule[] = [
  { rule: 'each generation has one winner', find: findSecondWinners },
  { rule: 'an acknowledged rotation is not undone', find: findUndoneRotations },
  { rule: 'an acknowledged logout is not undone', find: findUndoneLogouts },
  { rule: 'a session that was refused stays refused', find: findRevivals },
  { rule: 'a live session is not refused', find: findLostSessions },
  { rule: 'a live session is available at the end', find: findUnavailableSessions },
];

const isAccepted = ({ outcome }: Operation) => outcome === 'accepted';
const isRefused = ({ outcome }: Operation) => outcome === 'refused';
const isRefresh = ({ kind }: Operation) => kind === 'refresh';
const isLogout = ({ kind }: Operation) => kind === 'logout';

function findSecondWinners(operations: readonly Operation[]): Operation[][] {
  const wins = operations.filter((operation) => isRefresh(operation) && isAccepted(operation));
  return [...Map.groupBy(wins, ({ generation }) => generation).values()].filter((winners) => winners.length > 1);
}

/** The next generation was given out, and afterwards an earlier one was accepted. */
function findUndoneRotations(operations: readonly Operation[]): Operation[][] {
  const wins = operations.filter((operation) => isRefresh(operation) && isAccepted(operation));
  return pairs(wins, (win, later) => later.start >= win.end && later.generation <= win.generation);
}

function findUndoneLogouts(operations: readonly Operation[]): Operation[][] {
  const logouts = operations.filter((operation) => isLogout(operation) && isAccepted(operation));
  return logouts.flatMap((logout) =>
    operations
      .filter((later) => !isLogout(later) && isAccepted(later) && later.start >= logout.end)
      .map((later) => [logout, later]),
  );
}

/** A refusal revokes the session or shows that it is revoked. A revocation is never undone. */
function findRevivals(operations: readonly Operation[]): Operation[][] {
  return pairs(
    operations.filter((operation) => !isLogout(operation)),
    (refusal, later) => isRefused(refusal) && isAccepted(later) && later.start >= refusal.end,
  );
}

/** Nobody asked for a logout or presented a token twice, and still the session was refused. */
function findLostSessions(operations: readonly Operation[]): Operation[][] {
  return operations
    .filter(
      (refusal) =>
        isRefused(refusal) &&
        !operations.some((other) => isLogout(other) && other.start < refusal.end) &&
        !isReplayedBefore(operations, refusal),
    )
    .map((refusal) => [refusal]);
}

function findUnavailableSessions(operations: readonly Operation[]): Operation[][] {
  const last = operations.toSorted((a, b) => a.end - b.end).at(-1);
  return last?.outcome === 'unavailable' ? [[last]] : [];
}

/**
 * Whether a token was presented again although a request with it was or may be accepted. A repetition after a 503 is no
 * replay: what was refused must not happen.
 */
function isReplayedBefore(operations: readonly Operation[], { end }: Operation): boolean {
  const refreshes = operations.filter((operation) => isRefresh(operation) && operation.start < end);
  return refreshes.some((second) =>
    refreshes.some(
      (first) =>
        first !== second &&
        first.generation === second.generation &&
        first.start <= second.start &&
        (isAccepted(first) || second.start < first.end),
    ),
  );
}

function pairs(
  operations: readonly Operation[],
  isViolation: (first: Operation, later: Operation) => boolean,
): Operation[][] {
  return operations.flatMap((first) =>
    operations.filter((later) => later !== first && isViolation(first, later)).map((later) => [first, later]),
  );
}
