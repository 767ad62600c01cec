// The limit of POST /auth/refresh: only the compare-and-set UPDATE, prepared, with as many connections as the service's pool. It
// uses its own rows in the service's table. `GET /?seconds=3` runs it and returns the number of updates.
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createConnection, type Connection, type ResultSetHeader } from 'mysql2';

const POOL_SIZE = 10;
const [uri, concurrency] = process.argv.slice(2) as [string, string];

const UPDATE = `UPDATE session_families
    SET generation = ?, verifier_hash = ?, refreshed_at = ?, idle_expires_at = ?, access_expires_at = ?
  WHERE tenant_id = ? AND id = ? AND generation = ? AND verifier_hash = ? AND revoked_at IS NULL AND idle_expires_at > ?`;

const TENANT = Buffer.from('limit');
const HASHES = [randomBytes(32), randomBytes(32)] as const;
const HOUR_MS = 3_600_000;

interface Session {
  readonly id: Buffer;
  readonly connection: Connection;
  generation: number;
}

async function createSession(connection: Connection): Promise<Session> {
  const id = randomBytes(16);
  const now = Date.now();
  await connection.promise().execute(
    `INSERT INTO session_families (tenant_id, id, account_id, selector, verifier_hash, generation, credential_form,
       remember_me, client_address, created_at, refreshed_at, idle_expires_at, access_expires_at)
     VALUES (?, ?, ?, ?, ?, 0, 'COOKIE', 1, '127.0.0.1', ?, ?, ?, ?)`,
    [TENANT, id, id, id, HASHES[0], now, now, now + HOUR_MS, now + HOUR_MS],
  );
  return { id, connection, generation: 0 };
}

/** Updates one session repeatedly until `endAt`. Resolves to the number of updates. */
function updateRepeatedly(session: Session, endAt: number): Promise<number> {
  return new Promise((resolve, reject) => {
    let count = 0;
    const step = () => {
      const now = Date.now();
      if (now >= endAt) return resolve(count);
      const { id, generation, connection } = session;
      const next = generation + 1;
      const set = [next, HASHES[next % 2]!, now, now + HOUR_MS, now + HOUR_MS];
      connection.execute<ResultSetHeader>(
        UPDATE,
        [...set, TENANT, id, generation, HASHES[generation % 2]!, now],
        (error, result) => {
          if (error || result.affectedRows !== 1) return reject(error ?? new Error('lost'));
          session.generation = next;
          count += 1;
          step();
        },
      );
    };
    step();
  });
}

const connections = Array.from({ length: POOL_SIZE }, () => createConnection({ uri, charset: 'utf8mb4_bin' }));
await Promise.all(
  connections.map((connection) => connection.promise().query('SET SESSION tx_isolation = "READ-COMMITTED"')),
);
const sessions = await Promise.all(
  Array.from({ length: Number(concurrency) }, (_, index) => createSession(connections[index % POOL_SIZE]!)),
);

async function run(seconds: number): Promise<{ requests: number; seconds: number }> {
  const began = performance.now();
  const endAt = Date.now() + seconds * 1000;
  const counts = await Promise.all(sessions.map((session) => updateRepeatedly(session, endAt)));
  const requests = counts.reduce((sum, count) => sum + count, 0);
  return { requests, seconds: (performance.now() - began) / 1000 };
}

const server = createServer((request, response) => {
  const seconds = Number(new URL(request.url!, 'http://localhost').searchParams.get('seconds'));
  run(seconds).then(
    (result) => response.end(JSON.stringify(result)),
    (error: Error) => response.writeHead(500).end(error.message),
  );
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`);
