// Bounds the calls of a gRPC connection that run at once. Clients may send hundreds of calls in one packet.
import { Turns, type TurnTaker } from '../../concurrency/turns.ts';
import type { ServerCall } from './peer.ts';

export interface CallTurnLimits {
  /** Maximum number of running calls of a connection. Further ones wait. */
  readonly maxRunning: number;
  /** Maximum number of waiting calls of all connections that start in one turn of the event loop. */
  readonly maxStartsPerTurn: number;
}

export const CALL_TURN_LIMITS: CallTurnLimits = { maxRunning: 32, maxStartsPerTurn: 16 };

/** Runs the work of a call, later if the connection has many. The first call of a connection starts at once. */
export type RunInTurn = <T>(call: ServerCall, isTrusted: boolean, work: () => Promise<T>) => Promise<T>;

/** Trusted gateways send the calls of many clients, each of which they bound themselves. They only take turns. */
export function createCallTurns({ maxRunning, maxStartsPerTurn }: CallTurnLimits = CALL_TURN_LIMITS): RunInTurn {
  const turns = new Turns(maxStartsPerTurn);
  const connections = new WeakMap<object, Connection>();
  return async (call, isTrusted, work) => {
    const session = (call as { readonly call?: { readonly stream?: { readonly session?: object } } }).call?.stream
      ?.session;
    if (session === undefined) return work();
    let connection = connections.get(session);
    if (connection === undefined) {
      connection = new Connection(turns, isTrusted ? Infinity : maxRunning);
      connections.set(session, connection);
    }
    await connection.begin();
    try {
      return await work();
    } finally {
      connection.end();
    }
  };
}

class Connection implements TurnTaker {
  readonly #turns: Turns;
  readonly #maxRunning: number;
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(turns: Turns, maxRunning: number) {
    this.#turns = turns;
    this.#maxRunning = maxRunning;
  }

  begin(): Promise<void> | undefined {
    if (this.#running === 0 && this.#waiting.length === 0) {
      this.#running = 1;
      return undefined;
    }
    this.#turns.add(this);
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  startNext(): boolean {
    if (this.#running >= this.#maxRunning) return false;
    const start = this.#waiting.shift();
    if (start === undefined) return false;
    this.#running += 1;
    start();
    return this.#waiting.length > 0;
  }

  end(): void {
    this.#running -= 1;
    if (this.#waiting.length > 0) this.#turns.add(this);
  }
}
