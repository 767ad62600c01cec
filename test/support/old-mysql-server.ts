// A fake MySQL server that returns its version and rejects other statements.
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import mysql from 'mysql2';

// What mysql2's types leave out of its server's side of a connection.
interface ServerSide {
  /** Of the next packet; each response begins at 1, each statement at 0. */
  sequenceId: number;
  on(event: 'query' | 'stmt_prepare', listener: (sql: string) => void): void;
  on(event: 'error', listener: () => void): void;
  serverHandshake(options: object): void;
  writeOk(): void;
  writeTextResult(rows: object[], columns: object[]): void;
  writeError(error: { message: string; code: number }): void;
}

const VAR_STRING = 253;
const UTF8 = 33;

/** Listens on a free port. The URL contains the name of a database. */
export async function startOldServer(version: string): Promise<{ readonly url: string; stop(): void }> {
  const columns = ['version', 'earlier', 'later'].map((name) => ({
    catalog: 'def',
    schema: '',
    table: '',
    orgTable: '',
    name,
    orgName: name,
    characterSet: UTF8,
    columnLength: 100,
    columnType: VAR_STRING,
    flags: 0,
    decimals: 0,
  }));
  const row = { version, earlier: '1', later: '2' };
  const server = createServer((stream) => {
    const connection = mysql.createConnection({ isServer: true, stream } as object) as unknown as ServerSide;
    connection.on('error', () => {});
    // mysql2 takes SET for the preparation of a statement.
    connection.on('stmt_prepare', () => {
      connection.sequenceId = 1;
      connection.writeOk();
      connection.sequenceId = 0;
    });
    connection.on('query', (sql) => {
      connection.sequenceId = 1;
      if (sql.includes('VERSION()')) connection.writeTextResult([row], columns);
      else if (sql.startsWith('SHOW') || sql.includes('engines')) connection.writeTextResult([], columns);
      else connection.writeError({ message: 'unknown statement', code: 1064 });
      connection.sequenceId = 0;
    });
    const hello = { protocolVersion: 10, serverVersion: version, connectionId: 1, statusFlags: 2 };
    const authCallback = (_login: unknown, accept: (failure: null) => void) => {
      accept(null);
      connection.sequenceId = 0;
    };
    connection.serverHandshake({ ...hello, characterSet: UTF8, capabilityFlags: 0x00_ff_ff_ff & ~0x800, authCallback });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { url: `mysql://root@127.0.0.1:${port}/shop`, stop: () => void server.close() };
}
