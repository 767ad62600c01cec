// Chooses the host of all connections of a process: the first of the URL that can be used. A host that fails is set
// aside for a growing time. All connections go to one host, the active one, so that clocks and reads agree.
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Logger } from 'pino';
import { isConnectionLimit, isTimeout, unavailable, whyHopeless } from '../errors.ts';
import { CONNECT_TIMEOUT_MS, HOST_CHECK_MS, LONGEST_HOST_PAUSE_MS, SHORTEST_HOST_PAUSE_MS } from '../limits.ts';
import { discard, isUsable, type MysqlConnection } from './connection.ts';

/** A host as the choice needs it. */
export interface ChosenHost {
  /** The address for messages, without secrets. */
  readonly address: string;
  /** Opens a connection. Rejects with a safe error if the host cannot be used now. */
  open(timeoutMs: number): Promise<MysqlConnection>;
  /** Rejects if the host, asked over an idle connection, cannot be used now. */
  check(connection: MysqlConnection): Promise<void>;
}

/** The connections to the active host that no caller uses. */
interface IdleConnections {
  /** Returns one for exclusive use; undefined if there is none. */
  take(): MysqlConnection | undefined;
  giveBack(connection: MysqlConnection): void;
}

export interface Hosts<Host extends ChosenHost> {
  /** The host of all usable connections. */
  readonly active: Host;
  /** A check because of a failed connection. Wait for it before using further connections. */
  readonly pendingCheck: Promise<void> | undefined;
  /** Opens a connection to the active host or, if it cannot be used, to the first other one. */
  open(): Promise<MysqlConnection>;
  /** Whether statements can be sent over the connection and it leads to the active host. */
  isUsable(connection: MysqlConnection): boolean;
  /** Closes a connection for good. */
  close(connection: MysqlConnection): void;
  /** Reports a connection that failed during a statement. Checks the active host unless others did so. */
  reportFailure(connection: MysqlConnection): void;
  /** Checks at intervals, in the background, whether a preferred host is back and the active one can still be used. */
  checkIfDue(): void;
}

interface HostState<Host> {
  readonly host: Host;
  readonly connections: Set<MysqlConnection>;
  failures: number;
  /** Until when the host is set aside (performance.now()). */
  retryAt: number;
}

/** @param hosts At least one, in order of preference. A single host is never set aside. */
export function createHosts<Host extends ChosenHost>(
  hosts: readonly Host[],
  idle: IdleConnections,
  log: Logger,
): Hosts<Host> {
  const states: readonly HostState<Host>[] = hosts.map((host) => ({
    host,
    connections: new Set(),
    failures: 0,
    retryAt: 0,
  }));
  const isSingle = states.length === 1;
  const timeoutMs = Math.floor(CONNECT_TIMEOUT_MS / states.length);
  let active = states[0]!;
  let check: Promise<void> | undefined;
  let pendingCheck: Promise<void> | undefined;
  let checkedAt = 0;

  const isSetAside = ({ retryAt }: HostState<Host>) => retryAt > performance.now();

  async function openAt(state: HostState<Host>): Promise<MysqlConnection> {
    const connection = await state.host.open(timeoutMs);
    state.connections.add(connection);
    state.failures = 0;
    state.retryAt = 0;
    return connection;
  }

  function setAside(state: HostState<Host>, error: unknown): void {
    if (isSingle || isSetAside(state)) return;
    const pause = Math.min(SHORTEST_HOST_PAUSE_MS * 2 ** state.failures, LONGEST_HOST_PAUSE_MS);
    state.retryAt = performance.now() + pause;
    log[state.failures === 0 ? 'warn' : 'debug'](
      { reason: (error as Error).message, host: state.host.address },
      'database host set aside',
    );
    state.failures += 1;
    // Otherwise the statements on these connections would wait until their time limit.
    for (const connection of state.connections) discard(connection, 'host set aside');
    state.connections.clear();
  }

  /** Whether a host that failed to open a further connection can still be used over those that it has. */
  async function canKeep(state: HostState<Host>, error: unknown): Promise<boolean> {
    if (![...state.connections].some(isUsable)) return false;
    if (isConnectionLimit(error)) return true;
    if (!isTimeout(error)) return false;
    if (await passesCheck(state)) return true;
    // If this process has stalled, results that arrived meanwhile are read in this turn of the event loop.
    const since = performance.now() - timeoutMs;
    await nextTurn();
    return [...state.connections].some(
      (one) => isUsable(one) && one.answeredAt !== undefined && one.answeredAt > since,
    );
  }

  async function passesCheck(state: HostState<Host>): Promise<boolean> {
    const connection = state === active ? idle.take() : undefined;
    if (connection === undefined) return false;
    try {
      await state.host.check(connection);
      return true;
    } catch {
      return false;
    } finally {
      idle.giveBack(connection);
    }
  }

  function activate(state: HostState<Host>): void {
    if (state === active) return;
    active = state;
    log.warn({ host: state.host.address }, 'database host changed');
  }

  /** Returns all hosts: the active one, then those that were not set aside, each in order of preference. */
  function candidates(): HostState<Host>[] {
    const rank = (state: HostState<Host>) => (isSetAside(state) ? 2 : state === active ? 0 : 1);
    return states.toSorted((a, b) => rank(a) - rank(b));
  }

  async function open(): Promise<MysqlConnection> {
    let failure: unknown;
    for (const state of candidates()) {
      try {
        const connection = await openAt(state);
        // If another caller has activated a third host meanwhile, this connection is not usable.
        if (active.failures > 0) activate(state);
        return connection;
      } catch (error) {
        if (isSingle || (state === active && (await canKeep(state, error)))) throw error;
        // A host that may recover decides: with an error that waiting cannot remedy, the start would give up.
        if (failure === undefined || whyHopeless(failure) !== undefined) failure = error;
        setAside(state, error);
      }
    }
    throw failure ?? unavailable('no host');
  }

  /** Rejects if the host must be set aside. */
  async function probe(state: HostState<Host>): Promise<void> {
    if (await passesCheck(state)) return;
    try {
      close(await openAt(state));
    } catch (error) {
      if (!(await canKeep(state, error))) throw error;
    }
  }

  /** Activates the first host that can be used. */
  async function runCheck(): Promise<void> {
    checkedAt = performance.now();
    for (const state of states) {
      if (isSetAside(state)) continue;
      try {
        await probe(state);
        activate(state);
        return;
      } catch (error) {
        setAside(state, error);
      }
    }
  }

  function startCheck(): Promise<void> {
    check ??= runCheck().finally(() => {
      check = undefined;
    });
    return check;
  }

  function close(connection: MysqlConnection): void {
    for (const { connections } of states) connections.delete(connection);
    discard(connection, 'closed');
  }

  return {
    get active() {
      return active.host;
    },
    get pendingCheck() {
      return pendingCheck;
    },
    open,
    isUsable: (connection) => isUsable(connection) && (isSingle || active.connections.has(connection)),
    close,
    reportFailure(connection) {
      if (isSingle || !active.connections.has(connection)) return;
      pendingCheck ??= startCheck().finally(() => {
        pendingCheck = undefined;
      });
    },
    checkIfDue() {
      if (!isSingle && performance.now() - checkedAt > HOST_CHECK_MS) void startCheck();
    },
  };
}
