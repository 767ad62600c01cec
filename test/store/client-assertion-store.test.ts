// A client assertion is used once, whichever process sees it first.
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CLIENT_ASSERTIONS_CLEANUP, createClaimAssertion } from '../../src/auth/oauth/tokens/client-assertion-store.ts';
import { UNLIMITED } from '../../src/platform/clock.ts';
import { newId } from '../../src/platform/db/ids.ts';
import { DependencyUnavailableError } from '../../src/platform/errors.ts';
import { cleanup } from '../../src/platform/jobs/cleanup.ts';
import { createTestDatabase, ENGINES, type TestDatabase } from '../support/databases.ts';

const CLAIMS = fileURLToPath(new URL('../support/claim-process.ts', import.meta.url));
const NOW = Date.UTC(2026, 0);
const MINUTE_MS = 60_000;
const run = promisify(execFile);

describe.each(ENGINES)('client assertions on %s', (engine) => {
  let own: TestDatabase;
  beforeAll(async () => {
    own = await createTestDatabase(engine);
  });
  afterAll(() => own?.drop());

  const claim = (applicationId: string, jti: string, expiresAt = NOW) =>
    createClaimAssertion(own.database)(applicationId, { jti, expiresAt }, UNLIMITED);

  it('are claimed once by an application', async () => {
    const application = newId();
    expect([await claim(application, 'a'), await claim(application, 'a'), await claim(application, 'A')]).toEqual([
      true,
      false,
      true,
    ]);
    expect(await claim(newId(), 'a')).toBe(true);
  });

  it('are claimed once by many calls of a process at the same time', async () => {
    const application = newId();
    const claims = await Promise.all(Array.from({ length: 40 }, (_, index) => claim(application, `${index % 4}`)));
    expect(claims.filter(Boolean)).toHaveLength(4);
  });

  it('are claimed once by two processes that race', async () => {
    const application = newId();
    const claimed = await Promise.all(
      [1, 2].map(async () => Number((await run(process.execPath, [CLAIMS, own.url, application, '50'])).stdout)),
    );
    expect(claimed[0]! + claimed[1]!).toBe(50);
  });

  it('are not claimed after the deadline, so that the client can send them again', async () => {
    const application = newId();
    const over = { at: 0, signal: AbortSignal.abort() };
    const late = createClaimAssertion(own.database)(application, { jti: 'a', expiresAt: NOW }, over);
    await expect(late).rejects.toBeInstanceOf(DependencyUnavailableError);
    expect(await claim(application, 'a')).toBe(true);
  });

  it('can be of any length', async () => {
    expect(await claim(newId(), '\u{10ffff}'.repeat(5_000))).toBe(true);
  });

  it('are kept a minute longer than they live, for machines with other clocks', async () => {
    const application = newId();
    await claim(application, 'a', NOW);
    const options = { database: own.database, targets: [CLIENT_ASSERTIONS_CLEANUP], pauseMs: 0 };
    await cleanup({ ...options, clock: () => NOW + MINUTE_MS - 1 });
    expect(await claim(application, 'a')).toBe(false);
    await cleanup({ ...options, clock: () => NOW + MINUTE_MS + 1 });
    expect(await claim(application, 'a')).toBe(true);
  });
});
