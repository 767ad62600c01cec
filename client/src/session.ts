import { isUsable, type Grant } from './access-token.ts';
import { ApiError } from './api-error.ts';
import { createAuthorizedFetch } from './authorized-fetch.ts';
import { createBackoff } from './backoff.ts';
import { assertBaseUrl, createSend, pageLocation, resolveBaseUrl, type Caller, type CallerOptions } from './caller.ts';
import { NO_CHANNEL, openChannel, type Message } from './channel.ts';
import { createExchanges } from './exchange.ts';
import { createLock } from './create-lock.ts';
import { createLocalLock } from './lock.ts';
import { nextStep, type Answers, type CallOptions, type LoginStep, type SessionStep } from './login-step.ts';
import type { Credentials, OpenPath, OpenRequest, PasskeyCredentials, Profile } from './profile.ts';
import { createRefreshSchedule, refreshTime } from './refresh-schedule.ts';
import { createSessionState, UNKNOWN, type SessionSnapshot } from './session-state.ts';
import { orAborted } from './timers.ts';
import { createUnfinishedExchange } from './unfinished-exchange.ts';

export interface SessionOptions extends CallerOptions {
  /** Name of the lock and the channel. Pages with one session use the same name. Default: `service:refresh-session`. */
  readonly lockName?: string;
  /** Maximum wait for the lock in milliseconds. Default: 60,000. */
  readonly lockWaitMs?: number;
  /** Maximum duration of a refresh in milliseconds. Then the service counts as unavailable. Default: 15,000. */
  readonly roundTripMs?: number;
}

/** A user's session. It calls the service with the access token, and refreshes that token until the session ends. */
export interface Session extends Caller {
  /** Returns the same object until the state changes. */
  getSnapshot(): SessionSnapshot;
  /** The state that a server renders, and the page until it is hydrated: `unknown`. For `useSyncExternalStore`. */
  getServerSnapshot(): SessionSnapshot;
  /** Calls the listener after each change. Returns a function that removes it. */
  subscribe(listener: () => void): () => void;
  /** Opens a session. If the account needs a second factor, the result is a step that asks for it, and no session exists yet. */
  login(credentials: Credentials | PasskeyCredentials, options?: CallOptions): Promise<LoginStep>;
  /** Restores the session of the browser. Rejects if the service is unavailable; the state stays `unknown` then. */
  restore(options?: CallOptions): Promise<SessionSnapshot>;
  /** Returns a valid access token, refreshed if necessary, for code that cannot use `fetch`. Do not store it. */
  accessToken(options?: CallOptions): Promise<string>;
  /** Gets a new access token at once, for example after a change of roles. */
  refresh(options?: CallOptions): Promise<SessionSnapshot>;
  /** Ends the session in all tabs. Rejects without a change if the service cannot be reached. */
  logout(options?: CallOptions): Promise<void>;
  /** Calls the service without the session, for requests that precede it. */
  readonly anonymous: Caller;
  /** Ends timers and listeners, but not the session. */
  close(): void;
}

