// Errors with the details that the core sends.
import { type CallOptions, ClientError, type ClientMiddlewareCall, type Metadata, type Status } from 'nice-grpc';
import type { Reason } from '../gen/index.authservice.error.v1.js';
import {
  BadRequest,
  type BadRequest_FieldViolation,
  ErrorInfo,
  RetryInfo,
  Status as RpcStatus,
} from '../gen/index.google.rpc.js';

/** The reasons of errors, for example `NOT_FOUND`. A newer core can send others. */
export type ReasonName = keyof typeof Reason extends infer Name
  ? Name extends `REASON_${infer Reason}`
    ? Reason
    : never
  : never;

/** A field of the request that breaks a rule. */
export type Violation = BadRequest_FieldViolation;

/** An error of a call. */
export class CoreError extends ClientError {
  /** Branch on it, never on the text. Undefined for errors of the network or the gRPC library. */
  readonly reason: ReasonName | undefined;
  /** Further facts of the reason, for example `requestId`. */
  readonly info: { readonly [key: string]: string };
  /** The fields of the request that break a rule. */
  readonly violations: readonly Violation[];
  /** How many milliseconds to wait before the next attempt; 0 if a retry does not help. */
  readonly retryAfterMs: number;
  readonly #details: RpcStatus['details'];

  constructor(path: string, code: Status, text: string, trailer: Metadata | undefined) {
    super(path, code, text);
    this.name = 'CoreError';
    const bytes = trailer?.get('grpc-status-details-bin');
    this.#details = bytes ? RpcStatus.decode(bytes as Uint8Array).details : [];
    const info = this.detail('google.rpc.ErrorInfo', ErrorInfo);
    this.reason = info?.reason as ReasonName | undefined;
    this.info = info?.metadata ?? {};
    this.violations = this.detail('google.rpc.BadRequest', BadRequest)?.fieldViolations ?? [];
    const { seconds = 0, nanos = 0 } = this.detail('google.rpc.RetryInfo', RetryInfo)?.retryDelay ?? {};
    this.retryAfterMs = seconds * 1_000 + Math.ceil(nanos / 1_000_000);
  }

  /** Returns a detail by the full name of its message, for example `authservice.session.v1.LoginChallenge`. */
  detail<Detail>(name: string, type: { decode(bytes: Uint8Array): Detail }): Detail | undefined {
    const found = this.#details.find(({ typeUrl }) => typeUrl.endsWith(`/${name}`));
    return found && type.decode(found.value);
  }
}

/** Throws CoreError where nice-grpc throws its own error without the details. */
export async function* throwCoreErrors<Request, Response>(
  call: ClientMiddlewareCall<Request, Response>,
  options: CallOptions,
): AsyncGenerator<Awaited<Response>, Awaited<Response> | void, undefined> {
  let trailer: Metadata | undefined;
  const onTrailer = (received: Metadata) => {
    trailer = received;
    options.onTrailer?.(received);
  };
  try {
    return yield* call.next(call.request, { ...options, onTrailer });
  } catch (error) {
    if (!(error instanceof ClientError)) throw error;
    throw new CoreError(error.path, error.code, error.details, trailer);
  }
}
