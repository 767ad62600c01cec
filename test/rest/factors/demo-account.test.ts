// The account of the demo with a second factor.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createUseCode } from '../../../src/auth/factors/use-code.ts';
import { createAccountStore } from '../../../src/auth/identity/account-store.ts';
import { DEMO, DEMO_TOTP } from '../../../src/composition/bootstrap/demo.ts';
import { UNLIMITED } from '../../../src/platform/clock.ts';
import { fromBase32 } from '../../../src/platform/formats/base32.ts';
import { rememberPasswords } from '../../support/argon2.ts';
import { deploy, type Deployment } from '../../support/deployment.ts';
import { restClient } from '../../support/rest-client.ts';
import { codeAt } from '../../support/totp.ts';

let deployment: Deployment;

rememberPasswords();
beforeAll(async () => {
  deployment = await deploy({ engine: 'sqlite', transport: 'local', settings: { 'app.env': 'DEV' } });
});
afterAll(() => deployment?.close());

const code = () => codeAt(DEMO_TOTP.secret, deployment.clock.now());

it('needs a code of the published secret, and no other account of the demo does', async () => {
  const rest = restClient(deployment.url);
  for (const { username, password } of DEMO.logins) {
    const { status, body } = await rest.login({ username, password });
    if (username !== DEMO_TOTP.username) expect([username, status]).toEqual([username, 200]);
    else expect(body).toMatchObject({ errorCode: 'second-factor-required', methods: ['totp', 'recovery-code'] });
    if (status === 200) continue;
    const { challenge } = body as { readonly challenge: string };
    const answered = await rest.send('POST', '/api/v1/auth/second-factor', {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ challenge, totp: code() }),
    });
    expect(answered.status).toBe(200);
  }
});

it.each([true, false])('has a secret whose codes are refused if samples are: %s', async (refuseSamples) => {
  deployment.clock.advance(30_000);
  const { database, clock } = deployment;
  const { account } = (await createAccountStore(database).findByUsername(DEMO_TOTP.username))!;
  const secrets = { encrypt: () => Buffer.alloc(0), decrypt: () => fromBase32(DEMO_TOTP.secret) };
  const useCode = createUseCode({ secrets, database, refuseSamples, notify: async () => {} });
  const isRight = await database.transaction(UNLIMITED, (tx) =>
    useCode({ tx, record: () => {}, account, now: clock.now() }, 'totp', code()),
  );
  expect(isRight).toBe(!refuseSamples);
});
