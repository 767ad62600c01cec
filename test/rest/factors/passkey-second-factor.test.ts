// A passkey as the second factor of a login, and one that a login has to create.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { idToBytes } from '../../../src/platform/db/ids.ts';
import { PASSWORD, seedAccount, type Seed } from '../../support/accounts.ts';
import { rememberPasswords } from '../../support/argon2.ts';
import { createAuthenticator, type Authenticator, type Ceremony } from '../../support/authenticator.ts';
import { deploy, DIAGONAL, type Deployment, type DeploymentOptions } from '../../support/deployment.ts';
import { addPasskey, ORIGIN, PASSKEYS } from '../../support/passkeys.ts';
import { problem } from '../../support/problems.ts';
import { restClient, type RestClient } from '../../support/rest-client.ts';
import { signIn } from '../../support/sessions.ts';
import { clientsOf } from '../../support/world.ts';

rememberPasswords();

const ANSWER = '/api/v1/auth/second-factor';
const OPTIONS = `${ANSWER}/passkey-options`;
const ENROLMENT = `${ANSWER}/enrolment`;
const REQUIRED = { 'app.security.second-factor': 'REQUIRED' };
const INVALID = problem(401, 'second-factor-invalid', ANSWER);

const newAuthenticator = () => createAuthenticator({ origin: ORIGIN });

function claimsOf(token: string): Readonly<Record<string, unknown>> {
  return JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString()) as Readonly<Record<string, unknown>>;
}

function openService(options: DeploymentOptions) {
  const opened = {} as { deployment: Deployment; rest: RestClient };
  beforeAll(async () => {
    opened.deployment = await deploy({ ...options, settings: { ...PASSKEYS, ...options.settings } });
    opened.rest = restClient(opened.deployment.url);
  });
  afterAll(() => opened.deployment?.close());

  async function user(authenticator = newAuthenticator(), seed: Seed = {}) {
    const account = await seedAccount(opened.deployment.database, seed);
    const as = await signIn(opened.deployment, account);
    const { recoveryCodes } = await addPasskey(clientsOf(opened.deployment), as, authenticator);
    return { account, authenticator, recoveryCodes };
  }

  const post = (path: string, body: object, origin = ORIGIN) => opened.rest.postJson(path, body, { origin });
  const logIn = (username: string) => post('/api/v1/auth/login', { username, password: PASSWORD });

  /** Logs in with the password. Returns the challenge and the options to answer it with a passkey. */
  async function start(username: string) {
    const { challenge } = (await logIn(username)).body;
    return { challenge, options: (await post(OPTIONS, { challenge })).body.options };
  }

  return { opened, user, post, logIn, start };
}

