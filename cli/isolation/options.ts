// The options of the command: the deployment and the two administrators.
import { readText } from '../../src/platform/read-text.ts';
import { DEMO } from '../../src/composition/bootstrap/demo.ts';
import type { Input, Values } from '../command.ts';
import { CommandFailure, EXIT } from '../failure.ts';

/** A username with a password, or an access token. */
export type Credential = { readonly username: string; readonly password: string } | { readonly token: string };

const DEV = { url: 'http://127.0.0.1:8080', rpc: 'dns:///127.0.0.1:50051' };

/** Returns the options. `rpc` is undefined if RPCs are not checked. Throws if an option is invalid or a credential is missing. */
export function readOptions({ values, terminal: { env } }: Pick<Input, 'values' | 'terminal'>) {
  const [own, other] = [credentialOf('a', values, env), credentialOf('b', values, env)];
  if ((own === undefined) !== (other === undefined))
    throw new CommandFailure(`tenant ${own === undefined ? 'A' : 'B'} has no credential`, EXIT.usage);
  const url = values.text('url') ?? DEV.url;
  if (!URL.canParse(url)) throw new CommandFailure(`--url is not a URL: ${url}`, EXIT.usage);
  const tls = { ca: values.path('rpcCa'), cert: values.path('rpcCert'), key: values.path('rpcKey') };
  return {
    url: url.replace(/\/+$/, ''),
    rpc: values.text('rpc') ?? (values.text('url') === undefined ? DEV.rpc : undefined),
    tls: tls.ca === undefined && tls.cert === undefined ? undefined : tls,
    own: own ?? demoAdministrator('acme'),
    other: other ?? demoAdministrator('globex'),
    ignoredHeaders: values.list('ignoreHeader').map((name) => name.toLowerCase()),
  };
}

function credentialOf(side: 'a' | 'b', values: Values, env: Input['terminal']['env']): Credential | undefined {
  const secret = (name: 'Password' | 'Token') => {
    const file = values.path(`${side}${name}File`);
    const variable = `ISOLATION_${side}_${name}`.toUpperCase();
    return file === undefined ? env[variable] : readText(file).replace(/\r?\n$/, '');
  };
  const [token, password] = [secret('Token'), secret('Password')];
  if (token !== undefined) return { token };
  const username = values.text(`${side}Username`);
  if (username === undefined && password === undefined) return undefined;
  if (username === undefined) throw new CommandFailure(`--${side}-username is missing`, EXIT.usage);
  if (password === undefined) throw new CommandFailure(`the password of ${username} is missing`, EXIT.usage);
  return { username, password };
}

function demoAdministrator(tenant: string): Credential {
  return DEMO.logins.find((login) => login.tenant === tenant)!;
}
