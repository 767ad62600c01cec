// The passkeys of an account: creation, label, deletion, and what they end.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Account } from '../../../src/auth/access/account.ts';
import { idToBytes } from '../../../src/platform/db/ids.ts';
import { seedAccount, type Seed } from '../../support/accounts.ts';
import { createAuthenticator, type Authenticator } from '../../support/authenticator.ts';
import { callerWith, faults, type Caller } from '../../support/callers.ts';
import { deploy, DIAGONAL, type Deployment } from '../../support/deployment.ts';
import { addPasskey, ORIGIN, PASSKEYS, seedPasskey } from '../../support/passkeys.ts';
import { problem } from '../../support/problems.ts';
import { bearer, type RestResponse } from '../../support/rest-client.ts';
import { outcomeOf } from '../../support/rpc-outcomes.ts';
import { seedSession } from '../../support/sessions.ts';
import { clientsOf } from '../../support/world.ts';

const PATH = '/account/factors/passkeys';
const URL_PATH = `/api/v1${PATH}`;
const ID = expect.stringMatching(/^[0-9a-f-]{36}$/);
const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const CODE = /^[A-Z2-7]{4}(?:-[A-Z2-7]{4}){5}$/;

const statusesOf = (responses: readonly RestResponse[]) =>
  responses.map(({ status }) => status).toSorted((one, other) => one - other);

