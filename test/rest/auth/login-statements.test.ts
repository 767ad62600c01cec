// The statements of logins with and without second factors. The figures of docs/decisions/archive/measurements.md are those of this test.
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ENGINES } from '../../support/databases.ts';
import { deploy, type Deployment } from '../../support/deployment.ts';
import { seedAccount, PASSWORD } from '../../support/accounts.ts';
import { rememberPasswords } from '../../support/argon2.ts';
import { createAuthenticator } from '../../support/authenticator.ts';
import { seedTotp } from '../../support/factors.ts';
import { addPasskey, ORIGIN, PASSKEYS } from '../../support/passkeys.ts';
import { bearer, restClient, type RestClient, type RestResponse } from '../../support/rest-client.ts';
import { seedSession, signIn } from '../../support/sessions.ts';
import { recordSpans } from '../../support/spans.ts';
import { clientsOf } from '../../support/world.ts';

rememberPasswords();

/** The statements of a login in the last version without second factors, one that finds out whether its client is known, and one that stores its time. */
const LOGIN = [
  'INSERT audit_records',
  'INSERT session_families',
  'SELECT accounts',
  'SELECT login_clients',
  'SELECT session_families',
  'UPDATE accounts',
  'UPDATE accounts',
  'UPDATE accounts',
];

/** The rows of the table, by engine. */
const tables = new Map<string, string[]>(ENGINES.map((engine) => [engine, []]));

describe.each(ENGINES)('on %s', (engine) => {
  const spans = recordSpans();
  let deployment: Deployment;
  let rest: RestClient;
  beforeAll(async () => {
    deployment = await deploy({ engine, transport: 'local', settings: PASSKEYS, tracer: spans.tracer });
    rest = restClient(deployment.url);
  });
  afterAll(() => deployment?.close());

  const post = (path: string, body: object, headers: Record<string, string> = {}) =>
    rest.postJson(`/api/v1${path}`, body, { origin: ORIGIN, ...headers });

  /** Returns the statements of a request, and its response. */
  async function statementsOf(send: () => Promise<RestResponse>, status = 200) {
    spans.reset();
    const response = await send();
    const names = spans.all().map(({ name }) => name);
    expect(response.status).toBe(status);
    return { statements: names.filter((name) => /^(SELECT|INSERT|UPDATE|DELETE) /.test(name)).toSorted(), response };
  }
  /** Adds a request to the table. Returns the body of its response. */
  async function count(title: string, send: () => Promise<RestResponse>, status = 200) {
    const { statements, response } = await statementsOf(send, status);
    tables.get(engine)!.push(`| ${title} | ${statements.length} |`);
    return response.body;
  }

  it('a login without a second factor runs these statements', async () => {
    const { username } = await seedAccount(deployment.database);
    const logIn = () => post('/auth/login', { username, password: PASSWORD });
    await logIn();
    expect((await statementsOf(logIn)).statements).toEqual(LOGIN);
  });

  it('counts the statements of each request of a login and of a confirmation', async () => {
    const plain = await seedAccount(deployment.database);
    const logIn = (username: string) => () => post('/auth/login', { username, password: PASSWORD });
    await logIn(plain.username)();
    await count('`POST /auth/login`, account without a second factor', logIn(plain.username));

    const { account, code, recoveryCodes } = await seedTotp(deployment);
    const withTotp = '`POST /auth/login`, account with one';
    let { challenge } = await count(withTotp, logIn(account.username), 401);
    await count('`POST /auth/second-factor`, TOTP', () => post('/auth/second-factor', { challenge, totp: code() }));
    ({ challenge } = (await logIn(account.username)()).body);
    await count('`POST /auth/second-factor`, recovery code', () =>
      post('/auth/second-factor', { challenge, recoveryCode: recoveryCodes[0] }),
    );
    ({ challenge } = (await logIn(account.username)()).body);
    await count(
      '`POST /auth/second-factor`, wrong code',
      () => post('/auth/second-factor', { challenge, totp: code() }),
      401,
    );

    const owner = await seedAccount(deployment.database);
    const authenticator = createAuthenticator({ origin: ORIGIN });
    await addPasskey(clientsOf(deployment), await signIn(deployment, owner), authenticator);
    ({ challenge } = (await logIn(owner.username)()).body);
    const asked = await count('`POST /auth/second-factor/passkey-options`', () =>
      post('/auth/second-factor/passkey-options', { challenge }),
    );
    await count('`POST /auth/second-factor`, passkey', () =>
      post('/auth/second-factor', { challenge, passkey: authenticator.get(asked.options) }),
    );
    const begun = await count('`POST /auth/passkey/options`', () => post('/auth/passkey/options', {}));
    await count('`POST /auth/passkey`', () =>
      post('/auth/passkey', { challenge: begun.challenge, passkey: authenticator.get(begun.options) }),
    );

    const confirm = async (title: string, by: typeof plain, body: object) => {
      const { accessToken } = await seedSession(deployment, by);
      await count(`\`POST /account/confirm\`, ${title}`, () => post('/account/confirm', body, bearer(accessToken)));
    };
    await confirm('password', plain, { password: PASSWORD });
    await confirm('TOTP', account, { totp: code(1) });
  });
});

it.each(ENGINES)('the table in docs/decisions/archive/measurements.md shows the statements on %s', (engine) => {
  const page = readFileSync(new URL('../../../docs/decisions/archive/measurements.md', import.meta.url), 'utf8');
  const [, ...rows] = page.match(/^\| Request \| SQL statements \|\n\|[- :|]+\n((?:\|.*\n)+)/m) ?? [];
  expect(rows[0]?.trimEnd().split('\n')).toEqual(tables.get(engine));
});
