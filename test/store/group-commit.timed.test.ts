// Writes that share a commit, on a server that does not respond: the limits of statements are those of real time.
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { expect, it } from 'vitest';
import { UNLIMITED } from '../../src/platform/clock.ts';
import { connectDatabase } from '../../src/platform/db/connect.ts';
import { idToBytes, newId } from '../../src/platform/db/ids.ts';
import type { Insertion } from '../../src/platform/db/types.ts';
import { DependencyUnavailableError } from '../../src/platform/errors.ts';
import { privateServer } from '../support/databases.ts';
import { inMs } from '../support/deadlines.ts';

const log = pino({ level: 'silent' });

const rowOf = (id: string): Insertion => ({
  into: 'token_blacklist (id, expires_at)',
  row: 'VALUES (?, ?)',
  values: [idToBytes(id), 1],
});

it('no write of a group is repeated, and none is stored when the server responds again', async () => {
  const server = await privateServer();
  const db = connectDatabase({ url: server.url, poolSize: 4, log });
  try {
    await db.insert(rowOf(newId()), UNLIMITED);
    await server.freeze();
    const writes = Array.from({ length: 5 }, () => db.insert(rowOf(newId()), inMs(4_000)));
    for (const outcome of await Promise.allSettled(writes)) {
      expect(outcome).toMatchObject({ status: 'rejected', reason: expect.any(DependencyUnavailableError) });
    }
    server.thaw();
    await sleep(1_000);
    expect(await db.query('SELECT id FROM token_blacklist')).toHaveLength(1);
  } finally {
    server.thaw();
    await db.close();
    await server.stop();
  }
});