describe.each(DIAGONAL)('own passkeys ($engine, $transport)', (kind) => {
  let deployment: Deployment;
  beforeAll(async () => {
    deployment = await deploy({ ...kind, settings: PASSKEYS });
  });
  afterAll(() => deployment?.close());

  const sessionOf = async (account: Account): Promise<Caller> =>
    callerWith(deployment.url, account, bearer((await seedSession(deployment, account)).accessToken));
  const user = async (seed: Seed = {}) => sessionOf(await seedAccount(deployment.database, seed));
  const newAuthenticator = () => createAuthenticator({ origin: ORIGIN });
  const optionsFor = async (by: Caller): Promise<unknown> => (await by.post(`${PATH}/options`)).body.options;
  const create = async (by: Caller, authenticator: Authenticator = newAuthenticator(), label = 'Phone') =>
    by.post(PATH, { label, passkey: authenticator.create(await optionsFor(by)) });

  async function stored({ account }: Caller) {
    const { database } = deployment;
    const [row] = await database.query<{ factors: string; factors_version: number }>(
      'SELECT factors, factors_version FROM accounts WHERE id = ?',
      [idToBytes(account.id)],
    );
    const events = await database.query<{ event: string; details: string }>(
      "SELECT event, details FROM audit_records WHERE account_id = ? AND event LIKE 'factor.%' ORDER BY id",
      [idToBytes(account.id)],
    );
    return { ...row!, events: events.map(({ event, details }) => [event, JSON.parse(details) as object]) };
  }

  it('POST returns 201 with Location, and recovery codes with the first factor only', async () => {
    const by = await user();
    const first = await create(by);
    const passkey = { id: ID, label: 'Phone', createdAt: TIME, backedUp: false };
    expect([first.status, first.body.passkey]).toEqual([201, passkey]);
    expect(first.headers.get('location')).toBe(`${URL_PATH}/${first.body.passkey.id}`);
    expect(first.headers.get('cache-control')).toBe('no-store');
    expect(first.body.recoveryCodes).toHaveLength(10);
    for (const code of first.body.recoveryCodes) expect(code).toMatch(CODE);
    const second = await create(by);
    expect([second.status, Object.keys(second.body)]).toEqual([201, ['passkey']]);
    expect(await stored(by)).toEqual({
      factors: 'passkey,recovery-code',
      factors_version: 2,
      events: [first, second].map(({ body }) => [
        'factor.created',
        { method: 'passkey', passkeyId: body.passkey.id, sessionsEnded: 0 },
      ]),
    });
  });

  it('POST options returns options that exclude existing passkeys', async () => {
    const by = await user({ name: 'Ann Archer' });
    const authenticator = newAuthenticator();
    await create(by, authenticator);
    const response = await by.post(`${PATH}/options`);
    expect(response.status).toBe(200);
    expect(response.body.options).toMatchObject({
      rp: { id: 'localhost', name: 'my-shop' },
      user: {
        id: idToBytes(by.account.id).toString('base64url'),
        name: by.account.username,
        displayName: 'Ann Archer',
      },
      excludeCredentials: [{ id: authenticator.id, type: 'public-key' }],
    });
  });

  it('creation and deletion end all other sessions', async () => {
    const by = await user();
    const other = await sessionOf(by.account);
    const { id } = (await create(by)).body.passkey;
    expect((await other.get('/account/sessions')).status).toBe(401);
    const another = await sessionOf(by.account);
    expect((await by.delete(`${PATH}/${id}`)).status).toBe(204);
    expect((await another.get('/account/sessions')).status).toBe(401);
    expect((await by.get('/account/sessions')).status).toBe(200);
  });

  it('DELETE of the last factor removes the recovery codes', async () => {
    const by = await user();
    const ids = [(await create(by)).body.passkey.id, (await create(by)).body.passkey.id];
    const codes = async () =>
      (await deployment.database.query('SELECT 1 FROM recovery_codes WHERE account_id = ?', [idToBytes(by.account.id)]))
        .length;
    await by.delete(`${PATH}/${ids[0]}`);
    expect([(await stored(by)).factors, await codes()]).toEqual(['passkey,recovery-code', 10]);
    await by.delete(`${PATH}/${ids[1]}`);
    expect([(await stored(by)).factors, await codes()]).toEqual(['', 0]);
    expect(await by.delete(`${PATH}/${ids[1]}`)).toEqual(problem(404, 'not-found', `${URL_PATH}/${ids[1]}`));
    expect((await stored(by)).events.map(([event]) => event)).toEqual([
      'factor.created',
      'factor.created',
      'factor.removed',
      'factor.removed',
    ]);
  });

  it('PATCH changes the label', async () => {
    const by = await user();
    const { passkey } = (await create(by)).body;
    const updated = await by.patch(`${PATH}/${passkey.id}`, { label: 'Old phone' });
    expect([updated.status, updated.body]).toEqual([200, { ...passkey, label: 'Old phone' }]);
    expect(faults(await by.patch(`${PATH}/${passkey.id}`, { label: ' ' }))).toEqual(['label']);
    expect(faults(await by.patch(`${PATH}/${passkey.id}`, {}))).toEqual(['label']);
  });

  it("returns 404 for another account's passkey, also of the same tenant", async () => {
    const by = await user({ roles: ['ADMIN'] });
    for (const tenantId of ['acme', 'globex', undefined]) {
      const owner = await seedAccount(deployment.database, { tenantId, ...(!tenantId && { roles: ['SUPER_ADMIN'] }) });
      const { id } = await seedPasskey(deployment.database, owner);
      for (const response of [await by.patch(`${PATH}/${id}`, { label: 'Mine' }), await by.delete(`${PATH}/${id}`)])
        expect(response).toEqual(problem(404, 'not-found', `${URL_PATH}/${id}`));
    }
  });

  it('works for a SUPER_ADMIN, who has no tenant', async () => {
    const by = await user({ tenantId: undefined, roles: ['SUPER_ADMIN'] });
    const created = await create(by);
    expect(created.status).toBe(201);
    expect((await by.delete(`${PATH}/${created.body.passkey.id}`)).status).toBe(204);
  });

  it('uses options once, in the session that asked for them, within five minutes', async () => {
    const by = await user();
    const options = await optionsFor(by);
    const send = (as: Caller, authenticator: Authenticator, given = options) =>
      as.post(PATH, { label: 'Phone', passkey: authenticator.create(given) });
    const invalid = problem(401, 'challenge-invalid', URL_PATH);
    expect(await send(await sessionOf(by.account), newAuthenticator())).toEqual(invalid);
    const outcomes = await Promise.all([1, 2, 3, 4].map(() => send(by, newAuthenticator())));
    expect(statusesOf(outcomes)).toEqual([201, 401, 401, 401]);
    const late = await optionsFor(by);
    deployment.clock.advance(300_000);
    expect(await send(by, newAuthenticator(), late)).toEqual(invalid);
  });

  it('never has more than 20 passkeys, however many are created at once', async () => {
    const by = await user();
    for (let count = 0; count < 18; count += 1) await seedPasskey(deployment.database, by.account);
    const all = await Promise.all([1, 2, 3, 4].map(async () => optionsFor(by)));
    const created = await Promise.all(
      all.map((options) => by.post(PATH, { label: 'Phone', passkey: newAuthenticator().create(options) })),
    );
    expect(statusesOf(created)).toEqual([201, 201, 409, 409]);
    expect((await by.post(`${PATH}/options`)).body).toMatchObject({ errorCode: 'conflict', status: 409 });
  });
});

