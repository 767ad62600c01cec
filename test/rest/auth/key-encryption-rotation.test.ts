// The key-encryption key is replaced in three steps, process by process, while sessions continue.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  RefreshTokenTransport,
  SessionServiceService,
} from '../../../proto/gen/authservice/session/v1/session_service.ts';
import { ACTIVATION_DELAY_MS } from '../../../src/auth/keys/rotation-schedule.ts';
import { createKeyEncryption } from '../../../src/auth/keys/key-encryption.ts';
import { findSecretKeys, findSigningKeys, KEY_CHAINS, type KeyChain } from '../../../src/auth/keys/key-store.ts';
import { signingKeyContext } from '../../../src/auth/keys/new-signing-key.ts';
import { seedAccount } from '../../support/accounts.ts';
import { createTestDatabase, ENGINES, type TestDatabase } from '../../support/databases.ts';
import { deploy, type Deployment } from '../../support/deployment.ts';
import { TEST_KEY_ENCRYPTION_KEY } from '../../support/key-encryption-key.ts';
import { restClient } from '../../support/rest-client.ts';
import { seedSession, seedTokens } from '../../support/sessions.ts';
import { testClock } from '../../support/clock.ts';

const { REFRESH_TOKEN_TRANSPORT_COOKIE: COOKIE, REFRESH_TOKEN_TRANSPORT_BODY: BODY } = RefreshTokenTransport;
const OLD = TEST_KEY_ENCRYPTION_KEY;
const NEW = Buffer.alloc(32, 8);
const WRONG = Buffer.alloc(32, 9);

const keys = (key: Buffer, ...others: Buffer[]) => ({
  'app.security.key-encryption-key': key.toString('base64'),
  'app.security.key-encryption-other-keys': others.map((other) => other.toString('base64')).join(',') || 'none',
});
const STEPS = [keys(OLD, NEW), keys(NEW, OLD), keys(NEW)];

describe.each(ENGINES)('the rotation of the key-encryption key on %s', (engine) => {
  const clock = testClock();
  let test: TestDatabase;
  const processes: Deployment[] = [];

  const start = (settings: Record<string, string>) =>
    deploy({ engine, transport: 'local', databaseUrl: test.url, clock, settings });
  beforeAll(async () => {
    test = await createTestDatabase(engine);
    processes.push(await start(keys(OLD)), await start(keys(OLD)));
  });
  afterAll(async () => {
    for (const deployment of processes) await deployment.close();
    await test?.drop();
  });

  /** The new process serves before the old one ends. */
  const restart = async (index: number, settings: Record<string, string>) => {
    const [before] = processes.splice(index, 1, await start(settings));
    await before!.close();
  };
  const signingKeysOf = async (chain: KeyChain) =>
    (await findSigningKeys(test.database, chain)).map(
      ({ kid, encryptedPrivateKey }) => [signingKeyContext(chain, kid), encryptedPrivateKey] as const,
    );
  const stored = async () => [
    ...(await Promise.all(KEY_CHAINS.map(signingKeysOf))).flat(),
    ...(await findSecretKeys(test.database)).map((key) => [`secret-key:${key.name}`, key.encrypted] as const),
  ];
  const opening = async (key: Buffer) => {
    const { reencrypt } = createKeyEncryption(key, [OLD, NEW]);
    return (await stored()).filter(([context, encrypted]) => reencrypt(encrypted, context) === undefined).length;
  };

  it('fails no request', async () => {
    const seeding = { database: test.database, clock };
    const sessions = [
      { form: COOKIE, ...(await seedSession(seeding, await seedAccount(test.database))) },
      { form: BODY, ...(await seedTokens(seeding, await seedAccount(test.database))) },
    ];
    const everybodyGoesOn = async () => {
      for (const session of sessions) {
        for (const { client, url } of processes) {
          const renewed = await client(SessionServiceService).refresh({
            refreshTokens: [session.credential],
            origin: 0,
            refreshTokenTransport: session.form,
          });
          session.credential = renewed.refreshCookie?.value ?? renewed.refreshToken!;
          for (const token of [session.accessToken, renewed.accessToken])
            expect((await restClient(url).me(token)).status).toBe(200);
          session.accessToken = renewed.accessToken;
        }
      }
    };
    await everybodyGoesOn();
    const count = (await stored()).length;
    // Two signing keys, and the secret keys of refresh tokens, passkeys and the like.
    expect(count).toBeGreaterThanOrEqual(6);
    for (const [step, settings] of STEPS.entries()) {
      for (const index of processes.keys()) {
        await restart(index, settings);
        await everybodyGoesOn();
      }
      expect([await opening(OLD), await opening(NEW)]).toEqual(step === 0 ? [count, 0] : [0, count]);
    }
  });

  it('stops a start without the current key, and changes nothing', async () => {
    const before = await stored();
    for (const settings of [keys(OLD), keys(WRONG), keys(WRONG, OLD)]) {
      await expect(start(settings)).rejects.toThrow(
        /encrypted with another app\.security\.key-encryption-key: start with the one that this database was set up with/,
      );
    }
    expect(await stored()).toEqual(before);
  });

  it('a signing key of a process in the first step signs at one in the second', async () => {
    const root = await seedAccount(test.database, { tenantId: undefined, roles: ['SUPER_ADMIN'] });
    const session = await seedSession({ database: test.database, clock }, root);
    const again = { from: NEW, to: WRONG };
    await restart(0, keys(again.from, again.to));
    await restart(1, keys(again.from, again.to));
    await restart(1, keys(again.to, again.from));
    const rotate = processes[0]!.client(SessionServiceService).rotateSigningKey;
    const { key } = await rotate({}, { authorization: [`Bearer ${session.accessToken}`] });
    clock.advance(ACTIVATION_DELAY_MS);
    const { accessToken } = (await restClient(processes[1]!.url).refresh(session.cookie)).body;
    expect(JSON.parse(Buffer.from(accessToken.split('.')[0], 'base64url').toString()).kid).toBe(key!.kid);
    await restart(0, keys(again.to, again.from));
    await restart(0, keys(again.to));
    expect((await restClient(processes[0]!.url).me(accessToken)).status).toBe(200);
  });
});
