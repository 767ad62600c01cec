// The connection of commands to a core: over gRPC with a credential, or composed in this process.
// Imported by cli.
import type { CallOptions, Client, ServiceDefinition } from '../../src/rpc/types.ts';

/** A core as commands see it. Calls carry the credential and the time limit. */
export interface Core {
  client<D extends ServiceDefinition>(definition: D): Client<D>;
  close(): Promise<void>;
}

type Connect = <D extends ServiceDefinition>(definition: D) => Client<D>;
type Call = (input: unknown, options?: CallOptions) => Promise<unknown>;

/** Creates clients whose calls all get these options. They are read before each call. */
export function withOptions(connect: Connect, optionsOf: () => Promise<CallOptions>): Connect {
  return <D extends ServiceDefinition>(definition: D) => {
    const client = connect(definition) as unknown as Readonly<Record<string, Call>>;
    const calls = Object.keys(definition).map((name) => [
      name,
      async (input: unknown, options: CallOptions = {}) => client[name]!(input, { ...(await optionsOf()), ...options }),
    ]);
    return Object.fromEntries(calls) as Client<D>;
  };
}
