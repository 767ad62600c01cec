import type { ReasonName } from '../errors.ts';
import type { Handlers, MethodDefinition, ServiceDefinition, Call } from './types.ts';

export interface ServiceOptions {
  /** The reason for an unreachable dependency or a passed deadline. Default: SERVICE_UNAVAILABLE. */
  readonly unavailable?: 'SERVICE_UNAVAILABLE' | 'AUTHENTICATION_SERVICE_UNAVAILABLE';
}

/** A method with its implementation, whatever its messages are. */
export interface Method {
  readonly definition: MethodDefinition;
  /** Returns a promise or, where the response is a stream, an async iterable. */
  readonly handler: (input: any, call: Call) => any; // The definition's codecs decide; types.ts holds the callers to it.
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
      handler: (input, call) => handlers[name]!(input as never, call),
      unavailable,
    })),
  };
}
