// The types of services, calls and clients. The folders below implement how calls are served.
import { type ReasonName, ServiceError } from '../errors.ts';
import { createRequestViolations, type RequestViolations } from './request-violations.ts';
import type { Call, Caller, Validate, Handlers, MethodDefinition, LoadingHandler, ServiceDefinition } from './types.ts';

export interface ServiceOptions {
  /** The reason for an unavailable dependency or a passed deadline. Default: SERVICE_UNAVAILABLE. */
  readonly unavailable?: 'SERVICE_UNAVAILABLE' | 'AUTHENTICATION_SERVICE_UNAVAILABLE';
}

/** A method and its implementation, for any message types. */
export interface Method<C extends Caller = never> {
  readonly definition: MethodDefinition;
  /**
   * Returns a promise, or an async iterable if the response is a stream. Checks a single request with `validate`.
   * Messages of a stream are checked when they arrive. The types of messages differ from method to method, so they are
   * checked where a handler is written (`Handlers`) and where it is called (`Client`).
   */
  readonly handler: (input: any, call: Call<C>, validate: Validate) => any;
  readonly unavailable: ReasonName;
}

/** An implemented service, whose handlers need callers of the type C. */
export interface Service<C extends Caller = Caller> {
  readonly methods: readonly Method<C>[];
}

/** Combines a service definition with its handlers. */
export function implement<D extends ServiceDefinition, C extends Caller = Caller>(
  definition: D,
  handlers: Handlers<D, C>,
  options: ServiceOptions = {},
): Service<C> {
  const unavailable = options.unavailable ?? 'SERVICE_UNAVAILABLE';
  return {
    methods: Object.entries(definition).map(([name, method]) => ({
      definition: method,
      handler: (input, call, validate) => run(handlers[name]!, input, call, validate),
      unavailable,
    })),
  };
}

/**
 * Creates a handler that checks a request in a fixed order:
 * 1. `find` looks up the record that the request names and changes nothing. It throws NOT_FOUND.
 * 2. The rest of the request is validated. It throws VALIDATION_ERROR if a field breaks its rules, or if the caller
 * asked for the access check only.
 * 3. `act` checks conditions beyond the field rules and does the work.
 * `find` runs before validation, so it may use only fields that are cheap to handle at any length: ids.
 */
export function loadThenHandle<Input, Found, Output, C extends Caller = Caller>(
  find: (input: Input, call: Call<C>) => Promise<Found>,
  act: (input: Input, call: Call<C>, found: Found) => Promise<Output>,
): LoadingHandler<Input, Promise<Output>, C> {
  return {
    async run(input, call, validate) {
      const found = await find(input, call);
      return act(assertValid(input, call, validate), call, found);
    },
  };
}

/**
 * Creates a handler like loadThenHandle that reports violations of the field rules together with those that `act`
 * finds. Examples are records that do not exist, and times that have passed. `act` may get an
 * invalid message. It must call `violations.assertNone` before any other use of the message.
 */
export function loadThenCheckReferences<Input, Found, Output, C extends Caller = Caller>(
  find: (input: Input, call: Call<C>) => Promise<Found>,
  act: (input: Input, call: Call<C>, found: Found, violations: RequestViolations) => Promise<Output>,
): LoadingHandler<Input, Promise<Output>, C> {
  return {
    async run(input, call, validate) {
      const found = await find(input, call);
      assertUnmarked(call);
      const { message, violations } = validate.inspect(input);
      return act(noteReason(message, call), call, found, createRequestViolations(violations));
    },
  };
}

/** Creates a handler like loadThenHandle for a response stream. */
export function loadThenStream<Input, Found, Output, C extends Caller = Caller>(
  find: (input: Input, call: Call<C>) => Promise<Found>,
  act: (input: Input, call: Call<C>, found: Found) => AsyncIterable<Output>,
): LoadingHandler<Input, AsyncIterable<Output>, C> {
  return {
    async *run(input, call, validate) {
      const found = await find(input, call);
      yield* act(assertValid(input, call, validate), call, found);
    },
  };
}

/** Only handlers made by loadThenHandle and its variants are called with accessCheckOnly. */
function run<C extends Caller>(
  handler: ((input: any, call: Call<C>) => unknown) | LoadingHandler<any, unknown, C>,
  input: unknown,
  call: Call<C>,
  validate: Validate,
): unknown {
  if (typeof handler !== 'function') return handler.run(input, call, validate);
  return handler(assertValid(input, call, validate), call);
}

function assertValid<Input>(input: Input, call: Call, validate: Validate): Input {
  assertUnmarked(call);
  return noteReason(validate(input), call);
}

/** The field `reason` of a request says why its caller acts. It stands in the audit records of the call. */
function noteReason<Input>(message: Input, call: Call): Input {
  const { reason } = message as { readonly reason?: unknown };
  if (typeof reason === 'string') (call as { reason?: string | undefined }).reason = reason;
  return message;
}

function assertUnmarked({ accessCheckOnly }: Call): void {
  if (accessCheckOnly)
    throw new ServiceError('VALIDATION_ERROR', { detail: 'the caller asked for the access check only' });
}
