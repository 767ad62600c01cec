// Parses database URLs, for the settings, which refuse an invalid one at once, and for connecting.

export interface SqliteUrl {
  readonly engine: 'sqlite';
  /** Path of the file, or `:memory:`. */
  readonly filename: string;
  /** The address for messages, without secrets. */
  readonly address: string;
}

interface MysqlHost {
  readonly host: string;
  readonly port: number;
}

export interface MysqlUrl {
  readonly engine: 'mysql';
  /** At least one, in order of preference. */
  readonly hosts: readonly MysqlHost[];
  /** A Unix socket instead of the hosts. */
  readonly socketPath: string | undefined;
  readonly user: string;
  readonly password: string;
  readonly database: string;
  /** Undefined means no TLS. */
  readonly tls: MysqlTls | undefined;
  readonly address: string;
}

export interface MysqlTls {
  /** Paths of PEM files. */
  readonly ca: string | undefined;
  readonly cert: string | undefined;
  readonly key: string | undefined;
  /** Whether the certificate must name the host. */
  readonly verifyIdentity: boolean;
}

/** The parameters of a MySQL URL. */
export const MYSQL_PARAMETERS = ['socketPath', 'ssl', 'ssl-ca', 'ssl-cert', 'ssl-key', 'ssl-verify-identity'] as const;
type Parameter = (typeof MYSQL_PARAMETERS)[number];
type Parameters = ReadonlyMap<Parameter, string>;

/**
 * Reads a database URL: `sqlite:PATH` (relative to the working directory), `sqlite::memory:`, or
 * `mysql://user:password@host:port,host:port/database?…` with the parameters `socketPath` (a Unix socket instead of host
 * and port), `ssl=true`, `ssl-ca`, `ssl-cert`, `ssl-key` (PEM files; each implies ssl) and `ssl-verify-identity=false` (the
 * certificate must be signed by a known CA but may name another host). Throws an Error with the reason, but
 * without the URL, because it contains the password.
 */
export function parseDatabaseUrl(text: string): SqliteUrl | MysqlUrl {
  const [, filename] = /^sqlite:(?!\/\/)([^\p{Cc}]+)$/u.exec(text) ?? [];
  if (filename !== undefined) return { engine: 'sqlite', filename, address: `SQLite ${filename}` };
  if (!text.startsWith('mysql://')) throw new Error('The database URL must start with mysql://, or be sqlite:PATH');
  return mysqlUrl(text);
}

function mysqlUrl(text: string): MysqlUrl {
  const [first, ...others] = urlsOfHosts(text);
  const url = first!;
  const [user, password, path] = [url.username, url.password, url.pathname].map(decoded) as [string, string, string];
  const database = path.slice(1);
  if (database === '')
    throw new Error('The database URL has no database name: mysql://user:password@host:port/database');
  if (url.pathname.slice(1).includes('/')) throw unreadable();
  const parameters = parametersOf(url.searchParams);
  const socketPath = parameters.get('socketPath');
  if (socketPath !== undefined && others.length > 0)
    throw new Error('Database URL parameter socketPath replaces the host; give one host');
  const hosts = [url, ...others].map(hostOf);
  const names = hosts.map(hostAddress);
  if (new Set(names).size < names.length) throw new Error('The database URL names a host twice');
  return {
    engine: 'mysql',
    hosts,
    socketPath,
    user,
    password,
    database,
    tls: tlsOf(parameters),
    address: `MySQL ${socketPath ?? names.join(',')}/${database}`,
  };
}

/** Returns the URL once per host, because a URL has only one. */
function urlsOfHosts(text: string): URL[] {
  if (/[\s\p{Cc}]/u.test(text)) throw unreadable();
  const [, login, hosts, rest] = /^mysql:\/\/([^/?#]*@)?([^/?#]*)(.*)$/.exec(text)! as unknown as string[];
  return hosts!.split(',').map((host) => {
    const url = URL.parse(`mysql://${login ?? ''}${host}${rest}`);
    if (url === null || url.hostname === '' || url.hash !== '') throw unreadable();
    return url;
  });
}

function hostOf({ hostname, port }: URL): MysqlHost {
  return { host: hostname.replace(/^\[(.*)\]$/, '$1'), port: Number(port || 3306) };
}

/** Returns `host:port`, for messages. */
export function hostAddress({ host, port }: MysqlHost): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}

function parametersOf(search: URLSearchParams): Parameters {
  const parameters = new Map<Parameter, string>();
  for (const [key, value] of search) {
    const known = MYSQL_PARAMETERS.find((name) => name === key);
    if (!known) throw new Error(`Unknown database URL parameter ${key}; known are ${MYSQL_PARAMETERS.join(', ')}`);
    if (parameters.has(known)) throw new Error(`Database URL parameter ${known} is given twice`);
    if (value === '') throw new Error(`Database URL parameter ${known} is empty`);
    parameters.set(known, value);
  }
  return parameters;
}

function tlsOf(parameters: Parameters): MysqlTls | undefined {
  const [ca, cert, key] = (['ssl-ca', 'ssl-cert', 'ssl-key'] as const).map((name) => parameters.get(name));
  const verifyIdentity = readFlag(parameters, 'ssl-verify-identity', true);
  return readFlag(parameters, 'ssl', Boolean(ca ?? cert ?? key)) ? { ca, cert, key, verifyIdentity } : undefined;
}

function readFlag(parameters: Parameters, name: Parameter, fallback: boolean): boolean {
  const value = parameters.get(name);
  if (value === undefined) return fallback;
  if (value !== 'true' && value !== 'false') throw new Error(`Database URL parameter ${name} must be true or false`);
  return value === 'true';
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw unreadable();
  }
}

function unreadable(): Error {
  return new Error('The database URL cannot be parsed; percent-encode special characters');
}
