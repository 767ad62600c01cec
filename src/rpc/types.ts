// One typed interface per service, derived from the definition that ts-proto generates: what a core
// implements (Handlers) and what a caller sees (Client), the same over every transport.
import type { Logger } from 'pino';
import type { Deadline } from '../clock.ts';
import type { Violation } from '../errors.ts';
import type { Principal, Transaction } from '../principal/principal.ts';

/** One method as ts-proto's grpc-js output describes it. */
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

/** What a handler knows of the call it serves. */
export interface Call {
  /** Full gRPC path of the method: `/authservice.session.v1.SessionService/Login`. */
  readonly path: string;
  /** Id that ties log lines, audit records and the answer together; the caller's own where it is usable. */
  readonly requestId: string;
  /** The client's IP address: what a trusted gateway says, else the peer's. `unix` for a plain local peer. */
  readonly clientAddress: string;
  /** Whether other clients may have that address: it is that of a proxy or gateway whose word is not trusted or useless. */
  readonly sharedAddress: boolean;
  readonly deadline: Deadline;
  /** Whose credential came with the call, where the method's rule asks for one and it was good. */
  readonly principal: Principal | undefined;
  /**
   * Checks credential, access rule and tenant again, in the transaction that commits what the call has worked on for long:
   * the result holds until that ends. Throws what the credential's next call would be refused with.
   */
  readonly recheck: (tx: Transaction) => Promise<void>;
  /** What the caller had to turn into the request broke its rules: VALIDATION_ERROR in place of acting. See loadThenHandle. */
  readonly accessCheckOnly: boolean;
  readonly log: Logger;
}

/**
 * A handler that looks its record up before the rest of the request is judged; made by loadThenHandle. Any other handler is
 * not even called with a request that is marked invalid.
 */
export interface LoadingHandler<Input, Output> {
  readonly run: (input: Input, call: Call, validate: Validate) => Output;
}

/**
 * Throws if a message breaks a rule that the proto declares for its fields. Returns the message with its texts trimmed and its
 * defaults set.
 */
export interface Validate {
  <Message>(message: Message): Message;
  /** Returns the violations instead of throwing them. */
  inspect<Message>(message: Message): Inspected<Message>;
}

/** A message with what breaks the rules in it. */
export interface Inspected<Message> {
  readonly message: Message;
  readonly violations: readonly Violation[];
}

type RequestOf<M> = M extends { readonly requestDeserialize: (bytes: Buffer) => infer Request } ? Request : never;
type ResponseOf<M> = M extends { readonly responseDeserialize: (bytes: Buffer) => infer Response } ? Response : never;
type Input<M> = M extends { readonly requestStream: true } ? AsyncIterable<RequestOf<M>> : RequestOf<M>;
type Output<M> = M extends { readonly responseStream: true } ? AsyncIterable<ResponseOf<M>> : Promise<ResponseOf<M>>;

/** The implementation of a service. */
export type Handlers<Definition> = {
  readonly [Method in keyof Definition]:
    | ((input: Input<Definition[Method]>, call: Call) => Output<Definition[Method]>)
    | LoadingHandler<Input<Definition[Method]>, Output<Definition[Method]>>;
};

/** What travels beside a request. */
export interface CallOptions {
  /** How long the caller waits, in milliseconds. Default: the client's own (see the transports). */
  readonly timeoutMs?: number;
  /** Ends the call when it aborts. */
  readonly signal?: AbortSignal;
  readonly requestId?: string;
  /** The address of the client on whose behalf the call is made; believed only from a trusted gateway. */
  readonly clientAddress?: string;
  /** Whether the client's own address is unknown, so that clientAddress is that of a proxy before it. */
  readonly sharedAddress?: boolean;
  /** Every Authorization header of the request, raw. More than one is refused by the core. */
  readonly authorization?: readonly string[];
  /** Every X-Api-Key header of the request, raw. */
  readonly apiKey?: readonly string[];
  /**
   * The request as it came to the caller breaks its rules, and the message holds only what names a record. Nothing is
   * done then: the call rejects with what the credential, the access rule or the record gives cause to, else with
   * VALIDATION_ERROR.
   */
  readonly accessCheckOnly?: boolean;
}

/** A service as its callers see it. Rejects with RpcError only. */
export type Client<Definition> = {
  readonly [Method in keyof Definition]: (
    input: Input<Definition[Method]>,
    options?: CallOptions,
  ) => Output<Definition[Method]>;
};
