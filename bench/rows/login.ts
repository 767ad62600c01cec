import { UNLIMITED } from '../../src/platform/clock.ts';
import { newId } from '../../src/platform/db/ids.ts';
import type { Database } from '../../src/platform/db/types.ts';
import { insertAccount } from '../../src/auth/identity/account-store.ts';
import { createPasswordHasher } from '../../src/auth/identity/authentication/password-hasher.ts';
import type { Comparison } from '../compare.ts';
import { accountOf } from '../seed.ts';
import { startNode, wrkSide, type Requests, type Stand } from '../stand.ts';

const ACCOUNTS = 64;
/** More callers than cores, so that a hash always waits. */
const CALLERS = 4;
export const PASSWORD = 'correct-horse-battery-staple';

/** Compares logins with a server that only verifies the password. */
export async function loginComparisons(stand: Stand): Promise<Comparison[]> {
  const { engine, service, database, start } = stand;
  const title = `POST /auth/login, ${CALLERS} callers, ${engine}`;
  if (!stand.wants({ title })) return [];
  const hash = await hashOf(PASSWORD);
  const requests = await loginRequests(database, hash, CALLERS);
  const loop = await start(startNode('argon2-loop.ts', [hash, PASSWORD]));
  return [
    {
      title,
      aim: 0.98,
      subject: wrkSide('service', service, requests),
      limit: wrkSide('bare argon2', loop, requests),
    },
  ];
}

/** Creates accounts with a password, and returns logins of all of them in turn. */
export async function loginRequests(database: Database, hash: string, connections: number): Promise<Requests> {
  const lines: string[] = [];
  for (let index = 0; index < ACCOUNTS; index += 1) {
    const account = accountOf(newId(), Date.now());
    await insertAccount(database, account, hash);
    lines.push(`application/json\t\t${JSON.stringify({ username: account.username, password: PASSWORD })}`);
  }
  return { path: '/api/v1/auth/login', format: 'post', lines, connections };
}

/** Hashes a password like the service. */
export function hashOf(password: string): Promise<string> {
  const hasher = createPasswordHasher({ maxConcurrent: 1, maxQueued: 1, maxMemoryBytes: 2 ** 30 });
  return hasher.hash(password, { clientAddress: '127.0.0.1', deadline: UNLIMITED });
}
