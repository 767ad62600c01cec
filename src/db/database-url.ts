import { readFileSync } from 'node:fs';
import type { ConnectionOptions, SslOptions } from 'mysql2';

export interface SqliteTarget {
  readonly engine: 'sqlite';
  /** Path of the file, or `:memory:`. */
  readonly filename: string;
  /** For people: what is waited for, without secrets. */
  readonly address: string;
}

export interface MysqlTarget {
  readonly engine: 'mysql';
  readonly connection: ConnectionOptions;
  readonly address: string;
}

const PARAMETERS = ['socketPath', 'ssl', 'ssl-ca', 'ssl-cert', 'ssl-key', 'ssl-verify-identity'] as const;
type Parameter = (typeof PARAMETERS)[number];

/**
 * Reads a database URL: `sqlite:PATH` (relative to the working directory), `sqlite::memory:`, or
 * `mysql://user:password@host:port/database?…` with the parameters `socketPath` (a Unix socket instead of host and
 * port), `ssl=true`, `ssl-ca`, `ssl-cert`, `ssl-key` (PEM files; each implies ssl) and `ssl-verify-identity=false` (the
 * certificate must be signed by a known CA but may name another host). Throws an Error that names what is wrong and
 * never shows the URL itself, because it holds the password.
 */
export function parseDatabaseUrl(text: string): SqliteTarget | MysqlTarget {
  if (text.startsWith('sqlite:') && text.length > 'sqlite:'.length) {
    const filename = text.slice('sqlite:'.length);
    return { engine: 'sqlite', filename, address: `SQLite ${filename}` };
  }
  if (!text.startsWith('mysql://')) throw new Error('The database URL must start with sqlite: or mysql://');
  if (!URL.canParse(text)) throw new Error('The database URL cannot be parsed; percent-encode special characters');
  return mysqlTarget(new URL(text));
}

function mysqlTarget(url: URL): MysqlTarget {
  const database = decodeURIComponent(url.pathname.slice(1));
  if (!database) throw new Error('The database URL names no database: mysql://user:password@host:port/database');
  const parameters = readParameters(url.searchParams);
  const socketPath = parameters.get('socketPath');
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1') || 'localhost';
  const port = Number(url.port || 3306);
  const ssl = sslOptions(parameters);
  return {
    engine: 'mysql',
    connection: {
      ...(socketPath === undefined ? { host, port } : { socketPath }),
      user: decodeURIComponent(url.username),
      password: decodeURIComponent(url.password),
      database,
      ...(ssl && { ssl }),
    },
    address: `MySQL ${socketPath ?? url.host}/${database}`,
  };
}

function readParameters(search: URLSearchParams): Map<Parameter, string> {
  const parameters = new Map<Parameter, string>();
  for (const [key, value] of search) {
    const known = PARAMETERS.find((name) => name === key);
    if (!known) throw new Error(`Unknown database URL parameter ${key}; known are ${PARAMETERS.join(', ')}`);
    parameters.set(known, value);
  }
  return parameters;
}

function sslOptions(parameters: Map<Parameter, string>): SslOptions | undefined {
  const ca = readPem(parameters, 'ssl-ca');
  const cert = readPem(parameters, 'ssl-cert');
  const key = readPem(parameters, 'ssl-key');
  const wanted = readFlag(parameters, 'ssl', Boolean(ca ?? cert ?? key));
  if (!wanted) return undefined;
  return {
    rejectUnauthorized: true,
    verifyIdentity: readFlag(parameters, 'ssl-verify-identity', true),
    minVersion: 'TLSv1.2',
    ...(ca && { ca }),
    ...(cert && { cert }),
    ...(key && { key }),
  };
}

function readFlag(parameters: Map<Parameter, string>, name: Parameter, fallback: boolean): boolean {
  const value = parameters.get(name);
  if (value === undefined) return fallback;
  if (value !== 'true' && value !== 'false') throw new Error(`Database URL parameter ${name} must be true or false`);
  return value === 'true';
}

function readPem(parameters: Map<Parameter, string>, name: Parameter): string | undefined {
  const path = parameters.get(name);
  if (path === undefined) return undefined;
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    throw new Error(`The file of database URL parameter ${name} cannot be read: ${path}`, { cause });
  }
}
