// Applications and service accounts at each other's endpoints: one name space, one authentication, in all processes.
import { beforeAll, describe, expect, it } from 'vitest';
import { idToBytes } from '../../../src/platform/db/ids.ts';
import { rememberPasswords } from '../../support/argon2.ts';
import { seedAccount } from '../../support/accounts.ts';
import { DIAGONAL } from '../../support/deployment.ts';
import { ASSERTION_TYPE } from '../../support/oauth/party.ts';
import { newSigningKey, publicJwk } from '../../support/oauth/signing-key.ts';
import { openedServices, type ServiceParty } from '../../support/oauth/service.ts';
import { restClient } from '../../support/rest-client.ts';
import { seedSession } from '../../support/sessions.ts';
import { basic, INTROSPECT, REVOKE, seedClient, tokenClient, type MachineClient } from '../m2m/clients.ts';
import { formError } from '../m2m/oauth-errors.ts';

rememberPasswords();

const TOKEN = '/api/v1/auth/oauth2/token';
const CLIENT_CREDENTIALS = { grant_type: 'client_credentials' };

type Form = Readonly<Record<string, string>>;

describe.each(DIAGONAL)('$engine over $transport', (kind) => {
  const [service, beside] = openedServices(kind);
  let web: ServiceParty;
  let keyed: ServiceParty;
  let spa: ServiceParty;
  let account: MachineClient;
  beforeAll(async () => {
    const key = newSigningKey();
    web = await service.party();
    keyed = await service.party({ key, jwks: { keys: [publicJwk(key)] } });
    spa = await service.party({ type: 'SPA' });
    account = await seedClient(service.deployment.database);
  });

  const post = (path: string, form: Form, headers: Form = {}, { url } = service.deployment) =>
    tokenClient(url, path).post(new URLSearchParams(form).toString(), headers);
  const byForm = ({ client: { id, secret } }: ServiceParty): Form => ({ client_id: id, client_secret: secret! });
  const byAccount = ({ id, secret }: MachineClient): Form => ({ client_id: id, client_secret: secret });
  const byAssertion = async (): Promise<Form> => ({
    client_assertion_type: ASSERTION_TYPE,
    client_assertion: await keyed.assertion(),
  });
  const newSession = async () => seedSession(service.deployment, await seedAccount(service.deployment.database));
  const isLive = async (token: string) => (await restClient(service.deployment.url).me(token)).status === 200;

  describe('introspection', () => {
    it('says nothing to an application about the token of a session', async () => {
      const { accessToken: token } = await newSession();
      const ways = [byForm(web), await byAssertion()];
      for (const way of ways)
        expect(await post(INTROSPECT, { token, ...way })).toMatchObject({ status: 200, body: { active: false } });
      const { client } = web;
      const authorization = basic({ id: client.id, secret: client.secret! });
      expect((await post(INTROSPECT, { token }, { authorization })).body).toEqual({ active: false });
      expect((await post(INTROSPECT, { token, ...byAccount(account) })).body.active).toBe(true);
    });

    it('refuses a public application, and the secret of another client', async () => {
      const token = 'x';
      expect(await post(INTROSPECT, { token, client_id: spa.client.id })).toEqual(formError(401, 'invalid_client'));
      const foreign = { client_id: web.client.id, client_secret: account.secret };
      expect(await post(INTROSPECT, { token, ...foreign })).toEqual(formError(401, 'invalid_client'));
    });
  });

  describe('revocation', () => {
    it('ends the session of a token that any application holds, a public one too', async () => {
      for (const way of [byForm(web), await byAssertion(), { client_id: spa.client.id }]) {
        const { accessToken: token } = await newSession();
        expect((await post(REVOKE, { token, ...way })).status).toBe(200);
        expect(await isLive(token)).toBe(false);
      }
    });

    it('refuses a wrong secret, and ends nothing', async () => {
      const { accessToken: token } = await newSession();
      const wrong = { client_id: web.client.id, client_secret: 'wrong' };
      expect(await post(REVOKE, { token, ...wrong })).toEqual(formError(401, 'invalid_client'));
      expect(await isLive(token)).toBe(true);
    });
  });

  describe('the token endpoint', () => {
    it('issues tokens to a service account', async () => {
      const response = await post(TOKEN, { ...CLIENT_CREDENTIALS, ...byAccount(account) });
      expect(response.body).toEqual({ access_token: expect.any(String), token_type: 'Bearer', expires_in: 300 });
    });

    it('refuses client_credentials to each kind of application that authenticates', async () => {
      for (const way of [byForm(web), await byAssertion(), { client_id: spa.client.id }])
        expect(await post(TOKEN, { ...CLIENT_CREDENTIALS, ...way })).toEqual(formError(400, 'unauthorized_client'));
      const wrong = { client_id: web.client.id, client_secret: 'wrong' };
      expect(await post(TOKEN, { ...CLIENT_CREDENTIALS, ...wrong })).toEqual(formError(401, 'invalid_client'));
      const publicWithSecret = { client_id: spa.client.id, client_secret: 'x' };
      expect(await post(TOKEN, { ...CLIENT_CREDENTIALS, ...publicWithSecret })).toEqual(
        formError(401, 'invalid_client'),
      );
    });

    it('checks the form of client_credentials as the endpoint of service accounts does', async () => {
      const { client_id } = byAccount(account);
      for (const [form, error] of [
        [{ client_id }, 'invalid_request'],
        [{ client_secret: 'x' }, 'invalid_request'],
        [{ ...byAccount(account), scope: 'a' }, 'invalid_scope'],
      ] as const)
        expect(await post(TOKEN, { ...CLIENT_CREDENTIALS, ...form } as Form)).toEqual(formError(400, error));
    });

    it('refuses other grants to a service account that authenticates', async () => {
      for (const grant of [
        { grant_type: 'authorization_code', code: 'x' },
        { grant_type: 'refresh_token', refresh_token: 'x' },
      ]) {
        expect(await post(TOKEN, { ...grant, ...byAccount(account) })).toEqual(formError(400, 'unauthorized_client'));
        const wrong = { ...byAccount(account), client_secret: 'wrong' };
        expect(await post(TOKEN, { ...grant, ...wrong })).toEqual(formError(401, 'invalid_client'));
      }
    });

    it('takes an assertion once in all processes', async () => {
      const form = { grant_type: 'refresh_token', refresh_token: 'x', ...(await byAssertion()) };
      const answers = await Promise.all([post(TOKEN, form), post(TOKEN, form, {}, beside.deployment)]);
      expect(answers.map(({ body }) => String(body.error)).toSorted()).toEqual(['invalid_client', 'invalid_grant']);
    });
  });

  it('refuses a disabled application, and takes it again', async () => {
    const { client } = await service.party();
    const root = await service.root();
    const secret = { client_id: client.id, client_secret: client.secret! };
    const answers = async () => [
      (await post(INTROSPECT, { token: 'x', ...secret })).status,
      (await post(TOKEN, { grant_type: 'refresh_token', refresh_token: 'x', ...secret }, {}, beside.deployment)).status,
    ];
    await root.patch(`/applications/${client.applicationId}`, { disabled: true });
    expect(await answers()).toEqual([401, 401]);
    await root.patch(`/applications/${client.applicationId}`, { disabled: false });
    expect(await answers()).toEqual([200, 400]);
  });

  it('records each refusal of an application, and its successes once a minute', async () => {
    const { client } = await service.party();
    const right = { token: 'x', client_id: client.id, client_secret: client.secret! };
    for (const form of [right, right, { ...right, client_secret: 'wrong' }, right]) await post(INTROSPECT, form);
    await service.deployment.core.flush();
    const records = await service.deployment.database.query<{ event: string; details: string }>(
      "SELECT event, details FROM audit_records WHERE event LIKE 'client.%' AND username = ? ORDER BY event",
      [client.id],
    );
    expect(records.map(({ event, details }) => ({ event, ...JSON.parse(details) }))).toEqual([
      { event: 'client.authenticated', application: client.applicationId, secretId: expect.any(String) },
      { event: 'client.authentication-failed', application: client.applicationId, reason: 'wrong-secret' },
    ]);
  });

  it('stores when the secret of an application was last used', async () => {
    const third = await service.beside();
    const { client } = await service.party();
    const form = { token: 'x', client_id: client.id, client_secret: client.secret! };
    await post(INTROSPECT, form, {}, third.deployment);
    const now = service.deployment.clock.now();
    await third.close();
    const uses = await service.deployment.database.query(
      'SELECT last_used_at FROM application_secrets WHERE application_id = ?',
      [idToBytes(client.applicationId)],
    );
    expect(uses).toEqual([{ last_used_at: now }]);
  });
});
