import type { MethodDefinition, ServiceDefinition } from '../../src/platform/rpc/types.ts';
import type { ProbeCase } from './probe-case.ts';

type RequestOf<M> = M extends { readonly requestDeserialize: (bytes: Buffer) => infer Request } ? Request : never;
/** A stream of requests is a list of messages. */
type InputOf<M> = M extends { readonly requestStream: true } ? readonly RequestOf<M>[] : RequestOf<M>;

/** The cases of a service. */
export interface RpcCases {
  readonly definition: ServiceDefinition;
  /** By the names of the methods in the definition. */
  readonly cases: Readonly<Record<string, ProbeCase<any>>>; // rpcCases checks the request types.
}

/** Creates the cases of a service, by method. The check reports methods without a case as uncovered. */
export function rpcCases<Definition extends Record<string, MethodDefinition>>(
  definition: Definition,
  cases: { readonly [Method in keyof Definition]?: ProbeCase<InputOf<Definition[Method]>> },
): RpcCases {
  return { definition, cases: cases as RpcCases['cases'] };
}
