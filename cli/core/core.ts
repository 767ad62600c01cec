// The connection of commands to a core: over gRPC with a credential, or composed in this process.
import type { CallOptions, Client, ServiceDefinition } from '../../src/platform/rpc/types.ts';

/** A core as commands see it. Calls carry the credential and the time limit. */
export interface Core {
  client<D extends ServiceDefinition>(definition: D): Client<D>;
  close(): Promise<void>;
}

type Connect = <D extends ServiceDefinition>(definition: D) => Client<D>;
type Call = (input: unknown, options?: CallOptions) => Promise<unknown>;
type StreamingCall = (input: unknown, options?: CallOptions) => AsyncIterable<unknown>;

/** The options of every call of a client. */
interface Additions {
  /** Further options. Read before each call. */
  readonly optionsOf?: () => Promise<CallOptions>;
  /** Returns the error to throw instead of the error of a call. */
  readonly explain?: (error: unknown) => unknown;
  /** Mends the cause of an error. Returns whether to repeat the call. */
  readonly mend?: (error: unknown) => Promise<boolean>;
}

/** Creates clients with these additions to all calls. */
export function withOptions(connect: Connect, additions: Additions): Connect {
  const { optionsOf = async () => ({}), explain = (error) => error, mend = async () => false } = additions;
  return <D extends ServiceDefinition>(definition: D) => {
    const client = connect(definition) as unknown as Readonly<Record<string, Call>>;
    const callOf =
      (name: string) =>
      async (input: unknown, options: CallOptions = {}) => {
        const send = async () => client[name]!(input, { ...(await optionsOf()), ...options });
        try {
          return await send();
        } catch (error) {
          if (await mend(error)) return send();
          throw explain(error);
        }
      };
    const streams = client as unknown as Readonly<Record<string, StreamingCall>>;
    const streamOf = (name: string) =>
      async function* (input: unknown, options: CallOptions = {}) {
        try {
          yield* streams[name]!(input, { ...(await optionsOf()), ...options });
        } catch (error) {
          throw explain(error);
        }
      };
    const calls = Object.entries(definition).map(
      ([name, { responseStream }]) => [name, responseStream ? streamOf(name) : callOf(name)] as const,
    );
    return Object.fromEntries(calls) as unknown as Client<D>;
  };
}

/**
 * Whether an error means that the core does not serve the RPC. A core of another version, or with
 * other settings, may not have the service.
 */
export function isNotServed(error: unknown): boolean {
  const { cause = error } = error as Error;
  return cause instanceof Error && /^UNIMPLEMENTED: | is not served$/.test(cause.message);
}
