// The options of the command: the deployment and the two administrators.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { DEMO } from '../../src/composition/bootstrap/demo.ts';

export const USAGE = `usage: npm run cli -- isolation [options]

Calls every route and every RPC as an administrator of tenant A with ids of tenant B's records. It creates records in both
tenants and deletes them as far as possible. Use two tenants that exist only for this check.

  --url URL                  the gateway (http://127.0.0.1:8080)
  --rpc TARGET               the core, such as dns:///127.0.0.1:50051. Without it RPCs are not checked. Default without
                             --url: dns:///127.0.0.1:50051
  --rpc-ca, --rpc-cert, --rpc-key FILE
                             PEM files for a connection with TLS
  --a-username NAME          the administrator of A; its password is in ISOLATION_A_PASSWORD or
  --a-password-file FILE     in this file
  --a-token-file FILE        an access token instead of username and password, also in ISOLATION_A_TOKEN
  --b-…                      the same options for B. Without any of them: the demo accounts of npm run dev
  --ignore-header NAME       a header whose value a proxy changes in every response; repeatable
  --json                     print all findings as JSON
  --help                     print this text

exit code: 0 all checks passed, 1 a check failed or an operation is not covered, 2 the check could not run
`;

/** A username with a password, or an access token. */
export type Credential = { readonly username: string; readonly password: string } | { readonly token: string };

export interface Options {
  readonly url: string;
  /** Undefined if RPCs are not checked. */
  readonly rpc: string | undefined;
  /** Paths of PEM files. */
  readonly tls: Readonly<Record<'ca' | 'cert' | 'key', string | undefined>>;
  readonly own: Credential;
  readonly other: Credential;
  readonly ignoredHeaders: readonly string[];
  readonly json: boolean;
}

interface Caller {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The folder to which paths are relative. */
  readonly callerFolder: string;
}

const DEV = { url: 'http://127.0.0.1:8080', rpc: 'dns:///127.0.0.1:50051' };
const text = { type: 'string' } as const;
const OPTIONS = {
  url: text,
  rpc: text,
  'rpc-ca': text,
  'rpc-cert': text,
  'rpc-key': text,
  'a-username': text,
  'a-password-file': text,
  'a-token-file': text,
  'b-username': text,
  'b-password-file': text,
  'b-token-file': text,
  'ignore-header': { type: 'string', multiple: true },
  json: { type: 'boolean' },
  help: { type: 'boolean' },
} as const;

type Values = ReturnType<typeof valuesOf>;

function valuesOf(argv: readonly string[]) {
  return parseArgs({ args: [...argv], options: OPTIONS }).values;
}

/** Parses the arguments. Returns `help` for --help. Throws if an argument is invalid or a credential is missing. */
export function readOptions(argv: readonly string[], caller: Caller): Options | 'help' {
  const values = valuesOf(argv);
  if (values.help === true) return 'help';
  const path = (name: 'rpc-ca' | 'rpc-cert' | 'rpc-key') => {
    const file = values[name];
    return file === undefined ? undefined : resolve(caller.callerFolder, file);
  };
  const credentials = { a: credentialOf('a', values, caller), b: credentialOf('b', values, caller) };
  const named = credentials.a ?? credentials.b;
  if (named !== undefined && (credentials.a === undefined || credentials.b === undefined)) {
    throw new Error(`tenant ${credentials.a === undefined ? 'A' : 'B'} has no credential`);
  }
  const url = values.url ?? DEV.url;
  if (!URL.canParse(url)) throw new Error(`--url is not a URL: ${url}`);
  return {
    url: url.replace(/\/+$/, ''),
    rpc: values.rpc ?? (values.url === undefined ? DEV.rpc : undefined),
    tls: { ca: path('rpc-ca'), cert: path('rpc-cert'), key: path('rpc-key') },
    own: credentials.a ?? demoAdministrator('acme'),
    other: credentials.b ?? demoAdministrator('globex'),
    ignoredHeaders: (values['ignore-header'] ?? []).map((name) => name.toLowerCase()),
    json: values.json === true,
  };
}

function credentialOf(side: 'a' | 'b', values: Values, { env, callerFolder }: Caller): Credential | undefined {
  const secret = (name: 'password' | 'token') => {
    const file = values[`${side}-${name}-file`];
    return file === undefined
      ? env[`ISOLATION_${side.toUpperCase()}_${name.toUpperCase()}`]
      : line(resolve(callerFolder, file));
  };
  const token = secret('token');
  if (token !== undefined) return { token };
  const username = values[`${side}-username`];
  const password = secret('password');
  if (username === undefined && password === undefined) return undefined;
  if (username === undefined) throw new Error(`--${side}-username is missing`);
  if (password === undefined) throw new Error(`the password of ${username} is missing`);
  return { username, password };
}

function demoAdministrator(tenant: string): Credential {
  return DEMO.logins.find((login) => login.tenant === tenant)!;
}

/** Reads a file without the newline at its end. */
function line(file: string): string {
  return readFileSync(file, 'utf8').replace(/\r?\n$/, '');
}
