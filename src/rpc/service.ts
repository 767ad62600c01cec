// The RPC kit: services, calls and clients as types. How calls are served stands in the folders below.
// Imported by every service.
import type { ReasonName } from '../errors.ts';
import { ServiceError } from '../errors.ts';
import { createRequestViolations, type RequestViolations } from './request-violations.ts';
import type { Call, Validate, Handlers, MethodDefinition, LoadingHandler, ServiceDefinition } from './types.ts';

export interface ServiceOptions {
  /** The reason for an unreachable dependency or a passed deadline. Default: SERVICE_UNAVAILABLE. */
  readonly unavailable?: 'SERVICE_UNAVAILABLE' | 'AUTHENTICATION_SERVICE_UNAVAILABLE';
}

/** A method with its implementation, whatever its messages are. */
export interface Method {
  readonly definition: MethodDefinition;
  /**
   * Returns a promise or, where the response is a stream, an async iterable. Checks a single request by `validate`; the
   * messages of a stream are checked as they come.
   */
  readonly handler: (input: any, call: Call, validate: Validate) => any; // The definition's codecs decide; types.ts holds the callers to it.
  readonly unavailable: ReasonName;
}

/** An implemented service. */
export interface Service {
  readonly methods: readonly Method[];
}

/** Ties handlers to the service that they implement. */
export function implement<D extends ServiceDefinition>(
  definition: D,
  handlers: Handlers<D>,
  options: ServiceOptions = {},
): Service {
  const unavailable = options.unavailable ?? 'SERVICE_UNAVAILABLE';
  return {
    methods: Object.entries(definition).map(([name, method]) => ({
      definition: method,
      handler: (input, call, validate) => run(handlers[name]!, input as never, call, validate),
      unavailable,
    })),
  };
}

/**
 * Makes a handler in the order in which a request is judged: `find` looks up the record that it names (NOT_FOUND) and
 * changes nothing; then comes the rest of the request (VALIDATION_ERROR where it is marked invalid, or breaks the rules of its
 * fields); then `act`, which checks that rest itself where it can be represented, and does the work. `find` may only use what
 * costs little however long it is: ids.
 */
export function loadThenHandle<Input, Found, Output>(
  find: (input: Input, call: Call) => Promise<Found>,
  act: (input: Input, call: Call, found: Found) => Promise<Output>,
): LoadingHandler<Input, Promise<Output>> {
  return {
    async run(input, call, validate) {
      const found = await find(input, call);
      return act(assertValid(input, call, validate), call, found);
    },
  };
}

/**
 * Makes a handler as loadThenHandle does, if violations of the rules are told together with what `act` itself finds wrong: records
 * that the request names and that do not exist, times that have passed. `act` may get a message that breaks its rules. It adds its own
 * violations to the given ones, and must call `assertNone` before it does anything else with the message.
 */
export function loadThenCheckReferences<Input, Found, Output>(
  find: (input: Input, call: Call) => Promise<Found>,
  act: (input: Input, call: Call, found: Found, violations: RequestViolations) => Promise<Output>,
): LoadingHandler<Input, Promise<Output>> {
  return {
    async run(input, call, validate) {
      const found = await find(input, call);
      assertUnmarked(call);
      const { message, violations } = validate.inspect(input);
      return act(message, call, found, createRequestViolations(violations));
    },
  };
}

/** Makes a handler as loadThenHandle does, if the response is a stream. */
export function loadThenStream<Input, Found, Output>(
  find: (input: Input, call: Call) => Promise<Found>,
  act: (input: Input, call: Call, found: Found) => AsyncIterable<Output>,
): LoadingHandler<Input, AsyncIterable<Output>> {
  return {
    async *run(input, call, validate) {
      const found = await find(input, call);
      yield* act(assertValid(input, call, validate), call, found);
    },
  };
}

type AnyHandler = ((input: never, call: Call) => unknown) | LoadingHandler<never, unknown>;

/** A handler that knows nothing of the mark is never called with a request that carries it. */
function run(handler: AnyHandler, input: never, call: Call, validate: Validate): unknown {
  if (typeof handler !== 'function') return handler.run(input, call, validate);
  return handler(assertValid(input, call, validate), call);
}

function assertValid<Input>(input: Input, call: Call, validate: Validate): Input {
  assertUnmarked(call);
  return validate(input);
}

function assertUnmarked({ accessCheckOnly }: Call): void {
  if (accessCheckOnly)
    throw new ServiceError('VALIDATION_ERROR', { detail: 'the caller asked for the access check only' });
}
