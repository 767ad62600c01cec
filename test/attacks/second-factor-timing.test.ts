// Under minimal disclosure, the refusals of a second factor look and last alike, so they do not show whether a code was right once,
// or of which kind a challenge is.
//
// Refusals of codes are compared with each other, and so are refusals of challenges. Codes can take longer than challenges, because a
// wrong one is counted in a commit before it is refused. That shows only that the challenge is open, which its holder knows.
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { forgetWrongCodes } from '../../src/auth/factors/factor-store.ts';
import { newId } from '../../src/platform/db/ids.ts';
import { ENGINES } from '../support/databases.ts';
import { deploy, type Deployment } from '../support/deployment.ts';
import { seedTotp, wrongCode, type TotpOwner } from '../support/factors.ts';
import { seedChallenge } from '../support/login-challenges.ts';
import { findLeaks, openConnection, type TimedResponse } from './timing/measure.ts';

const ROUNDS = 60;
const WARM_UP_ROUNDS = 10;
const PATH = '/api/v1/auth/second-factor';

describe.each(ENGINES)('on %s', (engine) => {
  let deployment: Deployment;
  let owner: TotpOwner;
  let usedChallenge: string;
  let expiredChallenge: string;
  let connection: ReturnType<typeof openConnection>;

  beforeAll(async () => {
    deployment = await deploy({
      engine,
      transport: 'local',
      settings: { 'app.api.error-disclosure.mode': 'minimal', 'app.security.login.rate-limit.points': '1000000' },
    });
    connection = openConnection(deployment.url);
    owner = await seedTotp(deployment);
    expiredChallenge = await seedChallenge(deployment, owner.account);
    deployment.clock.advance(300_000);
    usedChallenge = await seedChallenge(deployment, owner.account);
    await send({ challenge: usedChallenge, totp: owner.code() });
    const challenge = await seedChallenge(deployment, owner.account);
    await send({ challenge, recoveryCode: owner.recoveryCodes[0] });
  });
  afterAll(async () => {
    connection?.close();
    await deployment?.close();
  });

  const send = (body: object): Promise<TimedResponse> =>
    connection.send({
      method: 'POST',
      path: PATH,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });

  async function refused(body: object): Promise<TimedResponse> {
    const response = await send(body);
    expect(response.shape).toMatch(/^\[401,/);
    return response;
  }

  /** Opens a challenge whose account has no wrong codes. */
  async function openChallenge(): Promise<string> {
    await forgetWrongCodes(deployment.database, owner.account);
    return seedChallenge(deployment, owner.account);
  }

  const KINDS = {
    codes: {
      'wrong TOTP': async () => ({ challenge: await openChallenge(), totp: wrongCode(owner) }),
      'used TOTP': async () => ({ challenge: await openChallenge(), totp: owner.code() }),
      'wrong recovery code': async () => ({ challenge: await openChallenge(), recoveryCode: 'AAAA-AAAA-AAAA-AAAA' }),
      'used recovery code': async () => ({ challenge: await openChallenge(), recoveryCode: owner.recoveryCodes[0] }),
      'no recovery code': async () => ({ challenge: await openChallenge(), recoveryCode: 'nonsense' }),
    },
    challenges: {
      unknown: async () => ({
        challenge: `${newId()}.${randomBytes(32).toString('base64url')}`,
        totp: wrongCode(owner),
      }),
      malformed: async () => ({ challenge: 'nonsense', totp: wrongCode(owner) }),
      used: async () => ({ challenge: usedChallenge, totp: wrongCode(owner) }),
      expired: async () => ({ challenge: expiredChallenge, totp: wrongCode(owner) }),
      'of another secret': async () => ({
        challenge: `${usedChallenge.split('.')[0]}.${randomBytes(32).toString('base64url')}`,
        totp: wrongCode(owner),
      }),
    },
  } as const;

  it.each(['codes', 'challenges'] as const)('refusals of %s look alike and take equally long', async (group) => {
    const bodies: Readonly<Record<string, () => Promise<object>>> = KINDS[group];
    const rounds = { warmUpRounds: WARM_UP_ROUNDS, rounds: ROUNDS };
    expect(await findLeaks(Object.keys(bodies), rounds, async (kind) => refused(await bodies[kind]!()))).toEqual([]);
  });
});
