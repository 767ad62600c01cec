// The limit of POST /auth/refresh on SQLite: only the compare-and-set UPDATE, prepared, each with its own durable commit. It uses a
// copy of the service's table in a file of its own. `GET /?seconds=3` runs it and returns the number of updates.
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { DatabaseSync } from 'node:sqlite';

const db = new DatabaseSync('raw-update.db');
db.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
  CREATE TABLE session_families (tenant_id BLOB, id BLOB, generation INTEGER, verifier_hash BLOB, refreshed_at INTEGER,
    idle_expires_at INTEGER, access_expires_at INTEGER, revoked_at INTEGER, PRIMARY KEY (tenant_id, id));
  CREATE INDEX by_expiry ON session_families (idle_expires_at)`);
const TENANT = Buffer.from('limit');
const ID = randomBytes(16);
const HASHES = [randomBytes(32), randomBytes(32)] as const;
const HOUR_MS = 3_600_000;
db.prepare('INSERT INTO session_families VALUES (?, ?, 0, ?, 0, ?, 0, NULL)').run(
  TENANT,
  ID,
  HASHES[0],
  Date.now() + HOUR_MS,
);
const update = db.prepare(`UPDATE session_families
    SET generation = ?, verifier_hash = ?, refreshed_at = ?, idle_expires_at = ?, access_expires_at = ?
  WHERE tenant_id = ? AND id = ? AND generation = ? AND verifier_hash = ? AND revoked_at IS NULL AND idle_expires_at > ?`);
let generation = 0;

function run(seconds: number): { requests: number; seconds: number } {
  const began = performance.now();
  let requests = 0;
  for (let now = Date.now(), endsAt = now + seconds * 1000; now < endsAt; now = Date.now()) {
    const next = generation + 1;
    const set = [next, HASHES[next % 2]!, now, now + HOUR_MS, now + HOUR_MS];
    const { changes } = update.run(...set, TENANT, ID, generation, HASHES[generation % 2]!, now);
    if (changes !== 1) throw new Error('lost');
    generation = next;
    requests += 1;
  }
  return { requests, seconds: (performance.now() - began) / 1000 };
}

const server = createServer((request, response) => {
  const seconds = Number(new URL(request.url!, 'http://localhost').searchParams.get('seconds'));
  response.end(JSON.stringify(run(seconds)));
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`);