export function createSession(profile: Profile, options: SessionOptions): Session {
  const { lockName: name = 'service:refresh-session', lockWaitMs: waitMs = 60_000, roundTripMs = 15_000 } = options;
  const base = resolveBaseUrl(options.baseUrl);
  const send = createSend(options);
  const isShared = profile.isShared && pageLocation() !== undefined;
  const storage = isShared ? pageStorage() : undefined;
  const channel = isShared ? openChannel(`${name} ${base?.href}`, storage) : NO_CHANNEL;
  const lock = isShared ? createLock({ name, channel, storage, waitMs, holdMs: roundTripMs }) : createLocalLock();
  const unfinished = createUnfinishedExchange(name, storage);
  const runExchange = createExchanges({ lock, channel, unfinished, roundTripMs, longestMs: waitMs });
  const state = createSessionState();
  const backoff = createBackoff();
  const schedule = createRefreshSchedule(() => void renew().catch(() => undefined), backoff.reachable);
  let renewing: Promise<Grant> | undefined;

  function adopt(grant: Grant): void {
    backoff.reset();
    if (state.adopt(grant)) schedule.set(refreshTime(grant));
  }

  function share(grant: Grant): void {
    adopt(grant);
    if (state.snapshot.status === 'signed-out') throw ended();
    channel.send({ type: 'granted', grant });
  }

  function end(): void {
    backoff.reset();
    schedule.set(undefined);
    channel.send({ type: 'ended', sessionId: state.end() });
  }

  function postpone(error: ApiError, until?: number): void {
    backoff.failed(error, until);
    schedule.set(backoff.until);
  }

  const stopListening = channel.listen((message: Message) => {
    if (message.type === 'granted') adopt(message.grant);
    if (message.type === 'ended') state.endIf(message.sessionId);
    if (message.type === 'failed') postpone(new ApiError(message.message, message), message.until);
  });

  /** One refresh for all callers at the same time, in this tab and the others. */
  function renew(): Promise<Grant> {
    assertBaseUrl(base);
    const old = state.grant;
    renewing ??= runExchange<Grant>({
      known() {
        const { grant, snapshot } = state;
        if (grant && grant !== old && isUsable(grant)) return grant;
        if (old && snapshot.status === 'signed-out') throw ended();
        const failure = backoff.failure();
        if (failure) throw failure;
        return undefined;
      },
      call: (signal) => profile.refresh(send, signal),
      outlivesHold: true,
      done: share,
      failed(error) {
        if (profile.isEnd(error)) return end();
        postpone(error);
        const { status, code, message } = error;
        channel.send({ type: 'failed', until: backoff.until, status, code, message });
      },
      watch: state.subscribe,
    }).finally(() => {
      renewing = undefined;
    });
    return renewing;
  }

  /** Runs a call that opens or ends a session while no tab refreshes. */
  function exclusively<T>(
    call: (signal: AbortSignal) => Promise<T>,
    done: (result: T) => void,
    { signal }: CallOptions,
  ) {
    assertBaseUrl(base);
    return orAborted(runExchange<T>({ call, outlivesHold: false, done }), signal);
  }

  async function open(path: OpenPath, request: OpenRequest, callOptions: CallOptions = {}): Promise<SessionStep> {
    const call = (signal: AbortSignal) => profile.open(send, path, request, signal);
    const { grant, recoveryCodes } = await exclusively(call, ({ grant }) => share(grant), callOptions);
    return { kind: 'session', user: grant.user, ...(recoveryCodes && { recoveryCodes }) };
  }

  const answers: Answers = {
    factor: (challenge, factor, callOptions) => open('/second-factor', { challenge, ...factor }, callOptions),
    password: (challenge, newPassword, callOptions) =>
      openOrNext('/password-change', { challenge, newPassword }, callOptions),
  };

  function openOrNext(path: OpenPath, request: OpenRequest, callOptions?: CallOptions): Promise<LoginStep> {
    return open(path, request, callOptions).catch((error: unknown) => nextStep(error, answers));
  }

  async function token(rejected?: string, signal?: AbortSignal | null): Promise<string> {
    const { grant, snapshot } = state;
    if (snapshot.status === 'signed-out') throw ended();
    if (grant && grant.accessToken !== rejected && isUsable(grant)) return grant.accessToken;
    return (await orAborted(renew(), signal)).accessToken;
  }

  return {
    fetch: createAuthorizedFetch(send, token),
    getSnapshot: () => state.snapshot,
    getServerSnapshot: () => UNKNOWN,
    subscribe: state.subscribe,
    anonymous: { fetch: send },
    login: (credentials, callOptions) =>
      openOrNext('passkey' in credentials ? '/passkey' : '/login', credentials, callOptions),
    async restore({ signal } = {}) {
      if (state.snapshot.status !== 'unknown') return state.snapshot;
      await orAborted(renew(), signal).catch((error: unknown) => {
        if (state.snapshot.status === 'unknown') throw error;
      });
      return state.snapshot;
    },
    accessToken: ({ signal } = {}) => token(undefined, signal),
    async refresh({ signal } = {}) {
      await orAborted(renew(), signal);
      return state.snapshot;
    },
    async logout(callOptions = {}) {
      const call = (signal: AbortSignal) => {
        const { grant } = state;
        return profile.logout(send, grant && isUsable(grant) ? grant.accessToken : undefined, signal);
      };
      await exclusively(call, end, callOptions);
    },
    close() {
      stopListening();
      schedule.close();
      channel.close();
    },
  };
}

const ended = () => new ApiError('The session has ended', { status: 401, code: 'session-ended' });

const PROBE = 'service:probe';

function pageStorage(): Storage | undefined {
  try {
    const storage = localStorage;
    storage.setItem(PROBE, '');
    storage.removeItem(PROBE);
    return storage;
  } catch {
    // Workers have none, and the user may have disabled it.
    return undefined;
  }
}
