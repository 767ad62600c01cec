/** A connection with waiting requests. */
export interface QueuedConnection {
  /** Starts the next waiting request if the limits permit. Returns whether another one may follow. */
  startNext(): boolean;
}

/**
 * Lets connections start waiting requests in turn. Short requests end in the turn of the event loop in which they start, so a
 * connection that starts all of them at once would delay all other connections by all of them.
 */
export class StartQueue {
  readonly #maxStarts: number;
  readonly #ready = new Set<QueuedConnection>();
  #isScheduled = false;
  /** Starts in this turn of the event loop by `takeStart`. */
  #started = 0;

  /** @param maxStarts Maximum number of requests that start in one turn of the event loop. */
  constructor(maxStarts: number) {
    this.#maxStarts = maxStarts;
  }

  /** Whether a request may start at once: none waits, and few have started in this turn of the event loop. */
  takeStart(): boolean {
    if (this.#ready.size > 0 || this.#started >= this.#maxStarts) return false;
    if (this.#started === 0) setImmediate(() => (this.#started = 0));
    this.#started += 1;
    return true;
  }

  /** Calls `startNext` in a later turn of the event loop. */
  add(connection: QueuedConnection): void {
    this.#ready.add(connection);
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => this.#run());
  }

  #run(): void {
    this.#isScheduled = false;
    for (let starts = 0; starts < this.#maxStarts; starts += 1) {
      const [connection] = this.#ready;
      if (connection === undefined) return;
      this.#ready.delete(connection);
      if (connection.startNext()) this.#ready.add(connection);
    }
    const [next] = this.#ready;
    if (next !== undefined) this.add(next);
  }
}
