// Errors of calls: what crosses the wire of them, and how disclosure reduces it.
// Imported by src/rpc, src/envoy, src/problem and the gateway.
import type { Dependency, ReasonName, Violation } from '../../errors.ts';

/** What maximal disclosure tells of a failure's origin. */
export interface Diagnostics {
  readonly exceptionType: string;
  readonly exceptionMessage: string;
  readonly stackTrace: string;
}

/** A failed call in the terms that cross the wire. Built once by the core's error mapping. */
export interface ErrorStatus {
  readonly reason: ReasonName;
  /** The actual reason under maximal disclosure, the reason's generic message under minimal. */
  readonly message: string;
  readonly violations: readonly Violation[];
  readonly retryAfterMs: number | undefined;
  /** What the call was waiting for when its deadline passed, where that is known. */
  readonly dependency?: Dependency | undefined;
  /** Present only under maximal disclosure. */
  readonly diagnostics: Diagnostics | undefined;
  /** Id of the call, for the logs. */
  readonly requestId: string | undefined;
}

/** What every client of a service rejects with, over either transport. */
export class RpcError extends Error {
  override readonly name = 'RpcError';
  readonly status: ErrorStatus;

  constructor(status: ErrorStatus) {
    super(status.message);
    this.status = status;
  }
}
