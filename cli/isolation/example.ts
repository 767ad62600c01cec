// One valid request of each RPC. The isolation check, and the tests of access, of requests and of routes, derive theirs from it and
// from the declaration of the RPC.
import type { MethodDefinition, ServiceDefinition } from '../../src/platform/rpc/types.ts';
import type { Build, Probe } from './probe-case.ts';

/** A valid request of an RPC: alone, or with what does not follow from the declaration of the RPC. */
export type Example<Request> = Build<Request> | AnnotatedExample<Request>;

export interface AnnotatedExample<Request> {
  /** Returns a request that contains ids or contents of these records. A stream of requests is a list of messages. */
  readonly request: Build<Request>;
  /** The reason why the isolation check does not call the RPC. */
  readonly notApplicable?: string;
  /** Filters of a list by another tenant's records. Each one is sent with the request, and must find nothing. */
  readonly filters?: readonly Build<Partial<Request>>[];
  /** The fields that search for a whole value, not for a part of a name: `filters` has their probes, if they can have one. */
  readonly exact?: readonly (keyof Request & string)[];
  /** Probes in addition to those that follow. */
  readonly more?: readonly Probe<Request>[];
  /** All probes, in place of those that follow. */
  readonly probes?: readonly Probe<Request>[];
}

type RequestOf<M> = M extends { readonly requestDeserialize: (bytes: Buffer) => infer Request } ? Request : never;
/** A stream of requests is a list of messages. */
type InputOf<M> = M extends { readonly requestStream: true } ? readonly RequestOf<M>[] : RequestOf<M>;

/** The examples of a service. */
export interface ServiceExamples {
  readonly definition: ServiceDefinition;
  /** By the names of the methods in the definition. */
  readonly examples: Readonly<Record<string, AnnotatedExample<any>>>; // examplesOf checks the request types.
}

/** Creates the examples of a service: one for each method. */
export function examplesOf<Definition extends Record<string, MethodDefinition>>(
  definition: Definition,
  examples: { readonly [Method in keyof Definition]: Example<InputOf<Definition[Method]>> },
): ServiceExamples {
  const annotated = Object.entries<Example<any>>(examples).map(([name, example]) => [
    name,
    typeof example === 'function' ? { request: example } : example,
  ]);
  return { definition, examples: Object.fromEntries(annotated) as ServiceExamples['examples'] };
}
