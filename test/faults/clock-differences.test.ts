// Replays and enrolments at services whose clocks differ by hours.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { idToBytes } from '../../src/platform/db/ids.ts';
import type { Account } from '../../src/auth/access/account.ts';
import { cleanup } from '../../src/platform/jobs/cleanup.ts';
import { SETTLED_ROTATIONS_CLEANUP } from '../../src/auth/session/rotation/settled-rotation-store.ts';
import { seedAccount } from '../support/accounts.ts';
import { createTestDatabase, SERVER_ENGINE, type TestDatabase } from '../support/databases.ts';
import { deploy, type Deployment } from '../support/deployment.ts';
import { restClient } from '../support/rest-client.ts';
import { CREDENTIALS } from '../support/factors.ts';
import { seedSession } from '../support/sessions.ts';
import { codeAt } from '../support/totp.ts';

const HOURS = 3_600_000;
const RETENTION_MS = 10 * 60_000;

describe(`two services on ${SERVER_ENGINE} whose clocks differ`, () => {
  let own: TestDatabase;
  let ahead: Deployment;
  let other: Deployment;
  let account: Account;

  beforeAll(async () => {
    own = await createTestDatabase(SERVER_ENGINE);
    ahead = await deploy({ engine: SERVER_ENGINE, transport: 'local', databaseUrl: own.url });
    other = await deploy({ engine: SERVER_ENGINE, transport: 'local', databaseUrl: own.url });
    account = await seedAccount(own.database);
    ahead.clock.advance(2 * HOURS);
  });
  afterAll(async () => {
    await ahead?.close();
    await other?.close();
    await own?.drop();
  });

  it('reject a replay after the cleanup of the service that is ahead', async () => {
    const { cookie } = await seedSession(other, account);
    expect((await restClient(ahead.url).refresh(cookie)).status).toBe(200);
    const batches = () => own.database.query('SELECT batch FROM settled_rotations');
    await expect.poll(batches).toHaveLength(1);
    ahead.clock.advance(RETENTION_MS + 1);
    await cleanup({ database: own.database, clock: ahead.clock.now, targets: [SETTLED_ROTATIONS_CLEANUP], pauseMs: 0 });
    expect(await batches()).toEqual([]);
    expect((await restClient(other.url).refresh(cookie)).status).toBe(401);
  });

  it('reject a replay of a token that the previous release exchanged before the clock was set back', async () => {
    const { id, cookie } = await seedSession(other, account);
    expect((await restClient(other.url).refresh(cookie)).status).toBe(200);
    await own.database.execute(
      'UPDATE session_families SET rotation_batch = NULL, rotation_batch_generation = NULL WHERE id = ?',
      [idToBytes(id)],
    );
    other.clock.advance(-1 * HOURS);
    expect((await restClient(other.url).refresh(cookie)).status).toBe(401);
  });

  it('complete an enrolment, which ends a session that the service ahead has opened', async () => {
    const settings = { 'app.security.second-factor': 'REQUIRED' };
    const strict = await deploy({ engine: SERVER_ENGINE, transport: 'local', databaseUrl: own.url, settings });
    try {
      const person = await seedAccount(own.database);
      const { id, cookie } = await seedSession(other, person);
      const later = `1${id.slice(1)}`;
      const move = 'UPDATE session_families SET id = ? WHERE id = ?';
      await own.database.execute(move, [idToBytes(later), idToBytes(id)]);
      const rest = restClient(strict.url);
      const { challenge } = (await rest.login(CREDENTIALS(person))).body;
      const path = '/api/v1/auth/second-factor';
      const { secret } = (await rest.postJson(`${path}/enrolment`, { challenge, method: 'totp' })).body;
      const completed = await rest.postJson(path, { challenge, totp: codeAt(secret, strict.clock.now()) });
      expect(completed.status).toBe(200);
      expect((await rest.me(completed.body.accessToken)).status).toBe(200);
      expect((await restClient(other.url).refresh(cookie)).status).toBe(401);
    } finally {
      await strict.close();
    }
  });
});
