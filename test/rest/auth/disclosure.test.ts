// The content of rejections: everything except secrets under maximal disclosure, nothing but the status under minimal.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createOpaqueRefreshTokens } from '../../../src/auth/session/transport/cookie-transport.ts';
import type { Account } from '../../../src/auth/access/account.ts';
import { PASSWORD, seedAccount, type Seed } from '../../support/accounts.ts';
import { rememberPasswords } from '../../support/argon2.ts';
import { deploy, ON_SQLITE, type Deployment } from '../../support/deployment.ts';
import { leaksOf } from '../../support/leaks.ts';
import { problem } from '../../support/problems.ts';
import { restClient, sessionOf, type RestResponse, type RestClient } from '../../support/rest-client.ts';
import { seedSession } from '../../support/sessions.ts';

rememberPasswords();

const LOGIN = '/api/v1/auth/login';
const REFRESH = '/api/v1/auth/refresh';
const WRONG = 'wrong-password-canary';
const HOUR = 3600_000;

type Make = (deployment: Deployment) => Promise<Account | undefined>;

const seed =
  (wanted: (now: number) => Seed): Make =>
  ({ database, clock }) =>
    seedAccount(database, wanted(clock.now()));
const suspended =
  (account: (now: number) => Seed = () => ({})): Make =>
  async (deployment) => {
    const tenantId = `suspended-${randomUUID().slice(0, 8)}`;
    const seeded = await seed((now) => ({ tenantId, ...account(now) }))(deployment);
    await deployment.database.execute("UPDATE tenants SET status = 'SUSPENDED' WHERE id = ?", [Buffer.from(tenantId)]);
    return seeded;
  };
const locked = (now: number): Seed => ({ loginFailedCount: 5, lockedUntil: now + HOUR });
const disabled = (): Seed => ({ disabled: true });
const expired = (now: number): Seed => ({ accountExpiresAt: now });
const outdated = (now: number): Seed => ({ credentialsExpireAt: now });
const service = (): Seed => ({ interactive: false });
const all = (now: number): Seed => ({ ...locked(now), ...disabled(), ...expired(now), ...outdated(now) });

/** Every way to be refused a login: the first check that fails decides, whatever else is wrong. */
const REFUSALS: [what: string, make: Make, password: string, status: number, errorCode: string][] = [
  ['an unknown username', async () => undefined, PASSWORD, 401, 'account-not-found'],
  ['a service account', seed(service), PASSWORD, 401, 'login-policy-rejected'],
  [
    'a service account with everything wrong',
    suspended((now) => ({ ...all(now), ...service() })),
    WRONG,
    401,
    'login-policy-rejected',
  ],
  ['a suspended tenant', suspended(), PASSWORD, 401, 'login-policy-rejected'],
  ['a suspended tenant with everything else wrong', suspended(all), WRONG, 401, 'login-policy-rejected'],
  ['a locked account', seed(locked), PASSWORD, 423, 'account-locked'],
  ['a locked account with everything else wrong', seed(all), WRONG, 423, 'account-locked'],
  ['a disabled account', seed(disabled), PASSWORD, 401, 'account-disabled'],
  [
    'a disabled account with the rest wrong',
    seed((now) => ({ ...all(now), lockedUntil: undefined })),
    WRONG,
    401,
    'account-disabled',
  ],
  [
    'an account disabled after a lock that is over',
    seed((now) => ({ ...disabled(), lockedUntil: now })),
    PASSWORD,
    401,
    'account-disabled',
  ],
  ['an expired account', seed(expired), PASSWORD, 401, 'account-expired'],
  [
    'an expired account with the rest wrong',
    seed((now) => ({ ...expired(now), ...outdated(now) })),
    WRONG,
    401,
    'account-expired',
  ],
  ['a wrong password', seed(() => ({})), WRONG, 401, 'bad-credentials'],
  ['a wrong password that has expired', seed(outdated), WRONG, 401, 'bad-credentials'],
  ['the right password, expired', seed(outdated), PASSWORD, 401, 'credentials-expired'],
];

