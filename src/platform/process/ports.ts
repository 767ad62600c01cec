// The TCP ports of a process: checked before the start, and named by their settings if they cannot be used.
import { createServer } from 'node:net';
import type { Settings } from '../config/settings.ts';
import type { ServingRole } from './usage.ts';

const PORTS = ['app.http.port', 'app.rpc.port', 'app.management.port'] as const;

/** A port that cannot be used. */
interface UnusablePort {
  readonly address: string;
  /** The settings that may have selected it. */
  readonly names: readonly string[];
  readonly code: 'EADDRINUSE' | 'EACCES';
}

interface Port {
  readonly name: (typeof PORTS)[number];
  readonly host: string;
  readonly port: number;
}

/**
 * Rejects with one error that names all ports that another program uses. Workers would share a port with that program.
 */
export async function assertPortsUsable(role: ServingRole, settings: Settings): Promise<void> {
  const failures = await Promise.all(portsOf(role, settings).map(unusable));
  const found = failures.filter((failure) => failure !== undefined);
  if (found.length > 0) throw new Error(problemOf(found));
}

// grpc-js passes on Node's error as text only. A worker gets the error of the primary, which has another text.
const LISTEN_FAILURE = /(?:listen|bind) (EADDRINUSE|EACCES)(?:: .*?)? (\S+?)\]?$/;

/** Returns the problem of an address on which a process could not listen; undefined if it is another problem. */
export function listenProblem(message: string, settings: Settings): string | undefined {
  const [, code, address = ''] = LISTEN_FAILURE.exec(message) ?? [];
  if (code === undefined) return undefined;
  const names = PORTS.filter((name) => address.endsWith(`:${settings[name]}`));
  const failure = { address, names: names.length > 0 ? names : ['app.rpc.host'], code: code as UnusablePort['code'] };
  return problemOf([failure]);
}

function portsOf(role: ServingRole, settings: Settings): Port[] {
  const port = (kind: 'http' | 'rpc' | 'management'): Port => ({
    name: `app.${kind}.port`,
    host: settings[`app.${kind}.host`],
    port: settings[`app.${kind}.port`],
  });
  const hasCore = role === 'core' || settings['app.gateway.core'] === 'local';
  const hasRpc = hasCore && settings['app.rpc.enabled'] && !settings['app.rpc.host'].startsWith('unix:');
  return [...(role === 'core' ? [] : [port('http')]), ...(hasRpc ? [port('rpc')] : []), port('management')];
}

/** Listens for a moment. Returns undefined also for failures that the start itself reports better. */
function unusable({ name, host, port }: Port): Promise<UnusablePort | undefined> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once('error', ({ code }: NodeJS.ErrnoException) => {
      const address = `${host.includes(':') ? `[${host}]` : host}:${port}`;
      resolve(code === 'EADDRINUSE' || code === 'EACCES' ? { address, names: [name], code } : undefined);
    });
    server.listen(port, host, () => server.close(() => resolve(undefined)));
  });
}

function problemOf(failures: readonly UnusablePort[]): string {
  return failures.map(oneProblem).join('; ');
}

function oneProblem({ address, names, code }: UnusablePort): string {
  const settings = names.join(' or ');
  if (code === 'EACCES')
    return `no permission to listen on ${address}; set ${settings} to an allowed address or a port above 1023`;
  return `${address} is in use; stop the program that listens there, or set ${settings} to another one (port 0 selects a free one)`;
}