describe.each(DIAGONAL)('a passkey as the second factor ($engine, $transport)', (kind) => {
  const { user, post, logIn, start, opened } = openService(kind);

  const answer = async (username: string, authenticator: Authenticator, ceremony: Ceremony = {}) => {
    const { challenge, options } = await start(username);
    return post(ANSWER, { challenge, passkey: authenticator.get(options, ceremony) });
  };

  it.each([
    [{}, ['pwd', 'hwk', 'user', 'mfa']],
    [{ userVerified: false }, ['pwd', 'hwk', 'mfa']],
  ])('with %j opens a session with amr %j', async (ceremony, amr) => {
    const { account, authenticator } = await user();
    const challenged = await logIn(account.username);
    expect([challenged.status, challenged.body.errorCode, challenged.body.methods, challenged.cookies]).toEqual([
      401,
      'second-factor-required',
      ['passkey', 'recovery-code'],
      [],
    ]);
    const response = await answer(account.username, authenticator, ceremony);
    expect([response.status, response.body.recoveryCodes]).toEqual([200, undefined]);
    expect(claimsOf(response.body.accessToken)['amr']).toEqual(amr);
    expect(response.cookies).toHaveLength(1);
  });

  it('gets options with the passkeys of the account', async () => {
    const { account, authenticator } = await user();
    const { options } = await start(account.username);
    expect(options).toMatchObject({
      rpId: 'localhost',
      userVerification: 'preferred',
      allowCredentials: [{ id: authenticator.id, type: 'public-key', transports: ['internal'] }],
    });
  });

  it('has five tries for each challenge, and neither counts for the lock of codes nor is stopped by it', async () => {
    const { account, authenticator } = await user();
    const { challenge, options } = await start(account.username);
    for (let tries = 0; tries < 5; tries += 1)
      expect(await post(ANSWER, { challenge, passkey: authenticator.get(options, { isForged: true }) })).toEqual(
        INVALID,
      );
    expect(await post(ANSWER, { challenge, passkey: authenticator.get(options) })).toEqual(
      problem(401, 'challenge-invalid', ANSWER),
    );
    for (let tries = 0; tries < 5; tries += 1) {
      const { challenge: other } = (await logIn(account.username)).body;
      expect(await post(ANSWER, { challenge: other, recoveryCode: 'AAAA-AAAA-AAAA-AAAA' })).toEqual(INVALID);
    }
    const locked = (await logIn(account.username)).body;
    const guess = { challenge: locked.challenge, recoveryCode: 'AAAA-AAAA-AAAA-AAAA' };
    expect((await post(ANSWER, guess)).status).toBe(423);
    expect((await answer(account.username, authenticator)).status).toBe(200);
    // A completed login forgets the wrong codes.
    expect(await post(ANSWER, guess)).toEqual(INVALID);
  });

  it('answers the challenge for which its options were created, once', async () => {
    const { account, authenticator } = await user();
    const [one, other] = [await start(account.username), await start(account.username)];
    expect(await post(ANSWER, { challenge: one.challenge, passkey: authenticator.get(other.options) })).toEqual(
      INVALID,
    );
    const answers = Array.from({ length: 4 }, () => ({
      challenge: one.challenge,
      passkey: authenticator.get(one.options),
    }));
    const statuses = (await Promise.all(answers.map((body) => post(ANSWER, body)))).map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
    const { challenge } = (await logIn(account.username)).body;
    expect(await post(ANSWER, { challenge, passkey: authenticator.get(one.options) })).toEqual(INVALID);
  });

  it("is refused if it is another account's, or its counter goes back", async () => {
    const [one, other] = [await user(), await user()];
    const { challenge, options } = await start(one.account.username);
    const foreign = other.authenticator.get({ ...options, allowCredentials: [] });
    expect(await post(ANSWER, { challenge, passkey: foreign })).toEqual(INVALID);
    expect((await answer(one.account.username, one.authenticator, { counter: 7 })).status).toBe(200);
    expect(await answer(one.account.username, one.authenticator, { counter: 7 })).toEqual(INVALID);
    expect(await recordsOf(one.account.id, 'second-factor.failed')).toContainEqual({
      method: 'passkey',
      reason: 'the counter of the passkey has gone back',
    });
  });

  it.each([false, true])('works if its backup eligibility changes, which was %s', async (backupEligible) => {
    const { account, authenticator } = await user(createAuthenticator({ origin: ORIGIN, backupEligible }));
    const { username } = account;
    const flags = async () =>
      (
        await opened.deployment.database.query('SELECT backup_eligible, backed_up FROM passkeys WHERE account_id = ?', [
          idToBytes(account.id),
        ])
      )[0];
    const changed = await answer(username, authenticator, { backupEligible: !backupEligible, backedUp: false });
    expect(changed.status).toBe(200);
    expect(claimsOf(changed.body.accessToken)['amr']).toEqual(['pwd', backupEligible ? 'hwk' : 'swk', 'user', 'mfa']);
    expect(await flags()).toEqual({ backup_eligible: backupEligible ? 0 : 1, backed_up: 0 });
    expect((await answer(username, authenticator)).status).toBe(200);
    expect(await flags()).toEqual({ backup_eligible: backupEligible ? 1 : 0, backed_up: backupEligible ? 1 : 0 });
    expect((await recordsOf(account.id, 'factor.changed')).length).toBe(2);
  });

  async function recordsOf(id: string, event: string) {
    await opened.deployment.core.flush();
    const rows = await opened.deployment.database.query<{ details: string }>(
      'SELECT details FROM audit_records WHERE account_id = ? AND event = ?',
      [idToBytes(id), event],
    );
    return rows.map(({ details }) => JSON.parse(details) as object);
  }
});