/** Ways to be refused a refresh, each with what it tells under maximal disclosure. */
const REFRESHES: [
  what: string,
  make: (deployment: Deployment, rest: RestClient) => Promise<string | undefined>,
  cause: RegExp,
][] = [
  ['no cookie', async () => undefined, /\bmissing\b/],
  ['garbage', async () => 'MY_SHOP_REFRESH=garbage', /\bmalformed\b/],
  [
    'a credential of another deployment',
    async () => `MY_SHOP_REFRESH=${createOpaqueRefreshTokens(Buffer.alloc(32, 9)).issue(1).value}`,
    /\bmalformed\b/,
  ],
  ['a session that is gone', stopped('DELETE FROM session_families WHERE tenant_id = ?'), /\bunknown\b/],
  ['an idle session', stopped('UPDATE session_families SET idle_expires_at = 1 WHERE tenant_id = ?'), /\bexpired\b/],
  [
    'a session that was logged out',
    async (deployment, rest) => {
      const session = await seedSession(deployment, await seedAccount(deployment.database));
      await rest.logout(session);
      return session.cookie;
    },
    /\brevoked\b/,
  ],
  [
    'a replay',
    async (deployment, rest) => {
      const session = await seedSession(deployment, await seedAccount(deployment.database));
      sessionOf(await rest.refresh(session.cookie));
      return session.cookie;
    },
    /\breplayed\b/,
  ],
  ['a disabled account', stopped('UPDATE accounts SET disabled = 1 WHERE tenant_id = ?'), /\bdisabled\b/],
  ['an expired account', stopped('UPDATE accounts SET account_expires_at = 1 WHERE tenant_id = ?'), /\bexpired\b/],
  ['a deleted account', stopped('DELETE FROM accounts WHERE tenant_id = ?'), /\bdoes not exist\b/],
  ['a suspended tenant', stopped("UPDATE tenants SET status = 'SUSPENDED' WHERE id = ?"), /\bsuspended\b/],
];

const MEMBERS = ['type', 'title', 'status', 'detail', 'errorCode', 'instance'];
const DIAGNOSTICS = ['exceptionType', 'exceptionMessage', 'stackTrace'];

async function login(
  deployment: Deployment,
  make: Make,
  password: string,
): Promise<{ response: RestResponse; username: string }> {
  const username = (await make(deployment))?.username ?? `nobody-${randomUUID()}@acme.test`;
  return { response: await restClient(deployment.url).login({ username, password }), username };
}

/** All that a client can see of a response, less what differs from one request to the next anyway. */
function seen({ status, headers, text }: RestResponse): unknown {
  return [status, text, [...headers].filter(([name]) => name !== 'date' && name !== 'x-request-id')];
}

describe.each(ON_SQLITE)('maximal disclosure: $engine over $transport', (kind) => {
  let deployment: Deployment;
  beforeAll(async () => {
    deployment = await deploy(kind);
  });
  afterAll(() => deployment?.close());

  it.each(REFUSALS)('%s', async (_what, make, password, status, errorCode) => {
    const { response, username } = await login(deployment, make, password);
    expect(response).toEqual(problem(status, errorCode, LOGIN));
    expect(Object.keys(response.body)).toEqual([...MEMBERS, ...DIAGNOSTICS]);
    expect(response.body.exceptionMessage).toContain(response.body.detail);
    expect(response.body.stackTrace).toMatch(/^\w+: .+\n +at .*\bsrc\/[\w/-]+\.ts:\d+:\d+/);
    expect(response.headers.getSetCookie()).toEqual([]);
    expect(response.headers.get('www-authenticate')).toBeNull();
    expect(leaksOf(response.text, [WRONG, username])).toEqual([]);
  });

  it.each(REFRESHES)('refresh: %s', async (_what, make, cause) => {
    const cookie = await make(deployment, restClient(deployment.url));
    const response = await restClient(deployment.url).refresh(cookie);
    expect(response).toEqual(problem(401, 'refresh-session-invalid', REFRESH, expect.stringMatching(cause)));
    expect(Object.keys(response.body)).toEqual([...MEMBERS, ...DIAGNOSTICS]);
    expect(response.headers.getSetCookie()).toEqual([]);
    expect(
      leaksOf(
        response.text,
        cookie?.split(/[=.]/).filter((part) => part.length > 9),
      ),
    ).toEqual([]);
  });
});

