import { resolve } from 'node:path';
import type { CallOptions } from '../../src/platform/rpc/types.ts';
import type { Input } from '../command.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** Options of every command that calls a core, by their notation. */
export const REMOTE_OPTIONS: Readonly<Record<string, string>> = {
  '--core <target>': 'the core, such as dns:///core:50051 or unix:/path; also in AUTHSERVICE_CORE',
  '--tls': 'connect with TLS, trusting the authorities of Node',
  '--tls-ca <file>': 'connect with TLS, trusting these authorities (PEM); also in AUTHSERVICE_TLS_CA',
  '--tls-cert <file>': 'certificate to present (PEM); also in AUTHSERVICE_TLS_CERT',
  '--tls-key <file>': 'its key (PEM); also in AUTHSERVICE_TLS_KEY',
  '--timeout <duration>': 'how long a call may take (default: 10s)',
};

/** Options of commands that can also run without a running service. */
export const CORE_OPTIONS: Readonly<Record<string, string>> = {
  ...REMOTE_OPTIONS,
  '--local': 'no running service: use the database of the settings, as the operator of this machine',
};

/** The address of a core and its TLS files. */
export interface Target {
  readonly core: string;
  readonly tls: { readonly ca?: string; readonly cert?: string; readonly key?: string } | undefined;
}

export const DEFAULT_CORE = 'dns:///127.0.0.1:50051';
/** How long a call may take without --timeout. */
export const CALL_TIMEOUT_MS = 10_000;

/** Returns the target given by options or variables; `core` is undefined if neither names one. */
export function givenTarget({ values, terminal }: Input): { core: string | undefined; tls: Target['tls'] } {
  const { env } = terminal;
  const files = {
    ca: values.text('tlsCa') ?? env['AUTHSERVICE_TLS_CA'],
    cert: values.text('tlsCert') ?? env['AUTHSERVICE_TLS_CERT'],
    key: values.text('tlsKey') ?? env['AUTHSERVICE_TLS_KEY'],
  };
  // Absolute, because a login stores them for commands in other folders.
  const given = Object.entries(files).flatMap(([name, file]) =>
    file === undefined ? [] : [[name, resolve(terminal.callerFolder, file)]],
  );
  const isSecure = values.flag('tls') || given.length > 0;
  return {
    core: values.text('core') ?? env['AUTHSERVICE_CORE'],
    tls: isSecure ? Object.fromEntries(given) : undefined,
  };
}

/** A credential that replaces a login, and the variable that contains it. */
interface GivenCredential {
  readonly variable: string;
  readonly options: CallOptions;
}

/** Returns the credential of the environment variables; undefined if none is set. A token comes first. */
export function givenCredential({ env }: Pick<Terminal, 'env'>): GivenCredential | undefined {
  const { AUTHSERVICE_TOKEN: token, AUTHSERVICE_API_KEY: apiKey } = env;
  if (token !== undefined) return { variable: 'AUTHSERVICE_TOKEN', options: { authorization: [`Bearer ${token}`] } };
  if (apiKey !== undefined) return { variable: 'AUTHSERVICE_API_KEY', options: { apiKey: [apiKey] } };
  return undefined;
}
