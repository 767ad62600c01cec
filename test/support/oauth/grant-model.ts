// What the grants of an account are, as callers see it who come one after the other. Pure. A state is never changed: each operation
// returns a new one, and what its caller gets.

export const CODE_MS = 60_000;
const REPEAT_MS = 30_000;
/** The settings of the applications, in seconds. Short ones, so that a history meets all ends. */
export const TIMES = { accessTokenTtl: 120, refreshTokenIdle: 300, refreshTokenLifetime: 900 } as const;
/** The lifetime of a session's own access token. */
const BEARER_MS = 900_000;

/** A confidential application, and a public one. */
export const TYPES = ['WEB', 'SPA'] as const;

interface Session {
  readonly openedAt: number;
  readonly isOver: boolean;
}

/** A code, and the grant that it becomes. */
export interface Grant {
  readonly party: number;
  readonly session: number;
  readonly offline: boolean;
  readonly phase: 'code' | 'deleted code' | 'granted' | 'revoked';
  readonly codeExpiresAt: number;
  readonly createdAt: number;
  readonly idleExpiresAt: number;
  /** Of the newest refresh token, and when it was issued for the one before. */
  readonly generation: number;
  readonly rotatedAt: number;
}

export interface State {
  readonly sessions: Readonly<Record<number, Session>>;
  readonly grants: Readonly<Record<number, Grant>>;
  /** What the user has allowed each application: nothing, a login, or also access without a session. */
  readonly consents: readonly number[];
  readonly disabled: readonly boolean[];
}

export const NOTHING: State = { sessions: {}, grants: {}, consents: [0, 0], disabled: [false, false] };

/** How an administrator ends all that an account has. */
export const ENDS = ['password', 'disable', 'sessions'] as const;

export type Operation =
  | { readonly kind: 'open'; readonly session: number }
  | {
      readonly kind: 'authorize';
      readonly grant: number;
      readonly session: number;
      readonly party: number;
      readonly offline: boolean;
    }
  | { readonly kind: 'exchange'; readonly grant: number }
  /** Somebody else has the code, but not the verifier. */
  | { readonly kind: 'steal'; readonly grant: number }
  | { readonly kind: 'refresh'; readonly grant: number; readonly generation: number }
  /** By the application. */
  | { readonly kind: 'revoke'; readonly grant: number }
  /** By an administrator; the user's consent is forgotten, and ends all grants of the application. */
  | { readonly kind: 'delete'; readonly grant: number }
  | { readonly kind: 'log out'; readonly session: number }
  | { readonly kind: 'end all'; readonly how: (typeof ENDS)[number] }
  | { readonly kind: 'switch'; readonly party: number; readonly disabled: boolean };

export type Outcome =
  | 'done'
  | 'code'
  /** A code, after the user was asked. */
  | 'consent, code'
  /** The session or the application is over: the login page, or an error. */
  | 'no code'
  | 'invalid_client'
  | 'invalid_grant'
  | 'not found'
  /** Tokens with the refresh token of a generation. */
  | `tokens ${number}`;

type Result = readonly [State, Outcome];
type Judge<Kind extends Operation['kind']> = (
  state: State,
  operation: Extract<Operation, { readonly kind: Kind }>,
  now: number,
) => Result;

/** Runs an operation at a time, Unix milliseconds. */
export const run = (state: State, operation: Operation, now: number): Result =>
  (JUDGES[operation.kind] as Judge<Operation['kind']>)(state, operation, now);

/** Whether the tokens of a grant are good. */
export function isLive(state: State, grant: Grant, now: number): boolean {
  return isUsable(state, grant) && !state.disabled[grant.party] && grant.idleExpiresAt > now;
}

/** Whether an access token of a grant is good: it does not end earlier with the idle time of the grant. */
export const acceptsAccess = (state: State, grant: Grant): boolean =>
  isUsable(state, grant) && !state.disabled[grant.party];

const isUsable = (state: State, { phase, offline, session }: Grant) =>
  phase === 'granted' && (offline || !state.sessions[session]!.isOver);

