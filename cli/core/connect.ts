// Connections of commands to a core. Their errors name the core and the remedy instead of the words of the gRPC library.
import { grpcChannel, type GrpcChannel } from '../../src/platform/rpc/grpc/client.ts';
import type { CallOptions } from '../../src/platform/rpc/types.ts';
import type { Input } from '../command.ts';
import { EXIT, CommandFailure, failureOf } from '../failure.ts';
import { loadLocalSettings } from '../local-settings.ts';
import { CALL_TIMEOUT_MS, DEFAULT_CORE, givenCredential, givenTarget, type Target } from './connection-options.ts';
import { createConfirmLogin } from './confirm-login.ts';
import { withOptions, type Core } from './core.ts';
import { credentialsFile } from './credentials-file.ts';
import { validAccessToken } from './login-session.ts';
import { RpcError } from '../../src/platform/rpc/errors/rpc-error.ts';
import { printable } from '../terminal/terminal.ts';

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
  const timeoutMs = input.values.duration('timeout', CALL_TIMEOUT_MS);
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
    const message = `core ${core}: TLS is impossible with ${files.join(', ')}: ${failureOf((error as Error).cause ?? error).message}`;
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
  const optionsOf = async () => ({ ...options, ...(await credential()) });
  const username = given?.variable ?? credentialsFile(input.terminal).find(target.core)?.username;
  const mend = createConfirmLogin(channel, { ...input, optionsOf, of: `${username} at ${target.core}` });
  return {
    client: withOptions(channel.client, { optionsOf, mend }),
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
  const timeoutMs = input.values.duration('timeout', CALL_TIMEOUT_MS);
  const options = { timeoutMs, signal: input.terminal.signal };
  return {
    client: withOptions((definition) => localClient(core.host, definition), { optionsOf: async () => options }),
    close: core.close,
  };
}

const PLAIN_TO_TLS =
  'the connection was closed; if the core uses TLS, name its CA with --tls-ca, and with mutual TLS --tls-cert and --tls-key';
const NOT_TRUSTED = 'no trusted authority has signed its certificate; name its CA with --tls-ca';
const NO_CLIENT_CERTIFICATE =
  'it refused the certificate of this client; give a certificate that its CA has signed, with --tls-cert and --tls-key';

/** The problem and its remedy, by the text of the library. The first match counts. `$1` is its first group. */
const PROBLEMS: readonly (readonly [RegExp, string])[] = [
  [/ECONNREFUSED/, 'no process listens there; start the core, or name another one with --core'],
  [/ENOENT/, 'no such socket; start the core, or name another one with --core'],
  [/EACCES/, 'this user may not open the socket'],
  [
    /Name resolution failed|ENOTFOUND|EAI_AGAIN/,
    'the name cannot be resolved; --core accepts dns:///HOST:PORT or unix:/PATH',
  ],
  [/Failed to parse DNS address/, '--core accepts dns:///HOST:PORT or unix:/PATH'],
  [/EHOSTUNREACH|ENETUNREACH/, 'the host cannot be reached'],
  [/wrong version number|packet length too long/, 'the core does not use TLS on this port; omit --tls and --tls-ca'],
  [
    /ALTNAME_INVALID.*not in the cert's (?:altnames|list): (\w.*?)\.? Resolution note/,
    'its certificate is for $1; use such a name in --core',
  ],
  [/ALTNAME_INVALID/, 'its certificate is for other names; use one of them in --core'],
  [/certificate has expired|CERT_HAS_EXPIRED/, 'its certificate has expired'],
  [/unable to verify|self-signed|local issuer|unknown ca|UNABLE_TO/i, NOT_TRUSTED],
  [/alert certificate required|alert bad certificate|alert handshake failure/, NO_CLIENT_CERTIFICATE],
  [
    /Failed to load credentials/,
    'a file of --tls-ca, --tls-cert or --tls-key cannot be used; --tls-cert and --tls-key need each other',
  ],
];

/** Returns a failure that names the core, if no core has answered the call; else the error itself. */
function explainConnectionError(error: unknown, { core, tls }: Target, timeoutMs: number): unknown {
  // An answer of the core has no cause.
  if (!(error instanceof RpcError) || !(error.cause instanceof Error)) return error;
  const { reason } = error.status;
  if (reason !== 'SERVICE_UNAVAILABLE' && reason !== 'DEADLINE_EXCEEDED') return error;
  const text = error.cause.message;
  const known = describeProblem(text);
  const problem = known ?? (reason === 'DEADLINE_EXCEEDED' ? noResponse(timeoutMs) : closedBy(tls));
  return new CommandFailure(`core ${core}: ${problem}`, EXIT.unavailable, reason);
}

function describeProblem(text: string): string | undefined {
  for (const [pattern, problem] of PROBLEMS) {
    const match = pattern.exec(text);
    // A certificate contains any text, also control characters.
    if (match !== null) return problem.replace('$1', () => printable(match[1] ?? ''));
  }
  return undefined;
}

function noResponse(timeoutMs: number): string {
  return `no response in ${timeoutMs / 1_000} s; --timeout sets a longer limit`;
}

/** A peer that closes the connection gives no reason. */
function closedBy(tls: Target['tls']): string {
  if (tls === undefined) return PLAIN_TO_TLS;
  return tls.cert === undefined ? 'the connection was closed' : NO_CLIENT_CERTIFICATE;
}
