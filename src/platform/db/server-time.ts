/**
 * A moment by this machine's clock. Each connection sends it as the same moment by the clock of its own server, because
 * the server may change between creating the value and sending it.
 */
export class ServerTime {
  /** Unix time in milliseconds. */
  readonly localMs: number;

  constructor(localMs: number) {
    this.localMs = localMs;
  }
}