describe.each(DIAGONAL)('requests to create a passkey ($engine, $transport)', (kind) => {
  let deployment: Deployment;
  let by: Caller;
  beforeAll(async () => {
    deployment = await deploy({ ...kind, settings: PASSKEYS });
    const account = await seedAccount(deployment.database);
    by = callerWith(deployment.url, account, bearer((await seedSession(deployment, account)).accessToken));
  });
  afterAll(() => deployment?.close());

  it.each([
    [{}, ['label', 'passkey']],
    [{ label: 'Phone', passkey: '{}' }, ['passkey']],
    [{ label: 'Phone', passkey: [] }, ['passkey']],
    [{ label: 'Phone', passkey: null }, ['passkey']],
    [{ label: 'Phone', passkey: { id: 'x'.repeat(16_384) } }, ['passkey']],
    [{ label: 'x'.repeat(101), passkey: {} }, ['label']],
    [{ label: 'Phone', passkey: {}, more: 1 }, ['more']],
  ])('%j: 400 for %j', async (body, fields) => {
    const response = await by.post(PATH, body);
    expect([response.status, faults(response)]).toEqual([400, fields]);
  });

  it.each([{}, { id: 'a' }, { id: 'a', rawId: 'a', type: 'public-key', response: {} }, { response: null }])(
    'passkey %j: 401 second-factor-invalid',
    async (passkey) => {
      expect(await by.post(PATH, { label: 'Phone', passkey })).toEqual(problem(401, 'second-factor-invalid', URL_PATH));
    },
  );

  it('accepts members that WebAuthn may add', async () => {
    const { options } = (await by.post(`${PATH}/options`)).body;
    const passkey = createAuthenticator({ origin: ORIGIN }).create(options);
    const more = { ...passkey, authenticatorAttachment: 'platform', future: { a: [1] } };
    expect((await by.post(PATH, { label: 'Phone', passkey: more })).status).toBe(201);
  });
});

describe('a service without passkeys', () => {
  it('returns 404 for new passkeys, and still renames and deletes the existing ones', async () => {
    const deployment = await deploy({ engine: 'sqlite', transport: 'grpc' });
    try {
      const account = await seedAccount(deployment.database);
      const session = await seedSession(deployment, account);
      const by = callerWith(deployment.url, account, bearer(session.accessToken));
      const { id } = await seedPasskey(deployment.database, account);
      const missing = (path: string) => problem(404, 'not-found', path);
      expect(await by.post(`${PATH}/options`)).toEqual(missing(`${URL_PATH}/options`));
      expect(await by.post(PATH, { label: 'Phone', passkey: {} })).toEqual(missing(URL_PATH));
      expect((await by.patch(`${PATH}/${id}`, { label: 'Old' })).status).toBe(200);
      expect((await by.delete(`${PATH}/${id}`)).status).toBe(204);
      const as = { authorization: [`Bearer ${session.accessToken}`] };
      expect(await outcomeOf(addPasskey(clientsOf(deployment), as))).toBe('NOT_FOUND');
    } finally {
      await deployment.close();
    }
  });
});
