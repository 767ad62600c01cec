import { grpcChannel, type GrpcChannel } from '../../src/platform/rpc/grpc/client.ts';
import type { CallOptions } from '../../src/platform/rpc/types.ts';
import type { Input } from '../command.ts';
import { EXIT } from '../exit-codes.ts';
import { CommandFailure, failureOf } from '../failure.ts';
import { loadLocalSettings } from '../local-settings.ts';
import { callTimeout, DEFAULT_CORE, givenCredential, givenTarget, type Target } from './connection-options.ts';
import { explainConnectionError } from './connection-errors.ts';
import { withOptions, type Core } from './core.ts';
import { credentialsFile } from './credentials-file.ts';
import { validAccessToken } from './login-session.ts';

/** An open channel to a core, without a credential. */
export interface Connection {
  readonly target: Target;
  readonly channel: GrpcChannel;
  /** Options of every call. */
  readonly options: CallOptions & { readonly timeoutMs: number };
}

/** Creates the connection to the core of `targetOf`. Its errors name the core and the remedy. */
export function connectRemotely(input: Input): Connection {
  const target = targetOf(input);
  const channel = createChannel(target);
  const timeoutMs = callTimeout(input);
  return {
    target,
    channel: {
      client: withOptions(channel.client, {
        explain: (error) => explainConnectionError(error, target, timeoutMs),
      }),
      close: channel.close,
    },
    options: { timeoutMs, signal: input.terminal.signal },
  };
}

function createChannel({ core, tls }: Target): GrpcChannel {
  try {
    return grpcChannel({ target: core, tls });
  } catch (error) {
    if (tls === undefined) throw error;
    const files = Object.entries(tls).map(([name, file]) => `--tls-${name} ${file}`);
    const message = `core ${core}: TLS is impossible with ${files.join(', ')}: ${failureOf(error).message}`;
    throw new CommandFailure(message, EXIT.usage);
  }
}

/** Returns the core of the options, else the current core, else the one on this machine. */
export function targetOf(input: Input): Target {
  const given = givenTarget(input);
  const file = credentialsFile(input.terminal);
  const core = given.core ?? file.current() ?? DEFAULT_CORE;
  return { core, tls: given.tls ?? file.find(core)?.tls };
}

/** Connects to a running core, or composes one in this process with --local. */
export async function connectCore(input: Input): Promise<Core> {
  return input.values.flag('local') ? openLocally(input) : openRemotely(input);
}

function openRemotely(input: Input): Core {
  const connection = connectRemotely(input);
  const { channel, options, target } = connection;
  const given = givenCredential(input.terminal);
  const credential = async (): Promise<CallOptions> => {
    if (given !== undefined) return given.options;
    const accessToken = await validAccessToken(connection, credentialsFile(input.terminal), target.core);
    return { authorization: [`Bearer ${accessToken}`] };
  };
  return {
    client: withOptions(channel.client, { optionsOf: async () => ({ ...options, ...(await credential()) }) }),
    close: async () => channel.close(),
  };
}

async function openLocally(input: Input): Promise<Core> {
  // Loaded here because composing a core takes longer than connecting to one.
  const [{ openLocalCore }, { localClient }] = await Promise.all([
    import('../../src/composition/local-core.ts'),
    import('../../src/platform/rpc/local/client.ts'),
  ]);
  const { settings, log } = loadLocalSettings(input, 'core');
  const core = await openLocalCore({ settings, log });
  const options = { timeoutMs: callTimeout(input), signal: input.terminal.signal };
  return {
    client: withOptions((definition) => localClient(core.host, definition), { optionsOf: async () => options }),
    close: core.close,
  };
}