const JUDGES: { readonly [Kind in Operation['kind']]: Judge<Kind> } = {
  open: (state, { session }, now) => [
    { ...state, sessions: { ...state.sessions, [session]: { openedAt: now, isOver: false } } },
    'done',
  ],

  authorize(state, { grant, session, party, offline }, now) {
    if (state.disabled[party]) return [state, 'no code'];
    const { openedAt, isOver } = state.sessions[session]!;
    if (isOver) return [state, 'no code'];
    const needed = offline ? 2 : 1;
    const isAsked = state.consents[party]! < needed;
    // The page has to refresh its session first.
    if (isAsked && now >= openedAt + BEARER_MS) return [state, 'no code'];
    const added: Grant = {
      party,
      session,
      offline,
      phase: 'code',
      codeExpiresAt: now + CODE_MS,
      createdAt: 0,
      idleExpiresAt: 0,
      generation: 1,
      rotatedAt: -Infinity,
    };
    const consents = state.consents.map((one, index) => (index === party ? Math.max(one, needed) : one));
    return [{ ...state, consents, grants: { ...state.grants, [grant]: added } }, isAsked ? 'consent, code' : 'code'];
  },

  exchange(state, { grant: id }, now) {
    const grant = state.grants[id]!;
    if (state.disabled[grant.party]) return [state, 'invalid_client'];
    if (grant.phase === 'granted') return [changed(state, id, { phase: 'revoked' }), 'invalid_grant'];
    if (grant.phase !== 'code' || grant.codeExpiresAt <= now || state.sessions[grant.session]!.isOver)
      return [state, 'invalid_grant'];
    return [changed(state, id, { phase: 'granted', createdAt: now, idleExpiresAt: idleEnd(now, now) }), 'tokens 1'];
  },

  steal: (state, { grant }) => [state, state.disabled[state.grants[grant]!.party] ? 'invalid_client' : 'invalid_grant'],

  refresh(state, { grant: id, generation }, now) {
    const grant = state.grants[id]!;
    if (state.disabled[grant.party]) return [state, 'invalid_client'];
    if (grant.phase !== 'granted' || grant.idleExpiresAt <= now) return [state, 'invalid_grant'];
    const behind = grant.generation - generation;
    const isRepeated = behind === 1 || (behind === 2 && now - grant.rotatedAt <= REPEAT_MS);
    if (behind > 0 && !isRepeated) return [changed(state, id, { phase: 'revoked' }), 'invalid_grant'];
    if (!isLive(state, grant, now)) return [state, 'invalid_grant'];
    const isRotated = behind === 0 && TYPES[grant.party] === 'SPA';
    const next = {
      idleExpiresAt: idleEnd(grant.createdAt, now),
      ...(isRotated && { generation: generation + 1, rotatedAt: now }),
    };
    return [changed(state, id, next), `tokens ${isRepeated || isRotated ? generation + 1 : generation}`];
  },

  revoke(state, { grant }) {
    if (state.disabled[state.grants[grant]!.party]) return [state, 'invalid_client'];
    return [revoked(state, (_, id) => id === grant), 'done'];
  },

  delete(state, { grant: id }, now) {
    const { party, idleExpiresAt } = state.grants[id]!;
    if (!isUsable(state, state.grants[id]!) || idleExpiresAt <= now) return [state, 'not found'];
    const consents = state.consents.map((one, index) => (index === party ? 0 : one));
    const grants = mapped(state.grants, (grant) =>
      grant.party === party && grant.phase === 'code' ? { ...grant, phase: 'deleted code' as const } : grant,
    );
    // All that the consent has allowed ends with it.
    return [revoked({ ...state, consents, grants }, (grant) => grant.party === party), 'done'];
  },

  'log out': (state, { session }) => [ended(state, (id) => id === session), 'done'],

  'end all': (state) => [
    revoked(
      ended(state, () => true),
      ({ offline }) => offline,
    ),
    'done',
  ],

  switch: (state, { party, disabled }) => [
    { ...state, disabled: state.disabled.map((one, index) => (index === party ? disabled : one)) },
    'done',
  ],
};

const idleEnd = (createdAt: number, now: number) =>
  Math.min(now + TIMES.refreshTokenIdle * 1000, createdAt + TIMES.refreshTokenLifetime * 1000);

const changed = (state: State, id: number, changes: Partial<Grant>): State => ({
  ...state,
  grants: { ...state.grants, [id]: { ...state.grants[id]!, ...changes } },
});

const revoked = (state: State, isMeant: (grant: Grant, id: number) => boolean): State => ({
  ...state,
  grants: mapped(state.grants, (grant, id) =>
    grant.phase === 'granted' && isMeant(grant, id) ? { ...grant, phase: 'revoked' } : grant,
  ),
});

const ended = (state: State, isMeant: (id: number) => boolean): State => ({
  ...state,
  sessions: mapped(state.sessions, (session, id) => (isMeant(id) ? { ...session, isOver: true } : session)),
});

function mapped<T>(all: Readonly<Record<number, T>>, change: (one: T, id: number) => T): Readonly<Record<number, T>> {
  return Object.fromEntries(Object.entries(all).map(([id, one]) => [id, change(one, Number(id))]));
}
