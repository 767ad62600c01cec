// A key rotation under load on two processes: neither callers nor offline verifiers with a cached key set notice it.
import { createLocalJWKSet, decodeJwt, decodeProtectedHeader, jwtVerify } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SessionServiceService } from '../../../proto/gen/authservice/session/v1/session_service.ts';
import { KEY_SET_MAX_AGE_MS, ACTIVATION_DELAY_MS } from '../../../src/auth/keys/rotation-schedule.ts';
import { seedAccount } from '../../support/accounts.ts';
import { SERVER_ENGINE } from '../../support/databases.ts';
import { deploy, type Deployment } from '../../support/deployment.ts';
import { restClient, sessionOf } from '../../support/rest-client.ts';
import { seedSession } from '../../support/sessions.ts';

const WORKERS = 2;
const STEP_MS = 100_000;
/** From the rotation until the old key has gone, and a while longer. */
const STEPS = Math.ceil((ACTIVATION_DELAY_MS + 900_000 + 60_000) / STEP_MS) + 2;

describe('a rotation of the signing key', () => {
  let processes: readonly [Deployment, Deployment];

  beforeAll(async () => {
    const kind = { engine: SERVER_ENGINE, transport: 'grpc' } as const;
    const first = await deploy(kind);
    processes = [first, await deploy({ ...kind, databaseUrl: first.databaseUrl, clock: first.clock })];
  });
  afterAll(async () => {
    for (const deployment of processes?.toReversed() ?? []) await deployment.close();
  });

  /** Verifies by the key set of one process, which it keeps as long as it may. */
  function offlineVerifier({ url, clock }: Deployment) {
    let cached: { keys: ReturnType<typeof createLocalJWKSet>; until: number } | undefined;
    return async (token: string) => {
      if (!cached || clock.now() >= cached.until) {
        const until = clock.now() + KEY_SET_MAX_AGE_MS;
        const { body } = await restClient(url).send('GET', '/.well-known/jwks.json');
        cached = { keys: createLocalJWKSet(body), until };
      }
      await jwtVerify(token, cached.keys, { currentDate: new Date(clock.now()) });
    };
  }

  it('fails no request, and caches contain each key before it signs', async () => {
    const { clock, database, client } = processes[0];
    const outcomes = new Map<string, number>();
    const count = (outcome: string) => void outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    const kids = new Set<string>();
    const verifiers = processes.map(offlineVerifier);
    const rounds = Array<number>(WORKERS).fill(0);
    let turned = Promise.withResolvers<void>();
    let ended = false;

    const worker = async (index: number): Promise<void> => {
      const clients = processes.map(({ url }) => restClient(url));
      let { cookie, accessToken } = await seedSession(processes[0], await seedAccount(database));
      const tokens: string[] = [];
      for (let round = index; !ended; round += 1) {
        const [here, there] = [clients[round % 2]!, clients[(round + 1) % 2]!];
        const renewed = await here.refresh(cookie);
        count(`refresh ${renewed.status}`);
        ({ cookie, accessToken } = sessionOf(renewed));
        tokens.push(accessToken);
        kids.add(decodeProtectedHeader(accessToken).kid!);
        // The oldest that lasts for this round, too.
        while (decodeJwt(tokens[0]!).exp! * 1000 <= clock.now() + 2 * STEP_MS) tokens.shift();
        for (const token of [accessToken, tokens[0]!]) {
          count(`me ${(await there.me(token)).status}`);
          for (const verify of verifiers) {
            await verify(token).then(
              () => count('verified'),
              (error: Error) => count(error.message),
            );
          }
        }
        rounds[index]! += 1;
        turned.resolve();
      }
    };
    /** Until every worker has ended a round that it began after this. */
    const everybodyTurned = async () => {
      const wanted = rounds.map((round) => round + 2);
      while (rounds.some((round, index) => round < wanted[index]!)) {
        turned = Promise.withResolvers();
        await turned.promise;
      }
    };

    const work = Promise.all(rounds.map((_, index) => worker(index)));
    work.catch(turned.reject);
    await Promise.race([work, everybodyTurned()]);
    const root = await seedAccount(database, { tenantId: undefined, roles: ['SUPER_ADMIN'] });
    const { accessToken } = await seedSession(processes[0], root);
    const authorization = [`Bearer ${accessToken}`];
    const { key } = await client(SessionServiceService).rotateSigningKey({}, { authorization });
    for (let step = 0; step < STEPS; step += 1) {
      clock.advance(STEP_MS);
      await Promise.race([work, everybodyTurned()]);
    }
    ended = true;
    await work;

    expect([...outcomes.keys()].toSorted()).toEqual(['me 200', 'refresh 200', 'verified']);
    expect(kids.size).toBe(2);
    for (const { url } of processes) {
      const { body } = await restClient(url).send('GET', '/.well-known/jwks.json');
      const ofAccessTokens = body.keys.filter(({ alg }: { alg: string }) => alg === 'ES256');
      expect(ofAccessTokens.map(({ kid }: { kid: string }) => kid)).toEqual([key!.kid]);
    }
  });
});