describe.each(DIAGONAL)('a login that has to create a passkey ($engine, $transport)', (kind) => {
  const { opened, user, post, logIn } = openService({ ...kind, settings: REQUIRED });

  async function startEnrolment() {
    const account = await seedAccount(opened.deployment.database);
    const challenged = await logIn(account.username);
    expect(challenged.body).toMatchObject({
      errorCode: 'second-factor-enrolment-required',
      methods: ['totp', 'passkey'],
    });
    const { challenge } = challenged.body;
    const started = await post(ENROLMENT, { challenge, method: 'passkey' });
    expect([started.status, Object.keys(started.body)]).toEqual([200, ['options']]);
    return { account, challenge, options: started.body.options };
  }

  it('opens the session, returns recovery codes, and asks for the passkey from then on', async () => {
    const { account, challenge, options } = await startEnrolment();
    const authenticator = newAuthenticator();
    const response = await post(ANSWER, { challenge, passkey: authenticator.create(options) });
    expect([response.status, response.body.recoveryCodes?.length]).toEqual([200, 10]);
    expect(claimsOf(response.body.accessToken)['amr']).toEqual(['pwd', 'hwk', 'user', 'mfa']);
    expect((await logIn(account.username)).body.methods).toEqual(['passkey', 'recovery-code']);
  });

  it('refuses a wrong passkey, one of another account, and the answer to another challenge', async () => {
    const authenticator = newAuthenticator();
    await user(authenticator);
    const { challenge, options } = await startEnrolment();
    const other = await startEnrolment();
    const wrong = [
      newAuthenticator().create(options, { origin: 'https://evil.test' }),
      newAuthenticator().create(other.options),
      authenticator.create({ ...options, excludeCredentials: [] }),
    ];
    for (const passkey of wrong) expect(await post(ANSWER, { challenge, passkey })).toEqual(INVALID);
    expect((await post(ANSWER, { challenge, passkey: newAuthenticator().create(options) })).status).toBe(401);
    const again = (await post(ENROLMENT, { challenge, method: 'passkey' })).body.options;
    expect((await post(ANSWER, { challenge, passkey: newAuthenticator().create(again) })).status).toBe(200);
  });

  it('does not accept the options of the other kind of challenge', async () => {
    const { challenge } = await startEnrolment();
    expect(await post(OPTIONS, { challenge })).toEqual(problem(401, 'challenge-invalid', OPTIONS));
    const { account } = await user();
    const factor = (await logIn(account.username)).body.challenge;
    expect(await post(ENROLMENT, { challenge: factor, method: 'passkey' })).toEqual(
      problem(401, 'challenge-invalid', ENROLMENT),
    );
  });
});

describe.each(DIAGONAL)('requests ($engine, $transport)', (kind) => {
  const { user, post, logIn, start } = openService(kind);

  it.each<readonly [object, number]>([
    [{ passkey: {} }, 401],
    [{ passkey: 'text' }, 400],
    [{ passkey: [] }, 400],
    [{ passkey: { id: 'x'.repeat(16_384) } }, 400],
    [{ passkey: {}, totp: '123456' }, 400],
  ])('%#: %s is answered with %i', async (body, status) => {
    const { account } = await user();
    const { challenge } = (await logIn(account.username)).body;
    expect((await post(ANSWER, { challenge, ...body })).status).toBe(status);
  });

  it('from another origin: 401 challenge-invalid', async () => {
    const { account, authenticator } = await user();
    const { challenge, options } = await start(account.username);
    const other = 'http://localhost:9999';
    expect(await post(OPTIONS, { challenge }, other)).toEqual(problem(401, 'challenge-invalid', OPTIONS));
    expect(await post(ANSWER, { challenge, passkey: authenticator.get(options) }, other)).toEqual(
      problem(401, 'challenge-invalid', ANSWER),
    );
  });
});
