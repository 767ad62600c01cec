// One typed interface per service, derived from the definition that ts-proto generates. A core implements Handlers; a
// caller uses Client. Both are the same over every transport.
import type { Logger } from 'pino';
import type { Permission } from '../../../proto/gen/authservice/access/v1/access.ts';
import type { Deadline } from '../clock.ts';
import type { Statements } from '../db/types.ts';
import type { Violation } from '../errors.ts';
import type { TraceHeaders } from '../tracing/tracer.ts';

/** A method as ts-proto's grpc-js output describes it. */
export interface MethodDefinition<Request = any, Response = any> {
  readonly path: string;
  readonly requestStream: boolean;
  readonly responseStream: boolean;
  readonly requestSerialize: (value: Request) => Buffer;
  readonly requestDeserialize: (bytes: Buffer) => Request;
  readonly responseSerialize: (value: Response) => Buffer;
  readonly responseDeserialize: (bytes: Buffer) => Response;
}

/** A service as ts-proto's grpc-js output describes it: its methods by lower camel case name. */
export type ServiceDefinition = Readonly<Record<string, MethodDefinition>>;

/** The sender of a call, as the pipeline needs it. The core's own type has more fields: see src/auth/access. */
export interface Caller {
  readonly account: {
    readonly id: string;
    readonly tenantId: string | undefined;
    /** Whether access rules with `or_resource_server` let it call without their permission. */
    readonly resourceServer?: boolean;
  };
  /** Whether it holds a built-in permission, or one of a deployment's own by its name. */
  readonly permissions: { has(permission: Permission | string): boolean };
  /** The session of the credential, if it has one. */
  readonly sessionId?: string | undefined;
  /** Undefined unless the credential is an API key. */
  readonly apiKeyHash: string | undefined;
  /** Whether the credential is the access token of an application, which acts for a user. Not for the command line of this service. */
  readonly isApplication?: boolean;
}

/** The data of a call that its handler can use. */
export interface Call<C extends Caller = Caller> {
  /** Full gRPC path of the method: `/authservice.session.v1.SessionService/Login`. */
  readonly path: string;
  /** Id that connects log lines, audit records and the response. It is the caller's own id if usable. */
  readonly requestId: string;
  /**
   * The client's IP address: the one that a trusted gateway sends, else the peer's. `unix` for a peer on a Unix socket.
   */
  readonly clientAddress: string;
  /**
   * Whether other clients may share that address. It then belongs to an untrusted proxy or gateway, or to one that
   * does not send client addresses.
   */
  readonly sharedAddress: boolean;
  readonly deadline: Deadline;
  /** The authenticated principal, if the method's rule requires or allows a credential and the call has one. */
  readonly principal: C | undefined;
  /**
   * Checks credential, access rule and tenant again in the transaction that commits the work, and returns the current
   * principal. The result holds until the transaction ends. Throws the error that the credential's next call would get.
   */
  readonly recheck: (tx: Statements) => Promise<C | undefined>;
  /**
   * If true, the handler only checks access and then throws VALIDATION_ERROR, because the caller's original request was
   * invalid. See loadThenHandle.
   */
  readonly accessCheckOnly: boolean;
  /** Why the caller acts, for the audit: the field `reason` of its validated request. */
  readonly reason?: string | undefined;
  readonly log: Logger;
}

/**
 * A handler that loads its record before the rest of the request is validated; made by loadThenHandle. Other handlers
 * are never called with `accessCheckOnly`.
 */
export interface LoadingHandler<Input, Output, C extends Caller = Caller> {
  readonly run: (input: Input, call: Call<C>, validate: Validate) => Output;
}

/**
 * Throws VALIDATION_ERROR if a message breaks a rule of its fields in the proto. Returns the message with texts trimmed
 * and defaults set.
 */
export interface Validate {
  <Message>(message: Message): Message;
  /** Returns the violations instead of throwing them. */
  inspect<Message>(message: Message): Inspected<Message>;
}

/** A message and its violations. */
export interface Inspected<Message> {
  readonly message: Message;
  readonly violations: readonly Violation[];
}

type RequestOf<M> = M extends { readonly requestDeserialize: (bytes: Buffer) => infer Request } ? Request : never;
type ResponseOf<M> = M extends { readonly responseDeserialize: (bytes: Buffer) => infer Response } ? Response : never;
type Input<M> = M extends { readonly requestStream: true } ? AsyncIterable<RequestOf<M>> : RequestOf<M>;
type Output<M> = M extends { readonly responseStream: true } ? AsyncIterable<ResponseOf<M>> : Promise<ResponseOf<M>>;

/** The implementation of a service. */
export type Handlers<Definition, C extends Caller = Caller> = {
  readonly [Method in keyof Definition]:
    | ((input: Input<Definition[Method]>, call: Call<C>) => Output<Definition[Method]>)
    | LoadingHandler<Input<Definition[Method]>, Output<Definition[Method]>, C>;
};

/** The part of an AbortSignal that calls use, for cheaper signals. */
export interface CancelSignal {
  readonly aborted: boolean;
  addEventListener(type: 'abort', cancel: () => void, options?: { readonly once: true }): void;
  removeEventListener(type: 'abort', cancel: () => void): void;
}

/** The options of a call, sent with the request. */
export interface CallOptions {
  /** How long the caller waits, in milliseconds. Default: the client's own timeout. */
  readonly timeoutMs?: number;
  /** Ends the call when it aborts. */
  readonly signal?: CancelSignal;
  readonly requestId?: string;
  /** The span that the call belongs to. */
  readonly trace?: TraceHeaders;
  /** The address of the client on whose behalf the call is made. Used only if the caller is a trusted gateway. */
  readonly clientAddress?: string;
  /** Whether clientAddress belongs to a proxy, because the client's own address is unknown. */
  readonly sharedAddress?: boolean;
  /** All Authorization headers of the request, raw. The core refuses more than one. */
  readonly authorization?: readonly string[];
  /** All X-Api-Key headers of the request, raw. */
  readonly apiKey?: readonly string[];
  /**
   * Set if the caller's original request is invalid and the message contains only the record's name. The core then
   * changes nothing. The call rejects with the error of the credential, the access rule or the record, else with
   * VALIDATION_ERROR.
   */
  readonly accessCheckOnly?: boolean;
}

/** A service as its callers see it. All calls reject with RpcError only. */
export type Client<Definition> = {
  readonly [Method in keyof Definition]: (
    input: Input<Definition[Method]>,
    options?: CallOptions,
  ) => Output<Definition[Method]>;
};
