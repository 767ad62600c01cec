// Passkeys whose members are not texts, on each route that takes one. An object with a length must not be copied as a list.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PASSWORD, seedAccount } from '../../support/accounts.ts';
import { rememberPasswords } from '../../support/argon2.ts';
import { createAuthenticator } from '../../support/authenticator.ts';
import { deploy, ON_SQLITE, type Deployment } from '../../support/deployment.ts';
import { addPasskey, ORIGIN, PASSKEYS } from '../../support/passkeys.ts';
import { problem } from '../../support/problems.ts';
import { bearer, restClient, type RestClient } from '../../support/rest-client.ts';
import { authorizedBy, seedSession } from '../../support/sessions.ts';
import { clientsOf } from '../../support/world.ts';

rememberPasswords();

type Members = Readonly<Record<string, unknown>>;
/** Sends a passkey with the browser's right response, changed. */
type Send = (change: (passkey: Members) => Members) => Promise<unknown>;

const ROUTES = {
  '/account/factors/passkeys': 'creation',
  '/auth/second-factor of an enrolment': 'creation',
  '/auth/second-factor': 'assertion',
  '/auth/passkey': 'assertion',
  '/account/confirm': 'assertion',
} as const;
const MEMBERS = {
  creation: ['id', 'rawId', 'type', 'response', 'response.clientDataJSON', 'response.attestationObject'],
  assertion: [
    'id',
    'rawId',
    'type',
    'response',
    'response.clientDataJSON',
    'response.authenticatorData',
    'response.signature',
    'response.userHandle',
  ],
};
/** Copied as a list, the first takes half a minute. */
const VALUES = [{ length: 200_000_000 }, ['YQ'], 200_000_000, true];
const TIME_LIMIT_MS = 10_000;

const TABLE = (Object.keys(ROUTES) as (keyof typeof ROUTES)[]).flatMap((route) =>
  MEMBERS[ROUTES[route]].map((member) => [route, member] as const),
);

function withMember(passkey: Members, path: string, value: unknown): Members {
  const [name, inner] = path.split('.') as [string, string?];
  return { ...passkey, [name]: inner === undefined ? value : withMember(passkey[name] as Members, inner, value) };
}

describe.each(ON_SQLITE)('on $engine over $transport', (kind) => {
  let deployment: Deployment;
  let rest: RestClient;
  beforeAll(async () => {
    deployment = await deploy({ ...kind, settings: { ...PASSKEYS, 'app.security.second-factor': 'REQUIRED' } });
    rest = restClient(deployment.url);
  });
  afterAll(() => deployment?.close());

  const post = async (path: string, body: Members, headers: Readonly<Record<string, string>> = {}) =>
    rest.postJson(`/api/v1${path}`, body, { origin: ORIGIN, ...headers });
  const logIn = async (username: string) =>
    (await post('/auth/login', { username, password: PASSWORD })).body.challenge as string;

  async function owner() {
    const account = await seedAccount(deployment.database);
    const { accessToken } = await seedSession(deployment, account);
    const { authenticator } = await addPasskey(clientsOf(deployment), authorizedBy({ accessToken }));
    return { account, authenticator, as: bearer(accessToken) };
  }

  const prepare: Readonly<Record<keyof typeof ROUTES, () => Promise<Send>>> = {
    async '/account/factors/passkeys'() {
      const { as } = await owner();
      const { options } = (await post('/account/factors/passkeys/options', {}, as)).body;
      const passkey = createAuthenticator({ origin: ORIGIN }).create(options);
      return (change) => post('/account/factors/passkeys', { label: 'Phone', passkey: change({ ...passkey }) }, as);
    },
    async '/auth/second-factor of an enrolment'() {
      const challenge = await logIn((await seedAccount(deployment.database)).username);
      const { options } = (await post('/auth/second-factor/enrolment', { challenge, method: 'passkey' })).body;
      const passkey = createAuthenticator({ origin: ORIGIN }).create(options);
      return (change) => post('/auth/second-factor', { challenge, passkey: change({ ...passkey }) });
    },
    async '/auth/second-factor'() {
      const { account, authenticator } = await owner();
      const challenge = await logIn(account.username);
      const { options } = (await post('/auth/second-factor/passkey-options', { challenge })).body;
      return (change) => post('/auth/second-factor', { challenge, passkey: change({ ...authenticator.get(options) }) });
    },
    async '/auth/passkey'() {
      const { authenticator } = await owner();
      const { challenge, options } = (await rest.postJson('/api/v1/auth/passkey/options', '', { origin: ORIGIN })).body;
      return (change) => post('/auth/passkey', { challenge, passkey: change({ ...authenticator.get(options) }) });
    },
    async '/account/confirm'() {
      const { authenticator, as } = await owner();
      const { options } = (await rest.send('POST', '/api/v1/account/confirm/passkey-options', { headers: as })).body;
      return (change) => post('/account/confirm', { passkey: change({ ...authenticator.get(options) }) }, as);
    },
  };

  it.each(TABLE)(
    '%s rejects a passkey whose %s has another type, at once',
    async (route, member) => {
      const send = await prepare[route]();
      for (const value of VALUES)
        expect(await send((passkey) => withMember(passkey, member, value)), JSON.stringify(value)).toEqual(
          problem(401, 'second-factor-invalid', `/api/v1${route.split(' ')[0]!}`),
        );
      // The response was right but for this member.
      expect(await send((passkey) => passkey)).toMatchObject({ status: route.startsWith('/account/f') ? 201 : 200 });
    },
    TIME_LIMIT_MS,
  );
});
