// Faults of passkeys in other services, as they were reported there. Each is tried here.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { idToBytes } from '../../../src/platform/db/ids.ts';
import { seedAccount } from '../../support/accounts.ts';
import { createAuthenticator, type Ceremony } from '../../support/authenticator.ts';
import { deploy, DIAGONAL, type Deployment } from '../../support/deployment.ts';
import { addPasskey, ORIGIN, PASSKEYS } from '../../support/passkeys.ts';
import { restClient, type RestClient, type RestResponse } from '../../support/rest-client.ts';
import { signIn } from '../../support/sessions.ts';
import { clientsOf } from '../../support/world.ts';

describe.each(DIAGONAL)('on $engine over $transport', (kind) => {
  let deployment: Deployment;
  let rest: RestClient;
  beforeAll(async () => {
    deployment = await deploy({ ...kind, settings: PASSKEYS });
    rest = restClient(deployment.url);
  });
  afterAll(() => deployment?.close());

  const refused = ({ status, body }: RestResponse) => [status, body.errorCode];
  async function owner(counter: 'counts' | 'zero' = 'counts') {
    const account = await seedAccount(deployment.database);
    const authenticator = createAuthenticator({ origin: ORIGIN, counter });
    await addPasskey(clientsOf(deployment), await signIn(deployment, account), authenticator);
    const logIn = async (ceremony: Ceremony = {}) => {
      const { body } = await rest.postJson('/api/v1/auth/passkey/options', '', { origin: ORIGIN });
      const passkey = authenticator.get(body.options, ceremony);
      return rest.postJson('/api/v1/auth/passkey', { challenge: body.challenge, passkey }, { origin: ORIGIN });
    };
    return { account, logIn };
  }

  it('a passkey that did not verify its user does not log in alone (better-auth PR 11155)', async () => {
    const { logIn } = await owner();
    expect(refused(await logIn({ userVerified: false }))).toEqual([401, 'second-factor-invalid']);
    expect((await logIn()).status).toBe(200);
  });

  it('counters that stay 0 are accepted (w3c/webauthn 1734), and others do not go back', async () => {
    const zero = await owner('zero');
    expect([(await zero.logIn()).status, (await zero.logIn()).status]).toEqual([200, 200]);
    const counting = await owner();
    expect((await counting.logIn({ counter: 9 })).status).toBe(200);
    expect(refused(await counting.logIn({ counter: 9 }))).toEqual([401, 'second-factor-invalid']);
  });

  it('the relying party comes from the settings, not from the Host header, and is stored (authentik 25541)', async () => {
    const { account } = await owner();
    const headers = { origin: ORIGIN, 'x-forwarded-host': 'other.test' };
    const { body } = await rest.postJson('/api/v1/auth/passkey/options', '', headers);
    expect(body.options.rpId).toBe('localhost');
    const sql = 'SELECT rp_id AS id FROM passkeys WHERE account_id = ?';
    const [row] = await deployment.database.query<{ id: unknown }>(sql, [idToBytes(account.id)]);
    expect(String(row!.id)).toBe('localhost');
  });
});
