import type { RpcError } from '../src/platform/rpc/errors/rpc-error.ts';
import { isServerFault } from '../src/platform/problem/catalogue.ts';
import type { CallOptions, ServiceDefinition } from '../src/platform/rpc/types.ts';
import type { Tracer } from '../src/platform/tracing/tracer.ts';
import type { Connect } from './clients.ts';

type Call = (input: unknown, options?: CallOptions) => Promise<unknown>;

/**
 * Records a span for each call to a remote core: the time from the gateway's side. A call without a trace, as of a health
 * check, has none. A call with a response stream has none, because its reader sets its duration.
 */
export function traceClients(connect: Connect, tracer: Tracer): Connect {
  return <Definition extends ServiceDefinition>(definition: Definition) => {
    const client = connect(definition);
    const calls = Object.entries(client as Readonly<Record<string, Call>>).map(([name, call]) => {
      const { path, responseStream } = definition[name]!;
      return [name, responseStream ? call : traced(call, path.slice(1), tracer)];
    });
    return Object.fromEntries(calls) as typeof client;
  };
}

function traced(call: Call, method: string, tracer: Tracer): Call {
  const attributes = { 'rpc.system.name': 'grpc', 'rpc.method': method };
  return async (input, options = {}) => {
    if (options.trace === undefined) return call(input, options);
    const span = tracer.start(method, { kind: 'client', parent: options.trace, attributes });
    try {
      const response = await call(input, { ...options, trace: span.headers });
      span.end();
      return response;
    } catch (error) {
      const { reason } = (error as RpcError).status;
      span.set({ 'rpc.reason': reason });
      span.end(isServerFault(reason) ? reason : undefined);
      throw error;
    }
  };
}
