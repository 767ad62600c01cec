import { readFileSync } from 'node:fs';
import type { ConnectionOptions, SslOptions } from 'mysql2';
import type { MysqlTls, MysqlUrl } from '../database-url.ts';

export interface MysqlTarget {
  readonly connection: ConnectionOptions;
  /** The address for messages, without secrets. */
  readonly address: string;
}

/** Returns mysql2's connection options for a URL. Throws an Error that names a PEM file that cannot be read. */
export function mysqlTarget({ host, port, socketPath, user, password, database, tls, address }: MysqlUrl): MysqlTarget {
  return {
    connection: {
      ...(socketPath === undefined ? { host, port } : { socketPath }),
      user,
      password,
      database,
      ...(tls && { ssl: sslOptions(tls) }),
    },
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
    return readFileSync(path, 'utf8');
  } catch (cause) {
    throw new Error(`The file of database URL parameter ${parameter} cannot be read: ${path}`, { cause });
  }
}