describe.each(ON_SQLITE)('minimal disclosure: $engine over $transport', (kind) => {
  let deployment: Deployment;
  let rest: RestClient;
  beforeAll(async () => {
    const settings = { 'app.api.error-disclosure.mode': 'minimal', 'app.security.lockout.max-failures': '2' };
    deployment = await deploy({ ...kind, settings });
    rest = restClient(deployment.url);
  });
  afterAll(() => deployment?.close());

  it('returns the same bytes and headers for every rejected login', async () => {
    const responses = [];
    for (const [, make, password] of REFUSALS) responses.push((await login(deployment, make, password)).response);
    const [first, ...others] = responses;
    expect(first).toEqual(problem(401, 'bad-credentials', LOGIN));
    expect(Object.keys(first!.body)).toEqual(MEMBERS);
    for (const other of others) expect(seen(other)).toEqual(seen(first!));
  });

  it('returns the same 401 after the lock, for known and unknown usernames', async () => {
    const { username } = await seedAccount(deployment.database);
    const responses = [];
    for (const name of [username, `nobody-${randomUUID()}`]) {
      for (let attempt = 0; attempt < 3; attempt += 1)
        responses.push(await rest.login({ username: name, password: WRONG }));
      responses.push(await rest.login({ username: name, password: PASSWORD }));
    }
    for (const response of responses) expect(seen(response)).toEqual(seen(responses[0]!));
    expect(responses[0]).toEqual(problem(401, 'bad-credentials', LOGIN));
  });

  it('returns the same bytes and headers for every rejected refresh', async () => {
    const responses = [];
    for (const [, make] of REFRESHES) responses.push(await rest.refresh(await make(deployment, rest)));
    for (const response of responses) expect(seen(response)).toEqual(seen(responses[0]!));
    expect(responses[0]).toEqual(problem(401, 'refresh-session-invalid', REFRESH));
    expect(Object.keys(responses[0]!.body)).toEqual(MEMBERS);
  });

  it('returns no diagnostics and no details with any other error', async () => {
    const send = (method: string, path: string, init?: RequestInit) => rest.send(method, `/api/v1/auth/${path}`, init);
    const json = { 'content-type': 'application/json' };
    const responses = [
      await rest.me(),
      await rest.me('garbage'),
      await rest.logout({ accessToken: 'garbage' }),
      await send('GET', 'nowhere'),
      await send('GET', 'login'),
      await send('GET', '%zz'),
      await rest.login('{'),
      await rest.login('{"a":1,"a":2}'),
      await rest.login({}),
      await rest.login({ username: 'a', password: 'b', rememberMe: 'c' }),
      await send('POST', 'login', { headers: { 'content-type': 'text/plain' }, body: WRONG }),
      await send('POST', 'login', { headers: json, body: ' '.repeat(70_000) }),
    ];
    expect(responses.map(({ status }) => status)).toEqual([401, 401, 401, 404, 405, 400, 400, 400, 400, 400, 415, 413]);
    const members = [...MEMBERS, 'violations'];
    for (const { body } of responses)
      expect(Object.keys(body).filter((member) => !members.includes(member))).toEqual([]);
    expect(responses[8]!.body.detail).toBe('Missing login credentials');
    expect(seen(responses[6]!)).toEqual(seen(responses[7]!));
  });
});

describe.each(['local', 'grpc'] as const)('the stack trace in an error over %s', (transport) => {
  it.each([0, 60, 500])('has at most %i characters', async (limit) => {
    const deployment = await deploy({
      engine: 'sqlite',
      transport,
      settings: { 'app.api.error-disclosure.max-stack-trace-chars': String(limit) },
    });
    try {
      const { body } = await restClient(deployment.url).me('garbage');
      expect(body.stackTrace.length).toBeLessThanOrEqual(limit);
      expect(body.exceptionType).toEqual(expect.any(String));
    } finally {
      await deployment.close();
    }
  });
});

/** A session whose account, tenant or session is then changed. */
function stopped(sql: string) {
  return async (deployment: Deployment): Promise<string> => {
    const account = await seedAccount(deployment.database, { tenantId: `tenant-${randomUUID().slice(0, 8)}` });
    const { cookie } = await seedSession(deployment, account);
    await deployment.database.execute(sql, [Buffer.from(account.tenantId!)]);
    return cookie;
  };
}
