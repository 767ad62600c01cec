// Refusals of a second factor under minimal disclosure: all are the one of a wrong password.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { idToBytes } from '../../../src/platform/db/ids.ts';
import { rememberPasswords } from '../../support/argon2.ts';
import { deploy, ON_SQLITE, type Deployment } from '../../support/deployment.ts';
import { CREDENTIALS, PROFILES, seedTotp, wrongCode, type TotpOwner } from '../../support/factors.ts';
import { restClient, type RestClient, type RestResponse } from '../../support/rest-client.ts';

rememberPasswords();

const PATH = '/api/v1/auth/second-factor';
/** More than the other tests of this file need. */
const POINTS = 30;
const CASES = PROFILES.flatMap((profile) => ON_SQLITE.map((kind) => ({ ...kind, ...profile })));

describe.each(CASES)('Profile $profile, $engine over $transport', (kind) => {
  const { settings, recoveryCode, errorOf, error } = kind;
  let deployment: Deployment;
  let rest: RestClient;
  beforeAll(async () => {
    const minimal = {
      'app.api.error-disclosure.mode': 'minimal',
      'app.security.login.rate-limit.store': 'memory',
      'app.security.login.rate-limit.points': String(POINTS),
    };
    deployment = await deploy({ ...kind, settings: { ...settings, ...minimal } });
    rest = restClient(deployment.url);
  });
  afterAll(() => deployment?.close());

  const complete = (body: object) => rest.postJson(PATH, body);
  const challengeOf = async ({ account }: TotpOwner) => (await rest.login(CREDENTIALS(account))).body.challenge;
  /** What a client sees of a refusal, without the parts that differ between all responses. */
  const seen = ({ status, headers, body }: RestResponse) => ({
    status,
    headers: [...headers].filter(([name]) => !['date', 'x-request-id'].includes(name)),
    body: { ...body, timestamp: undefined },
  });

  it('answers every refusal alike, and like that of a wrong password', async () => {
    const owner = await seedTotp(deployment);
    const [used, expired, disabled] = [await challengeOf(owner), await challengeOf(owner), await challengeOf(owner)];
    expect((await complete({ challenge: used, totp: owner.code() })).status).toBe(200);
    const refusals = [
      await complete({ challenge: 'garbage', totp: '123456' }),
      await complete({ challenge: used, totp: owner.code(1) }),
      await complete({ challenge: await challengeOf(owner), totp: wrongCode(owner) }),
      await complete({ challenge: await challengeOf(owner), totp: owner.code() }),
      await complete({ challenge: await challengeOf(owner), [recoveryCode]: 'nonsense' }),
    ];
    const update = 'UPDATE accounts SET disabled = 1 WHERE id = ?';
    await deployment.database.execute(update, [idToBytes(owner.account.id)]);
    refusals.push(await complete({ challenge: disabled, totp: owner.code(1) }));
    deployment.clock.advance(300_000);
    refusals.push(await complete({ challenge: expired, totp: owner.code() }));
    for (const response of refusals) {
      expect([response.status, errorOf(response)]).toEqual([401, error('bad-credentials')]);
      expect(seen(response)).toEqual(seen(refusals[0]!));
    }
    const wrong = await rest.login({ username: owner.account.username, password: 'wrong' });
    expect({ ...seen(wrong).body, instance: undefined, path: undefined }).toEqual({
      ...seen(refusals[0]!).body,
      instance: undefined,
      path: undefined,
    });
    const enrolment = await rest.postJson(`${PATH}/enrolment`, { challenge: 'garbage', method: 'totp' });
    expect([enrolment.status, errorOf(enrolment)]).toEqual([401, error('bad-credentials')]);
  });

  it('shows the lock of the codes, with the time to wait', async () => {
    const owner = await seedTotp(deployment);
    const challenge = await challengeOf(owner);
    for (let count = 0; count < 5; count += 1) await complete({ challenge, totp: wrongCode(owner) });
    const locked = await complete({ challenge: await challengeOf(owner), totp: owner.code() });
    expect([locked.status, errorOf(locked)]).toEqual([423, error('second-factor-locked')]);
    expect(locked.headers.get('retry-after')).toBe('900');
  });

  it('counts refusals as failed logins of the network', async () => {
    const answers: number[] = [];
    for (let count = 0; count <= POINTS; count += 1)
      answers.push((await complete({ challenge: 'garbage', totp: '123456' })).status);
    expect(answers.at(-1)).toBe(429);
    const owner = await seedTotp(deployment);
    expect((await rest.login(CREDENTIALS(owner.account))).status).toBe(429);
  });
});
