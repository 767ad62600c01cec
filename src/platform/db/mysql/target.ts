import { readFileSync } from 'node:fs';
import type { ConnectionOptions, SslOptions } from 'mysql2';
import { SettingError } from '../../setting-error.ts';
import { hostAddress, type MysqlTls, type MysqlUrl } from '../database-url.ts';

/** One server. */
export interface HostTarget {
  readonly connection: ConnectionOptions;
  /** The address for messages, without secrets. */
  readonly address: string;
}

export interface MysqlTarget {
  /** At least one, in order of preference. */
  readonly hosts: readonly HostTarget[];
  /** The addresses for messages, without secrets. */
  readonly address: string;
}

/** Returns mysql2's connection options for a URL. Throws an Error that names a PEM file that cannot be read. */
export function mysqlTarget({ hosts, socketPath, user, password, database, tls, address }: MysqlUrl): MysqlTarget {
  const common = { user, password, database, ...(tls && { ssl: sslOptions(tls) }) };
  if (socketPath !== undefined) return { hosts: [{ connection: { socketPath, ...common }, address }], address };
  return {
    hosts: hosts.map(({ host, port }) => ({
      connection: { host, port, ...common },
      address: `MySQL ${hostAddress({ host, port })}/${database}`,
    })),
    address,
  };
}

function sslOptions({ ca, cert, key, verifyIdentity }: MysqlTls): SslOptions {
  return {
    rejectUnauthorized: true,
    verifyIdentity,
    minVersion: 'TLSv1.2',
    ...(ca !== undefined && { ca: readPem('ssl-ca', ca) }),
    ...(cert !== undefined && { cert: readPem('ssl-cert', cert) }),
    ...(key !== undefined && { key: readPem('ssl-key', key) }),
  };
}

function readPem(parameter: string, path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch (cause) {
    throw new SettingError(`The file of database URL parameter ${parameter} cannot be read: ${path}`, { cause });
  }
}
