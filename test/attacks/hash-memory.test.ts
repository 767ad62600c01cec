// Logins of imported users whose password hashes need much memory: the hashes that run at once share a bounded memory.
import { readFileSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { seedAccount } from '../support/accounts.ts';
import { createTestDatabase, type TestDatabase } from '../support/databases.ts';
import { restClient } from '../support/rest-client.ts';
import { endProcesses, SHOP_SETTINGS, startProgram, type ServiceProcess } from '../support/service-process.ts';

const USERS = 8;
const HASH_MB = 128;
const LIMIT_MB = 256;
const HASH = `$argon2id$v=19$m=${HASH_MB * 1024},p=1,t=1$c29tZXNhbHRzYWx0$RdescudvJCsgt3ub+b4dWRWJTmaaJObG`;

let test: TestDatabase;
let service: ServiceProcess;
let url: string;

beforeEach(async () => {
  test = await createTestDatabase('sqlite');
  for (let user = 0; user < USERS; user += 1)
    await seedAccount(test.database, { tenantId: 'acme', username: `user${user}@acme.test` });
  await test.database.execute('UPDATE accounts SET password_hash = ?', [HASH]);
  const settings = {
    ...SHOP_SETTINGS,
    'app.database.url': test.url,
    'app.security.password.max-concurrent-hashes': String(USERS),
    'app.security.password.max-hash-memory-bytes': String(LIMIT_MB * 1024 * 1024),
  };
  service = startProgram('gateway', { settings, env: { UV_THREADPOOL_SIZE: String(USERS) } });
  url = (await service.ready()).http;
});

afterEach(async () => {
  await endProcesses();
  await test?.drop();
});

/** In megabytes: now, or the most since the peak was reset. */
function memory(what: 'VmRSS' | 'VmHWM'): number {
  const [, kilobytes] = new RegExp(`${what}:\\s+(\\d+)`).exec(readFileSync(`/proc/${service.pid}/status`, 'utf8'))!;
  return Number(kilobytes) / 1024;
}

it(`the hashes of ${USERS} logins at once share ${LIMIT_MB} MiB`, async () => {
  const attempt = (user: number) =>
    restClient(url).login({ username: `user${user}@acme.test`, password: 'a wrong password' });
  expect((await attempt(0)).status).toBe(401);
  writeFileSync(`/proc/${service.pid}/clear_refs`, '5');
  const before = memory('VmRSS');
  const responses = await Promise.all(Array.from({ length: USERS }, (_, user) => attempt(user)));
  expect(responses.map(({ status }) => status)).toEqual(responses.map(() => 401));
  const growth = memory('VmHWM') - before;
  // Two hashes at once, not one after the other.
  expect(growth).toBeGreaterThan(HASH_MB);
  expect(growth).toBeLessThan(LIMIT_MB + 100);
});
