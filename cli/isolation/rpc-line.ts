import type { MethodDefinition, ServiceDefinition } from '../../src/rpc/types.ts';
import type { Line } from './line.ts';

type RequestOf<M> = M extends { readonly requestDeserialize: (bytes: Buffer) => infer Request } ? Request : never;
/** A stream of requests is written as the list of its messages. */
type InputOf<M> = M extends { readonly requestStream: true } ? readonly RequestOf<M>[] : RequestOf<M>;

/** The lines of a service. */
export interface RpcLines {
  readonly definition: ServiceDefinition;
  /** By the names of the methods in the definition. */
  readonly lines: Readonly<Record<string, Line<any>>>; // Which message each takes, rpcLines has checked.
}

/** Lines by methods of one service. A method without a line is found to be missing when the protos are read. */
export function rpcLines<Definition extends Record<string, MethodDefinition>>(
  definition: Definition,
  lines: { readonly [Method in keyof Definition]?: Line<InputOf<Definition[Method]>> },
): RpcLines {
  return { definition, lines: lines as RpcLines['lines'] };
}
